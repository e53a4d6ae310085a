// What happens at the desk reaches the page once, in order, and over one connection.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { whenShutOut } from './ask.ts';
import { type DeskEvent, LiveEvents } from './live-events.ts';
import { FakeSocket } from './testing/fake-socket.ts';
import { whenRefreshed } from './use-answer.ts';

const eventAt = (at: number): DeskEvent => ({ cursor: `c${at}`, at, kind: 'trade', text: `event ${at}` });
/** Newest first, as the server tells them. */
const history = (...ats: readonly number[]) => ({ events: ats.map(eventAt), cursor: `c${ats[0] ?? 0}` });

type Answer = ReturnType<typeof history> | 503;
let asked: ((answer: Answer) => void)[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  FakeSocket.made = [];
  asked = [];
  vi.stubGlobal('WebSocket', FakeSocket);
  vi.stubGlobal('location', { origin: 'http://127.0.0.1', href: 'http://127.0.0.1/' });
  // It listens to nobody who gives up, as an answer that is on its way already.
  vi.stubGlobal('fetch', async () => {
    const answer = await new Promise<Answer>((resolve) => asked.push(resolve));
    return answer === 503 ? Response.json({ error: 'away' }, { status: 503 }) : Response.json({ result: answer });
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const answer = async (told: Answer): Promise<void> => {
  asked.shift()?.(told);
  await vi.advanceTimersByTimeAsync(0);
};
const hello = (cursor: string, gap = false): void => {
  FakeSocket.last.open();
  FakeSocket.last.tell({ type: 'hello', cursor, gap });
};
const happens = (at: number): void => FakeSocket.last.tell({ type: 'event', ...eventAt(at) });
const atsOf = ({ events }: LiveEvents): readonly number[] => events.map(({ at }) => at);
const afterOf = ({ address }: FakeSocket): string | null => new URL(address).searchParams.get('after');

/** Connected and live, with two events of the past. */
async function live() {
  const events = new LiveEvents();
  const heard: (number | undefined)[] = [];
  const stop = events.listen((event) => heard.push(event?.at));
  await answer(history(2, 1));
  hello('c2');
  return { events, heard, stop };
}

test('goes on from the history, and from the last event after a loss', async () => {
  const { events, heard } = await live();
  happens(3);
  expect([atsOf(events), heard.filter((at) => at !== undefined), events.isLive]).toEqual([[3, 2, 1], [3], true]);
  FakeSocket.last.cut();
  expect(events.isLive).toBe(false);
  vi.advanceTimersByTime(500);
  expect(FakeSocket.made.map(afterOf)).toEqual(['c2', 'c3']);
  expect(asked).toEqual([]);
});

test.each([
  ['before the history is there', 0],
  ['once it is live', 1],
])('whoever leaves and comes back %s has one connection', async (_, answers) => {
  const events = new LiveEvents();
  const leave = events.listen(() => {});
  for (let told = 0; told < answers; told += 1) await answer(history(1));
  leave();
  events.listen(() => {});
  for (let told = 0; told < 2; told += 1) await answer(history(2, 1));
  vi.advanceTimersByTime(10_000);
  const isOpen = ({ onmessage }: FakeSocket): boolean => onmessage !== null;
  expect(FakeSocket.made.filter(isOpen).map(afterOf)).toEqual(['c2']);
});

test('where some were lost the list is read anew, and what came meanwhile stays on top', async () => {
  const { events } = await live();
  let refreshed = 0;
  const stop = whenRefreshed(() => {
    refreshed += 1;
  });
  FakeSocket.last.tell({ type: 'gap', cursor: 'c50' });
  expect(refreshed).toBe(1);
  happens(51);
  happens(52);
  // The answer was made between the two.
  await answer(history(51, 50, 49));
  expect(atsOf(events)).toEqual([52, 51, 50, 49]);
  stop();
});

test('of two such answers the later question counts, whichever comes first', async () => {
  const { events } = await live();
  FakeSocket.last.tell({ type: 'gap', cursor: 'c5' });
  FakeSocket.last.tell({ type: 'gap', cursor: 'c9' });
  const [first, second] = asked.splice(0);
  second?.(history(9, 8));
  await vi.advanceTimersByTimeAsync(0);
  first?.(history(5, 4));
  await vi.advanceTimersByTimeAsync(0);
  expect(atsOf(events)).toEqual([9, 8]);
});

test('a history that cannot be had is asked for again, at the beginning and after a gap', async () => {
  const events = new LiveEvents();
  const stop = events.listen(() => {});
  for (let tries = 0; tries < 2; tries += 1) {
    await answer(503);
    await vi.advanceTimersByTimeAsync(2_000);
  }
  await answer(history(1));
  hello('c9', true);
  await answer(503);
  await vi.advanceTimersByTimeAsync(2_000);
  await answer(history(9));
  expect(atsOf(events)).toEqual([9]);
  stop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect([asked, vi.getTimerCount()]).toEqual([[], 0]);
});

test('keeps the newest hundred', async () => {
  const { events } = await live();
  for (let at = 3; at <= 130; at += 1) happens(at);
  expect([events.events.length, atsOf(events)[0], atsOf(events).at(-1)]).toEqual([100, 130, 31]);
});

test('a burst of events is one reason to ask again', async () => {
  await live();
  let refreshed = 0;
  const stop = whenRefreshed(() => {
    refreshed += 1;
  });
  for (let at = 3; at < 20; at += 1) happens(at);
  vi.advanceTimersByTime(1_000);
  expect(refreshed).toBe(1);
  stop();
});

test('a connection that only looks open is made again', async () => {
  const { events } = await live();
  for (let beats = 0; beats < 3; beats += 1) {
    vi.advanceTimersByTime(15_000);
    FakeSocket.last.tell({ type: 'pong' });
  }
  expect(events.isLive).toBe(true);
  vi.advanceTimersByTime(30_500);
  expect([events.isLive, FakeSocket.made.map(afterOf)]).toEqual([false, ['c2', 'c2']]);
});

test('the end of the session is told to the page', async () => {
  let shut = 0;
  const stop = whenShutOut(() => {
    shut += 1;
  });
  await live();
  FakeSocket.last.cut(4401);
  expect(shut).toBe(1);
  stop();
});

test('nothing stays for whoever logs in next', async () => {
  const { events, stop } = await live();
  stop();
  expect([events.events, events.isLive]).toEqual([[], false]);
});
