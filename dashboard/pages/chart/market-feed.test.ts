// A chart whose connection was lost has every bar again: live ones that come first wait for those that were missed.

import { afterEach, expect, test, vi } from 'vitest';
import { MarketFeed } from './market-feed.ts';

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
  vi.stubGlobal('WebSocket', FakeSocket);
  vi.stubGlobal('location', { origin: 'http://127.0.0.1' });
  vi.stubGlobal('fetch', async () => {
    const answer = await new Promise<readonly number[] | 503>((resolve) => asked.push(resolve));
    if (answer === 503) return Response.json({ error: 'away', code: 'UNAVAILABLE' }, { status: 503 });
    return Response.json({ result: { bars: answer.map(barAt), source: 'simulated' } });
  });
  const ignore = () => {};
  const feed = new MarketFeed({
    ...{ symbol: 'A', timeframe: '1m', onState: ignore, onBars: ignore, onPast: ignore, onLast: ignore },
  });
  const answer = async (bars: readonly number[] | 503): Promise<void> => {
    await vi.advanceTimersByTimeAsync(2_000);
    asked.shift()?.(bars);
    await vi.advanceTimersByTimeAsync(0);
  };
  const times = () => Array.from({ length: feed.bars.count }, (_, at) => feed.bars.at(at)?.time);
  return { answer, times };
}

test.each([
  ['at once', []],
  ['after it was away', [503, 503]],
] as const)('whose missed bars are told %s', async (_, before) => {
  const { answer, times } = openFeed();
  await answer([1, 2]);
  FakeSocket.last.onopen?.();
  FakeSocket.last.tell(5);
  expect(times()).toEqual([1, 2]);
  for (const refusal of before) await answer(refusal);
  await answer([2, 3, 4]);
  expect(times()).toEqual([1, 2, 3, 4, 5]);
  FakeSocket.last.tell(6);
  expect(times()).toEqual([1, 2, 3, 4, 5, 6]);
});
