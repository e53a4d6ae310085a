// What stands where an answer will be: nothing for a moment, then that it is waited for; and why it did not come.

import { useEffect, useState } from 'preact/hooks';
import { Panel } from './panel.tsx';
import { RefusedWords } from './refused.tsx';
import './unanswered.css';

/** Whatever comes sooner than this needs no word about the waiting. */
const QUIET_MS = 1_000;

export interface UnansweredProps {
  /** Of the panel that will be there; a page has none. */
  readonly title?: string;
  readonly refused: { readonly message: string } | undefined;
}

export function Unanswered({ title, refused }: UnansweredProps) {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), QUIET_MS);
    return () => clearTimeout(timer);
  }, []);
  if (refused === undefined && !isSlow) return null;
  const said =
    refused === undefined ? (
      <p class="quiet" role="status">
        Waiting for Signalbox…
      </p>
    ) : (
      <RefusedWords words={refused.message} />
    );
  return title === undefined ? (
    said
  ) : (
    <Panel title={title}>
      <div class="unanswered">{said}</div>
    </Panel>
  );
}
