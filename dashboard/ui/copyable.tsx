// A text that is copied with one press: an id, a template, a line for the terminal.

import { useState } from 'preact/hooks';
import './copyable.css';
import { Button } from './button.tsx';
import { toClipboard } from './copy.tsx';

const SAID_MS = 2_000;

export function useCopy(text: string): { readonly isCopied: boolean; readonly copy: () => void } {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    if (!(await toClipboard(text))) return;
    setCopied(true);
    setTimeout(() => setCopied(false), SAID_MS);
  };
  return { isCopied, copy: () => void copy() };
}

/** In a line: the text itself is pressed. */
export function CopyableId({ text, what }: { readonly text: string; readonly what: string }) {
  const { isCopied, copy } = useCopy(text);
  return (
    <button type="button" class="copyable-id mono" title={`Copy ${what}`} onClick={copy}>
      <span class="sr-only">Copy {what} </span>
      {text}
      <span class="said" role="status">
        {isCopied && ' copied'}
      </span>
    </button>
  );
}

/** Several lines with a button above them. */
export function CopyableBlock({ text, what }: { readonly text: string; readonly what: string }) {
  const { isCopied, copy } = useCopy(text);
  return (
    <div class="copyable-block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <pre tabIndex={0}>{text}</pre>
      <Button isSmall {...(!isCopied && { label: `Copy ${what}` })} onClick={copy}>
        {isCopied ? 'Copied' : 'Copy'}
      </Button>
    </div>
  );
}
