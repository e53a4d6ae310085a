// Whether something has been so for long enough to be worth a word: what is over at once would only flicker.

import { useEffect, useState } from 'preact/hooks';

/** Whatever comes sooner than this needs no word about the waiting. */
export const QUIET_MS = 150;

export function useLasting(isSo: boolean): boolean {
  const [hasLasted, setLasted] = useState(false);
  useEffect(() => {
    setLasted(false);
    if (!isSo) return;
    const timer = setTimeout(() => setLasted(true), QUIET_MS);
    return () => clearTimeout(timer);
  }, [isSo]);
  return isSo && hasLasted;
}
