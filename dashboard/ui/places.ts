// The pages and their places behind the hash: /#/trades/ID. Paths without it belong to the API.

import { useLayoutEffect, useState } from 'preact/hooks';

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

/** Where the overview says how Signalbox runs. */
export const HOW_IT_RUNS = '#/overview?see=how-it-runs';

/** The same place with other words behind the question mark; an undefined one is taken away. */
export function linkWith({ page, rest, query }: Place, changes: Readonly<Record<string, string | undefined>>): string {
  const changed = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) changed.delete(name);
    else changed.set(name, value);
  }
  return `${linkTo(page, ...rest)}${changed.size === 0 ? '' : `?${changed}`}`;
}

/** Goes there without a step in the history: what is opened and shut again is no place to go back to. */
export function turnTo(link: string): void {
  location.replace(link);
}

export function usePlace(): Place {
  const [hash, setHash] = useState(location.hash);
  // Before the picture is drawn, as everything that listens: a link that is followed at once would be missed.
  useLayoutEffect(() => {
    const follow = (): void => setHash(location.hash);
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return placeOf(hash);
}
