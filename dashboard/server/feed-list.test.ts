// Long lists of several feeds: their order, how far back they are whole, pages that a filter leaves empty, and what comes later.

import { expect, test } from 'vitest';
import { Refused } from './ask.ts';
import { type Feed, FeedList } from './feed-list.ts';

interface Row {
  readonly id: string;
  readonly at: number;
  readonly word?: string;
}

/** A server with these rows, the newest first; what `shows` does not take is read and not shown. */
function server(rows: Row[], size: number, shows: (row: Row) => boolean = () => true) {
  let asked = 0;
  const feed: Feed<Row> = async (before) => {
    asked += 1;
    const from = before === undefined ? 0 : rows.findIndex(({ id }) => id === before) + 1;
    const page = rows.slice(from, from + size);
    const last = page.at(-1);
    return {
      ...{ rows: page.filter(shows), newestAt: page[0]?.at, oldestAt: last?.at },
      next: page.length === size ? last?.id : undefined,
    };
  };
  return { feed, rows, asked: () => asked };
}

const rowsAt = (letter: string, ...times: readonly number[]): Row[] =>
  times.map((at) => ({ id: `${letter}${at}`, at }));
const ids = (list: FeedList<Row>): string => list.rows.map(({ id }) => id).join(' ');

test('two feeds stand in one order, only as far back as both were read', async () => {
  const [often, seldom] = [server(rowsAt('a', 9, 8, 7, 6), 2), server(rowsAt('b', 8.5, 3), 2)];
  const list = new FeedList([often.feed, seldom.feed]);
  await list.more();
  // The first has been read down to 8 alone: whether it has something between 8 and 3 is not known yet.
  expect(ids(list)).toBe('a9 b8.5 a8');
  await list.more();
  expect(ids(list)).toBe('a9 b8.5 a8 a7 a6');
  await list.more();
  expect(ids(list)).toBe('a9 b8.5 a8 a7 a6 b3');
  await list.more();
  expect(list.isWhole).toBe(true);
});

test('pages that a filter leaves empty are passed, but not without end', async () => {
  const times = Array.from({ length: 100 }, (_, index) => 100 - index);
  const far = server(rowsAt('a', ...times), 2, ({ at }) => at === 85 || at === 1);
  const list = new FeedList([far.feed]);
  await list.more();
  expect(ids(list)).toBe('a85');
  const { asked } = far;
  const before = asked();
  await list.more();
  expect(asked() - before).toBe(10);
  expect(ids(list)).toBe('a85');
  expect(list.horizon).toBeLessThan(85);
  for (let turn = 0; turn < 5; turn += 1) await list.more();
  expect(ids(list)).toBe('a85 a1');
});

test('one of both feeds is one row, made of the two', async () => {
  const trades = server([{ id: 'x', at: 5, word: 'trade' }], 2);
  const refusals = server([{ id: 'x', at: 6, word: 'refusal' }], 2);
  const list = new FeedList([trades.feed, refusals.feed], (first, second) => ({
    ...first,
    word: `${first.word} and ${second.word}`,
  }));
  await list.more();
  expect(list.rows).toEqual([{ id: 'x', at: 5, word: 'trade and refusal' }]);
});

test('what is new comes to the top, what has changed is changed, and what was read stays', async () => {
  const orders = server(rowsAt('a', 5, 4, 3, 2), 2);
  const list = new FeedList([orders.feed]);
  await list.more();
  await list.more();
  orders.rows.unshift({ id: 'a6', at: 6 });
  orders.rows[1] = { id: 'a5', at: 5, word: 'filled' };
  await list.refresh();
  expect(ids(list)).toBe('a6 a5 a4 a3 a2');
  expect(list.rows[1]?.word).toBe('filled');
});

test('where more came than a page holds, the list begins anew instead of having a hole', async () => {
  const orders = server(rowsAt('a', 3, 2, 1), 2);
  const list = new FeedList([orders.feed]);
  await list.more();
  orders.rows.unshift(...rowsAt('a', 9, 8, 7, 6));
  await list.refresh();
  expect(ids(list)).toBe('a9 a8');
  await list.more();
  await list.more();
  await list.more();
  expect(ids(list)).toBe('a9 a8 a7 a6 a3 a2 a1');
});

test('a filter that shows nothing of the newest page does not begin anew', async () => {
  const orders = server(rowsAt('a', 9, 8, 7, 6, 5, 4), 2, ({ at }) => at < 8);
  const list = new FeedList([orders.feed]);
  await list.more();
  await list.refresh();
  expect(ids(list)).toBe('a7 a6');
});

test('a server that refuses is told, and what was read stays', async () => {
  const orders = server(rowsAt('a', 3, 2, 1), 2);
  let isAway = false;
  const feed: Feed<Row> = (before, signal) =>
    isAway ? Promise.reject(new Refused('away', { status: 0 })) : orders.feed(before, signal);
  const list = new FeedList([feed]);
  await list.more();
  isAway = true;
  await list.more();
  expect([ids(list), list.refused?.message]).toEqual(['a3 a2', 'away']);
  isAway = false;
  await list.more();
  expect([ids(list), list.refused]).toEqual(['a3 a2 a1', undefined]);
});

test('more that is asked for during a refresh is not forgotten', async () => {
  const orders = server(rowsAt('a', 4, 3, 2, 1), 2);
  const list = new FeedList([orders.feed]);
  await list.more();
  await Promise.all([list.refresh(), list.more(), list.more()]);
  expect(ids(list)).toBe('a4 a3 a2 a1');
  expect(orders.asked()).toBe(3);
});

test('a list that was left asks for nothing more', async () => {
  const orders = server(rowsAt('a', 3, 2, 1), 2);
  const list = new FeedList([orders.feed]);
  list.leave();
  await list.more();
  expect(orders.asked()).toBe(0);
});

test('asked for more before its first page is there, it reads that page alone', async () => {
  const { feed, asked } = server(rowsAt('a', 9, 8, 7, 6), 2);
  const list = new FeedList([feed]);
  await Promise.all([list.more(), list.more()]);
  expect([ids(list), asked()]).toEqual(['a9 a8', 1]);
  await list.more();
  expect(ids(list)).toBe('a9 a8 a7 a6');
});

test('a list that is only looked at keeps what came since the last look back, and not for ever', async () => {
  const busy = server(rowsAt('a', 2, 1), 100);
  const list = new FeedList([busy.feed]);
  await list.more();
  const come = async (from: number, to: number): Promise<void> => {
    for (let at = from; at < to; at += 50) {
      busy.rows.unshift(...rowsAt('a', ...Array.from({ length: 50 }, (_, index) => at + 49 - index)));
      await list.refresh();
    }
  };
  await come(3, 5_003);
  expect(list.rows).toHaveLength(5_002);
  await come(5_003, 5_053);
  // It begins anew with the newest page; everything else can be read on.
  expect([list.rows.length, list.isWhole]).toEqual([100, false]);
  await list.more();
  expect([list.rows.length, list.rows.at(-1)?.id]).toEqual([200, 'a4853']);
  // Whoever looks back keeps what they have read, however much that is.
  await come(5_053, 10_053);
  expect(list.rows).toHaveLength(5_200);
});
