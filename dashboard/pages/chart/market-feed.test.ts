// The bars of a chart: loaded page by page with numbers, stopped on the way; every bar is there again after a lost connection.

import { afterEach, expect, test, vi } from 'vitest';
import { type FeedState, MarketFeed } from './market-feed.ts';

class FakeSocket {
  static readonly OPEN = 1;
  static last: FakeSocket;
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: (() => void) | null = null;

  constructor() {
    FakeSocket.last = this;
  }

  close(): void {}

  tell(time: number): void {
    this.onmessage?.({ data: JSON.stringify({ type: 'kline', bar: barAt(time) }) });
  }
}

const barAt = (time: number) => ({ time, open: 1, high: 1, low: 1, close: 1, volume: 1, closed: true });

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Each question for bars waits until it is answered, or refused with a status. */
function openFeed() {
  vi.useFakeTimers();
  const asked: ((answer: readonly number[] | 503) => void)[] = [];
  const queries: string[] = [];
  const states: FeedState[] = [];
  vi.stubGlobal('WebSocket', FakeSocket);
  vi.stubGlobal('location', { origin: 'http://127.0.0.1' });
  vi.stubGlobal('fetch', async (path: string, { signal }: { signal: AbortSignal }) => {
    queries.push(path.replace('/bars?symbol=A&timeframe=1m&', ''));
    const answer = await new Promise<readonly number[] | 503>((resolve, reject) => {
      asked.push(resolve);
      signal.addEventListener('abort', () => reject(signal.reason));
    });
    if (answer === 503) return Response.json({ error: 'away', code: 'UNAVAILABLE' }, { status: 503 });
    return Response.json({ result: { bars: answer.map(barAt), gaps: [], source: 'simulated' } });
  });
  const ignore = () => {};
  const feed = new MarketFeed({
    ...{ symbol: 'A', timeframe: '1m', onBars: ignore, onPast: ignore, onLast: ignore },
    onState: (state) => void states.push(state),
  });
  const answer = async (bars: readonly number[] | 503): Promise<void> => {
    await vi.advanceTimersByTimeAsync(2_000);
    asked.shift()?.(bars);
    await vi.advanceTimersByTimeAsync(0);
  };
  const times = () => Array.from({ length: feed.bars.count }, (_, at) => feed.bars.at(at)?.time);
  const counts = () => states.flatMap(({ loading }) => (loading === undefined ? [] : [loading.count]));
  return { feed, answer, times, queries, states, counts };
}

test.each([
  ['at once', []],
  ['after it was away', [503, 503]],
] as const)('whose missed bars are told %s', async (_, before) => {
  const { answer, times } = openFeed();
  await answer([1, 2]);
  await answer([]);
  FakeSocket.last.onopen?.();
  FakeSocket.last.tell(5);
  expect(times()).toEqual([1, 2]);
  for (const refusal of before) await answer(refusal);
  await answer([2, 3, 4]);
  expect(times()).toEqual([1, 2, 3, 4, 5]);
  FakeSocket.last.tell(6);
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

test('a page that fails on the way leaves the chart to be tried again', async () => {
  const { answer, times, states } = openFeed();
  await answer(newest);
  await answer(503);
  expect(states.at(-1)).toMatchObject({ status: 'lost', reason: 'away' });
  for (const page of [newest, older, oldest]) await answer(page);
  expect(times()).toHaveLength(6);
  expect(states.at(-1)?.status).toBe('live');
});
