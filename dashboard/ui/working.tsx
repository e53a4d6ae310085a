// Work that takes its time: what is done, for how long already, and how to end it.

import { useEffect, useState } from 'preact/hooks';
import { Button } from './button.tsx';
import { useLasting } from './use-lasting.ts';
import './working.css';

interface WorkingProps {
  readonly words: string;
  /** How much of it is done, from 0 to 1; undefined where nobody knows. */
  readonly share?: number | undefined;
  /** Where it can be ended. */
  readonly onStop?: () => void;
}

export function Working({ words, share, onStop }: WorkingProps) {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const begunMs = Date.now();
    const timer = setInterval(() => setSeconds(Math.floor((Date.now() - begunMs) / 1_000)), 1_000);
    return () => clearInterval(timer);
  }, []);
  if (!useLasting(true)) return null;
  return (
    <span class="working">
      <span role="status">{words}…</span>
      {share !== undefined && <progress aria-label={words} max={1} value={share} />}
      <span class="mono">{share === undefined ? `${seconds} s` : shareWords(share, seconds)}</span>
      {onStop !== undefined && (
        <Button isSmall label={`Stop: ${words}`} onClick={onStop}>
          Stop
        </Button>
      )}
    </span>
  );
}

/** `40 %, about 6 s left`; after a second or two nobody can tell how long the rest takes. */
function shareWords(share: number, seconds: number): string {
  const done = `${Math.floor(share * 100)} %`;
  return seconds < 2 || share === 0 ? done : `${done}, about ${Math.ceil((seconds * (1 - share)) / share)} s left`;
}
