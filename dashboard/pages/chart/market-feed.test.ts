// The bars of a chart: loaded page by page with numbers, stopped on the way; every bar is there again after a lost connection, and
// nothing happens once the chart was left.

import { afterEach, expect, test, vi } from 'vitest';
import { FakeSocket } from '../../server/testing/fake-socket.ts';
import { type FeedState, MarketFeed } from './market-feed.ts';

/** Bars at these moments, a refusal with this status, or a page with more to say. */
type Answer = readonly number[] | number | Page;
interface Page {
  readonly times?: readonly number[];
  readonly gaps?: readonly object[];
  readonly next?: number;
}
const isTimes = (answer: readonly number[] | Page): answer is readonly number[] => Array.isArray(answer);

const barAt = (time: number) => ({ time, open: 1, high: 1, low: 1, close: 1, volume: 1, closed: true });
const tell = (time: number): void => FakeSocket.last.tell({ type: 'kline', bar: barAt(time) });
/** A page without bars, because nobody traded. */
const gap = (from: number) => ({ gaps: [{ from, to: from + 500, bars: 500 }] });

afterEach(() => {
  FakeSocket.made = [];
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Each question for bars waits until it is answered, or refused with a status. */
function openFeed() {
  vi.useFakeTimers();
  const asked: ((answer: Answer) => void)[] = [];
  const queries: string[] = [];
  const states: FeedState[] = [];
  const told: number[] = [];
  vi.stubGlobal('WebSocket', FakeSocket);
  vi.stubGlobal('location', { origin: 'http://127.0.0.1' });
  vi.stubGlobal('fetch', async (path: string, { signal }: { signal: AbortSignal }) => {
    queries.push(path.replace('/bars?symbol=A&timeframe=1m&', ''));
    signal.throwIfAborted();
    const answer = await new Promise<Answer>((resolve, reject) => {
      asked.push(resolve);
      signal.addEventListener('abort', () => reject(signal.reason));
    });
    if (typeof answer === 'number') return Response.json({ error: 'away', code: 'UNAVAILABLE' }, { status: answer });
    const { times = [], ...page } = isTimes(answer) ? { times: answer } : answer;
    const bars = times.map(barAt);
    return Response.json({ result: { bars, gaps: [], next: null, source: 'simulated', ...page } });
  });
  const ignore = () => {};
  const feed = new MarketFeed({
    ...{ symbol: 'A', timeframe: '1m', onBars: ignore, onPast: ignore },
    onLast: ({ time }) => void told.push(time),
    onState: (state) => void states.push(state),
  });
  const answer = async (bars: Answer): Promise<void> => {
    await vi.advanceTimersByTimeAsync(2_000);
    asked.shift()?.(bars);
    await vi.advanceTimersByTimeAsync(0);
  };
  const times = () => Array.from({ length: feed.bars.count }, (_, at) => feed.bars.at(at)?.time);
  const counts = () => states.flatMap(({ loading }) => (loading === undefined ? [] : [loading.count]));
  /** The first bars are there, and it listens. */
  const begin = async (bars: readonly number[]): Promise<void> => {
    for (const page of [bars, gap(-500), gap(-1_000)]) await answer(page);
    FakeSocket.last.open();
  };
  return { feed, begin, answer, times, queries, states, counts, told };
}

test.each([
  ['at once', []],
  ['after it was away', [503, 503]],
] as const)('whose missed bars are told %s', async (_, before) => {
  const { begin, answer, times } = openFeed();
  await begin([1, 2]);
  tell(5);
  expect(times()).toEqual([1, 2]);
  for (const refusal of before) await answer(refusal);
  await answer([2, 3, 4]);
  expect(times()).toEqual([1, 2, 3, 4, 5]);
  tell(6);
  expect(times()).toEqual([1, 2, 3, 4, 5, 6]);
});

const newest = [1_500, 1_501];
const older = [1_000, 1_001];
const oldest = [500, 501];

test('the first bars come page by page, told with numbers, and are shown when all are there', async () => {
  const { answer, times, queries, states, counts } = openFeed();
  await answer(newest);
  await answer(older);
  expect(times()).toEqual([]);
  expect(states.at(-1)).toEqual({ status: 'loading', loading: { count: 1_000, of: 1_500 } });
  await answer(oldest);
  expect(times()).toEqual([...oldest, ...older, ...newest]);
  expect(queries).toEqual(['limit=500', 'limit=500&to=1500', 'limit=500&to=1000']);
  expect(counts()).toEqual([0, 500, 1_000]);
  expect(states.at(-1)).toEqual({ status: 'live', source: 'simulated' });
});

test('older bars are told with numbers too; stopped, those that have come are shown and the others are asked for later', async () => {
  const { feed, answer, times, queries, states } = openFeed();
  for (const page of [newest, older, oldest]) await answer(page);
  feed.stopLoading();
  const past = feed.loadPast();
  feed.stopLoading();
  await answer([400, 401]);
  expect(states.at(-1)).toMatchObject({ status: 'live', loading: { count: 500, of: 2_500 } });
  feed.stopLoading();
  await past;
  expect(times()).toEqual([400, 401, ...oldest, ...older, ...newest]);
  expect(states.at(-1)?.loading).toBeUndefined();
  void feed.loadPast();
  expect(queries.slice(-2)).toEqual(['limit=500&to=400', 'limit=500&to=400']);
});

test('a first page that fails leaves the chart to be tried again', async () => {
  const { answer, times, states } = openFeed();
  await answer(503);
  expect(states.at(-1)).toEqual({ status: 'lost', reason: 'away' });
  for (const page of [newest, older, oldest]) await answer(page);
  expect(times()).toHaveLength(6);
  expect(states.at(-1)).toEqual({ status: 'live', source: 'simulated' });
});

// An exchange that always refuses its third page would never show a chart, if those that came before it were thrown away.
test.each([503, 400])('a later page that fails with %i leaves what came before it, as Stop does', async (status) => {
  const { feed, answer, times, queries, states } = openFeed();
  for (const page of [newest, older, status]) await answer(page);
  expect(times()).toEqual([...older, ...newest]);
  expect(states.at(-1)).toEqual({ status: 'live', source: 'simulated' });
  const past = feed.loadPast();
  for (const page of [oldest, status]) await answer(page);
  await past;
  expect(times()).toEqual([...oldest, ...older, ...newest]);
  void feed.loadPast();
  expect(queries.at(-1)).toBe('limit=500&to=500');
});

test('where nobody traded for long, older bars are asked for from before that, until the beginning of time', async () => {
  const { feed, answer, times, queries } = openFeed();
  for (const page of [[9_000], [8_000], [7_000]]) await answer(page);
  const load = async (...pages: readonly Answer[]): Promise<void> => {
    const past = feed.loadPast();
    for (const page of pages) await answer(page);
    await past;
  };
  await load(...[6_500, 6_000, 5_500, 5_000, 4_500].map(gap));
  expect(times()).toEqual([7_000, 8_000, 9_000]);
  await load([4_000], []);
  expect(queries.at(-2)).toBe('limit=500&to=4500');
  expect(times()).toEqual([4_000, 7_000, 8_000, 9_000]);
  await load();
  expect(queries.at(-1)).toBe('limit=500&to=4000');
});

test('before the first bar of a market it does not ask an exchange for ever', async () => {
  const { feed, answer, queries } = openFeed();
  for (const page of [[99_000], [98_000], [97_000]]) await answer(page);
  let startMs = 97_000;
  const back = (): number => {
    startMs -= 500;
    return startMs;
  };
  const load = async (first: Answer): Promise<boolean> => {
    const { length } = queries;
    const past = feed.loadPast();
    if (queries.length === length) return false;
    await answer(first);
    for (let page = 0; page < 4; page += 1) await answer(gap(back()));
    await past;
    return true;
  };
  // A bar between two gaps shows that the market went on.
  for (let times = 0; times < 7; times += 1) await load(gap(back()));
  await load([back()]);
  let loads = 0;
  while (loads < 20 && (await load(gap(back())))) loads += 1;
  expect(loads).toBe(8);
});

test('after a long sleep every missed bar is there, page by page, each told once; one that fails is asked for again', async () => {
  const { begin, answer, times, queries, told } = openFeed();
  await begin([1, 2]);
  await answer({ times: [2, 3, 4], next: 5 });
  await answer({ times: [], next: 7 });
  tell(9);
  expect(times()).toEqual([1, 2, 3, 4]);
  await answer(502);
  await answer({ times: [4, 5, 7], next: 8 });
  await answer([8]);
  expect(times()).toEqual([1, 2, 3, 4, 5, 7, 8, 9]);
  expect(queries.slice(3)).toEqual([2, 5, 7, 4, 8].map((from) => `limit=2500&from=${from}`));
  expect(told).toEqual([4, 7, 8, 9]);
});

test('a connection that is lost again while bars are missed leaves no hole', async () => {
  const { begin, answer, times, states } = openFeed();
  await begin([1, 2]);
  const first = FakeSocket.last;
  first.cut();
  await vi.advanceTimersByTimeAsync(500);
  expect(FakeSocket.last).not.toBe(first);
  expect(states.at(-1)?.status).toBe('lost');
  FakeSocket.last.open();
  await answer([2, 3]);
  tell(5);
  expect(times()).toEqual([1, 2]);
  expect(states.at(-1)?.status).toBe('lost');
  await answer([2, 3, 4]);
  expect(times()).toEqual([1, 2, 3, 4, 5]);
  expect(states.at(-1)?.status).toBe('live');
});

test('while a connection is lost no missed bars are asked for, and once when it is back', async () => {
  const { begin, answer, queries } = openFeed();
  await begin([1, 2]);
  await answer(503);
  const { length } = queries;
  FakeSocket.last.cut();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(queries).toHaveLength(length);
  FakeSocket.last.open();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(queries).toHaveLength(length + 1);
});

test('missed bars that are refused are not asked for again, and why is told', async () => {
  const { begin, answer, times, queries, states } = openFeed();
  await begin([1, 2]);
  const { length } = queries;
  await answer(422);
  expect(states.at(-1)).toMatchObject({ status: 'refused', reason: 'away' });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(queries).toHaveLength(length);
  expect(FakeSocket.made).toHaveLength(1);
  expect(times()).toEqual([1, 2]);
});

test.each<[when: string, before: (opened: ReturnType<typeof openFeed>) => Promise<void>]>([
  ['its first bars come', async () => {}],
  ['it waits to ask for them again', ({ answer }) => answer(503)],
  ['missed bars come', ({ begin }) => begin([1, 2])],
  [
    'it waits to ask for missed bars again',
    async ({ begin, answer }) => {
      await begin([1, 2]);
      await answer(503);
    },
  ],
  [
    'older bars come',
    async ({ begin, answer, feed }) => {
      await begin([1, 2]);
      await answer([2]);
      void feed.loadPast();
    },
  ],
])('a chart that is left while %s does nothing any more', async (_, before) => {
  const opened = openFeed();
  await before(opened);
  const { feed, queries, states, told } = opened;
  const counts = () => [queries.length, states.length, told.length, FakeSocket.made.length];
  const counted = counts();
  feed.close();
  void feed.loadPast();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(counts()).toEqual(counted);
});
