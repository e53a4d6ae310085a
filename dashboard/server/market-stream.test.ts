// Bars of one market as they come, and whether they come.

import { afterEach, expect, test, vi } from 'vitest';
import { MarketStream } from './market-stream.ts';
import { FakeSocket } from './testing/fake-socket.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('bars are told, other frames are not, and a chart hears that they no longer come', () => {
  vi.useFakeTimers();
  FakeSocket.made = [];
  vi.stubGlobal('WebSocket', FakeSocket);
  vi.stubGlobal('location', { origin: 'http://127.0.0.1' });
  const heard: unknown[] = [];
  const stream = new MarketStream({
    ...{ symbol: 'A/B', interval: '1h' },
    onBar: ({ time }) => heard.push(time),
    onState: (state) => heard.push(state),
  });
  const socket = FakeSocket.last;
  expect(socket.address).toBe('ws://127.0.0.1/api/stream?symbol=A%2FB&interval=1h');
  socket.open();
  socket.tell({ type: 'status', state: 'subscribed' });
  socket.tell({ type: 'kline', bar: { time: 1 } });
  expect(heard).toEqual(['open', 1]);
  // A quiet market says nothing; a server that is there answers a ping.
  vi.advanceTimersByTime(15_000);
  socket.tell({ type: 'pong' });
  vi.advanceTimersByTime(15_000);
  expect(heard).toEqual(['open', 1]);
  vi.advanceTimersByTime(15_000);
  expect(heard).toEqual(['open', 1, 'lost']);
  vi.advanceTimersByTime(500);
  FakeSocket.last.open();
  stream.close();
  expect([heard, FakeSocket.last.closed]).toEqual([['open', 1, 'lost', 'open'], 1]);
});
