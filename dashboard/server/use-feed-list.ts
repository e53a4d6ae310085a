// A long list for a component: it reads the first page at once, and the newest again while the page is in view.

import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import type { Result } from './answers.ts';
import { ask } from './ask.ts';
import type { Feed, FeedList, FeedRow } from './feed-list.ts';
import { whenRefreshed } from './use-answer.ts';

const EVERY_MS = 5_000;

/** A list for each `name`: another filter is another list. */
export function useFeedList<Row extends FeedRow>(
  name: string,
  make: () => FeedList<Row>,
  everyMs = EVERY_MS,
): FeedList<Row> {
  const list = useMemo(make, [name]);
  const [, setTurn] = useState(0);
  useLayoutEffect(() => {
    const refresh = (): void => {
      if (!document.hidden) void list.refresh();
    };
    const stops = [list.watch(() => setTurn((turn) => turn + 1)), whenRefreshed(refresh)];
    const timer = setInterval(refresh, everyMs);
    document.addEventListener('visibilitychange', refresh);
    void list.more();
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', refresh);
      for (const stop of stops) stop();
      list.leave();
    };
  }, [list]);
  return list;
}

export interface FeedOptions<Item, Row> {
  readonly path: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly limit: number;
  readonly cursorOf: (item: Item) => string;
  readonly atOf: (item: Item) => number;
  /** Undefined where it is not shown. */
  readonly rowOf: (item: Item) => Row | undefined;
}

/** An endpoint that takes `limit` and `before`, as most lists of ours do. */
export const feedOf =
  <Item, Row>({ path, query, limit, cursorOf, atOf, rowOf }: FeedOptions<Item, Row>): Feed<Row> =>
  async (before, signal) => {
    const { result } = await ask<Result<readonly Item[]>>(pathWith(path, { ...query, limit: String(limit), before }), {
      signal,
    });
    const [first, last] = [result[0], result.at(-1)];
    return {
      rows: result.map(rowOf).filter((row) => row !== undefined),
      newestAt: first && atOf(first),
      oldestAt: last && atOf(last),
      next: last !== undefined && result.length === limit ? cursorOf(last) : undefined,
    };
  };

/** What is undefined is left out; an empty text is not: it may mean "without one". */
export function pathWith(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}
