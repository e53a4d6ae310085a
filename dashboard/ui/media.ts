// How wide the window is, for what a stylesheet cannot decide alone.

import { useLayoutEffect, useState } from 'preact/hooks';

/** Tables become cards. */
export const NARROW = '(max-width: 640px)';

export function useMedia(query: string): boolean {
  const [holds, setHolds] = useState(() => matchMedia(query).matches);
  useLayoutEffect(() => {
    const media = matchMedia(query);
    const follow = (): void => setHolds(media.matches);
    follow();
    media.addEventListener('change', follow);
    return () => media.removeEventListener('change', follow);
  }, [query]);
  return holds;
}
