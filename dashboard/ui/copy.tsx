// Text to take along: shown whole or in a line, copied with one press, and the press says that it worked.

import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from './button.tsx';
import './copy.css';

const TOLD_FOR_MS = 2_000;

/** Browsers give the clipboard to https and to this machine alone. */
const toClipboard = async (text: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
};

function useCopy(text: string) {
  const [outcome, setOutcome] = useState<'copied' | 'refused'>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async (): Promise<void> => {
    setOutcome((await toClipboard(text)) ? 'copied' : 'refused');
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setOutcome(undefined), TOLD_FOR_MS);
  };
  return { outcome, copy };
}

export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const { outcome, copy } = useCopy(text);
  return (
    <>
      <Button isSmall {...(outcome === undefined && { label })} onClick={copy}>
        {outcome === undefined ? 'Copy' : outcome === 'copied' ? 'Copied' : 'Select and copy it yourself'}
      </Button>
      <span class="sr-only" role="status">
        {outcome === 'copied' ? 'Copied' : ''}
      </span>
    </>
  );
}

export interface CopyProps {
  readonly text: string;
  /** What it is, for who cannot see it and on its copy button. */
  readonly label: string;
}

/** Several lines with a button beside them. */
export const CopyBlock = ({ text, label }: CopyProps) => (
  <div class="copy-block">
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard */}
    <section tabIndex={0} aria-label={label}>
      <pre>{text}</pre>
    </section>
    <CopyButton text={text} label={`Copy ${label}`} />
  </div>
);

/** In a line: the text itself is pressed. */
export function CopyText({ text, label }: CopyProps) {
  const { outcome, copy } = useCopy(text);
  return (
    <button type="button" class="copy-text mono" title={`Copy ${label}`} onClick={copy}>
      <span class="sr-only">Copy {label} </span>
      {text}
      <span class="said" role="status">
        {outcome === 'copied' && ' copied'}
      </span>
    </button>
  );
}
