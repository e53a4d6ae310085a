// The pages and their places behind the hash: /#/trades/ID. Paths without it belong to the API.

import { useEffect, useState } from 'preact/hooks';

export interface Place {
  /** The page's word. */
  readonly page: string;
  /** What stands behind it, such as the id of a trade. */
  readonly rest: readonly string[];
  readonly query: URLSearchParams;
}

/** Reads what stands behind the hash; nothing there is the first page. */
export function placeOf(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [page = '', ...rest] = path
    .split('/')
    .filter((word) => word !== '')
    .map(decoded);
  return { page: page === '' ? 'overview' : page, rest, query: new URLSearchParams(query) };
}

function decoded(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    // A broken link still leads to its page.
    return word;
  }
}

export const linkTo = (page: string, ...rest: readonly string[]): string =>
  `#/${[page, ...rest].map(encodeURIComponent).join('/')}`;

export function usePlace(): Place {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const follow = (): void => setHash(location.hash);
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return placeOf(hash);
}
