// How wide the window is, for what a stylesheet cannot decide alone.

import { useEffect, useState } from 'preact/hooks';

/** Tables become cards. */
export const NARROW = '(max-width: 640px)';
/** A long table has no room for its columns beside the rail. */
export const RATHER_NARROW = '(max-width: 1000px)';
/** Columns that are not needed most are left out. */
export const MEDIUM = '(max-width: 1100px)';

export function useMedia(query: string): boolean {
  const [holds, setHolds] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const follow = (): void => setHolds(media.matches);
    follow();
    media.addEventListener('change', follow);
    return () => media.removeEventListener('change', follow);
  }, [query]);
  return holds;
}
