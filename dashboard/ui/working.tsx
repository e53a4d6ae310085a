// Work that takes its time: what is done, for how long already, and how to end it.

import { useEffect, useState } from 'preact/hooks';
import { Button } from './button.tsx';
import { useLasting } from './use-lasting.ts';
import './working.css';

interface WorkingProps {
  readonly words: string;
  /** Where it can be ended. */
  readonly onStop?: () => void;
}

export function Working({ words, onStop }: WorkingProps) {
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
      <span class="mono">{seconds} s</span>
      {onStop !== undefined && (
        <Button isSmall label={`Stop: ${words}`} onClick={onStop}>
          Stop
        </Button>
      )}
    </span>
  );
}
