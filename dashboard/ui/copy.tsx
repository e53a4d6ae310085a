// Text to take along: shown whole, copied with one press, and the press says that it worked.

import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from './button.tsx';
import './copy.css';

const TOLD_FOR_MS = 2_000;

export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [outcome, setOutcome] = useState<'copied' | 'refused'>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async (): Promise<void> => {
    setOutcome((await toClipboard(text)) ? 'copied' : 'refused');
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setOutcome(undefined), TOLD_FOR_MS);
  };
  return (
    <>
      <Button isSmall label={label} onClick={copy}>
        {outcome === undefined ? 'Copy' : outcome === 'copied' ? 'Copied' : 'Select and copy it yourself'}
      </Button>
      <span class="sr-only" role="status">
        {outcome === 'copied' ? 'Copied' : ''}
      </span>
    </>
  );
}

/** Browsers give the clipboard to https and to this machine alone. */
export const toClipboard = async (text: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
};

export interface CopyBlockProps {
  readonly text: string;
  /** What it is, for who cannot see it and on its copy button. */
  readonly label: string;
}

export const CopyBlock = ({ text, label }: CopyBlockProps) => (
  <div class="copy-block">
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard */}
    <section tabIndex={0} aria-label={label}>
      <pre>{text}</pre>
    </section>
    <CopyButton text={text} label={`Copy ${label}`} />
  </div>
);
