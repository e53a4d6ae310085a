// A connection is made again when it is lost, whether anybody said so or not, and never twice at a time.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LastingSocket } from './lasting-socket.ts';
import { FakeSocket } from './testing/fake-socket.ts';

beforeEach(() => {
  vi.useFakeTimers();
  FakeSocket.made = [];
  vi.stubGlobal('WebSocket', FakeSocket);
  vi.stubGlobal('location', { origin: 'https://box.example' });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function openSocket() {
  const said: unknown[] = [];
  const socket = new LastingSocket({
    path: () => `/events?after=${said.length}`,
    onOpen: () => said.push('open'),
    onFrame: (frame) => said.push(frame),
    onLost: (code) => said.push(['lost', code]),
  });
  return { socket, said };
}

const PONG = { type: 'pong' };

test('goes on from where it was, over the page’s own origin', () => {
  const { said } = openSocket();
  FakeSocket.last.open();
  FakeSocket.last.tell({ a: 1 });
  FakeSocket.last.cut(4401);
  expect(said).toEqual(['open', { a: 1 }, ['lost', 4401]]);
  vi.advanceTimersByTime(500);
  expect(FakeSocket.made.map(({ address }) => address)).toEqual([
    'wss://box.example/events?after=0',
    'wss://box.example/events?after=3',
  ]);
});

test('one that only looks open is given up after a ping without an answer', () => {
  const { said } = openSocket();
  const first = FakeSocket.last;
  first.open();
  for (let minute = 0; minute < 4; minute += 1) {
    vi.advanceTimersByTime(15_000);
    first.tell(PONG);
  }
  expect(first.sent).toEqual(Array(4).fill('{"action":"ping"}'));
  expect(said.filter((each) => each !== 'open')).toEqual(Array(4).fill(PONG));
  // From here on nothing comes, and nobody closes it.
  vi.advanceTimersByTime(30_000);
  expect([said.at(-1), first.closed]).toEqual([['lost', undefined], 1]);
  vi.advanceTimersByTime(500);
  expect(FakeSocket.made).toHaveLength(2);
  // Whatever the first one still says is of no interest.
  const heard = said.length;
  first.tell({ late: true });
  first.cut();
  vi.advanceTimersByTime(10_000);
  expect([said.length, FakeSocket.made.length]).toEqual([heard, 2]);
});

test('one that never comes about is given up, too', () => {
  const { said } = openSocket();
  vi.advanceTimersByTime(15_500);
  expect([said, FakeSocket.made.length]).toEqual([[['lost', undefined]], 2]);
});

test('waits twice as long each time, and briefly again once the server has spoken', () => {
  openSocket();
  const waitsMs: number[] = [];
  for (let tries = 0; tries < 6; tries += 1) {
    const { length } = FakeSocket.made;
    // To be let in and thrown out at once is no success.
    FakeSocket.last.open();
    FakeSocket.last.cut();
    let waitedMs = 0;
    for (; FakeSocket.made.length === length; waitedMs += 500) vi.advanceTimersByTime(500);
    waitsMs.push(waitedMs);
  }
  expect(waitsMs).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000]);
  FakeSocket.last.open();
  FakeSocket.last.tell(PONG);
  FakeSocket.last.cut();
  const { length } = FakeSocket.made;
  vi.advanceTimersByTime(500);
  expect(FakeSocket.made).toHaveLength(length + 1);
});

test('nothing comes of it any more once it is closed', () => {
  const { socket, said } = openSocket();
  const [first] = FakeSocket.made;
  // A browser complains of one that is shut before it stood.
  socket.close();
  expect(first?.closed).toBe(0);
  first?.open();
  expect([first?.closed, said]).toEqual([1, []]);
  first?.cut();
  vi.advanceTimersByTime(60_000);
  expect([FakeSocket.made.length, said, vi.getTimerCount()]).toEqual([1, [], 0]);
});
