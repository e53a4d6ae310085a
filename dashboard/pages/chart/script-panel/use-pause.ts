// What is written, delivered after a short pause of the writer, and at the latest when the place where it is written closes.

import { useEffect, useRef } from 'preact/hooks';

/** Long enough that a word is one run of the script, short enough to be felt as at once. */
const PAUSE_MS = 300;

export function usePause(deliver: (text: string) => void): (text: string) => void {
  const latest = useRef(deliver);
  latest.current = deliver;
  const held = useRef<{ readonly text: string; readonly timer: ReturnType<typeof setTimeout> } | undefined>(undefined);
  const release = (): void => {
    if (held.current === undefined) return;
    const { text, timer } = held.current;
    clearTimeout(timer);
    held.current = undefined;
    latest.current(text);
  };
  useEffect(() => release, []);
  return (text) => {
    clearTimeout(held.current?.timer);
    held.current = { text, timer: setTimeout(release, PAUSE_MS) };
  };
}
