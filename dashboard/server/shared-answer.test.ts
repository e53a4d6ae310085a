// One answer for all that show it: asked for while somebody looks, one question at a time, and never older than the last event.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SharedAnswer } from './shared-answer.ts';

type Told = object | { readonly refused: string };
let asked: { readonly tell: (answer: Told) => void; readonly signal: AbortSignal }[] = [];
let page: EventTarget & { hidden: boolean };

beforeEach(() => {
  vi.useFakeTimers();
  asked = [];
  page = Object.assign(new EventTarget(), { hidden: false });
  vi.stubGlobal('document', page);
  vi.stubGlobal('fetch', async (_: string, { signal }: { signal: AbortSignal }) => {
    const told = await new Promise<Told>((tell, reject) => {
      asked.push({ tell, signal });
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
    return 'refused' in told ? Response.json({ error: told.refused }, { status: 503 }) : Response.json(told);
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const EVERY_MS = 5_000;

/** Answers the question that was asked last. */
const answer = async (told: Told): Promise<void> => {
  asked.at(-1)?.tell(told);
  await vi.advanceTimersByTimeAsync(0);
};

function show(shared = new SharedAnswer<{ n: number }>('/a', EVERY_MS)) {
  let turns = 0;
  const leave = shared.show(() => {
    turns += 1;
  });
  return { shared, leave, turns: () => turns };
}

test('is asked for once for all that show it, and told to each', async () => {
  const { shared, turns } = show();
  const other = show(shared);
  await answer({ n: 1 });
  expect([asked.length, shared.shown, turns(), other.turns()]).toEqual([
    ...[1, { answer: { n: 1 }, refused: undefined }, 1, 1],
  ]);
});

test('is asked for again every so often while the page is in view, and at once when it comes into view', async () => {
  show();
  await answer({ n: 1 });
  await vi.advanceTimersByTimeAsync(EVERY_MS);
  expect(asked).toHaveLength(2);
  await answer({ n: 2 });
  page.hidden = true;
  await vi.advanceTimersByTimeAsync(10 * EVERY_MS);
  expect(asked).toHaveLength(2);
  page.hidden = false;
  page.dispatchEvent(new Event('visibilitychange'));
  expect(asked).toHaveLength(3);
});

test('what happens while an answer is on its way is asked about after it, once', async () => {
  const { shared } = show();
  for (let events = 0; events < 3; events += 1) shared.refresh();
  expect(asked).toHaveLength(1);
  await answer({ n: 1 });
  expect([asked.length, shared.shown.answer]).toEqual([2, { n: 1 }]);
  await answer({ n: 2 });
  expect([asked.length, shared.shown.answer]).toEqual([2, { n: 2 }]);
});

test('a refusal is told beside the answer before it, and is gone with the next answer', async () => {
  const { shared } = show();
  await answer({ n: 1 });
  shared.refresh();
  await answer({ refused: 'the disk is full' });
  expect(shared.shown).toMatchObject({ answer: { n: 1 }, refused: { message: 'the disk is full' } });
  shared.refresh();
  await answer({ n: 2 });
  expect(shared.shown).toEqual({ answer: { n: 2 }, refused: undefined });
});

test('a server that never answers is told, and asked again', async () => {
  const { shared } = show();
  await vi.advanceTimersByTimeAsync(20_000);
  expect(shared.shown.refused?.message).toBe('Signalbox did not answer within 20 seconds.');
  await vi.advanceTimersByTimeAsync(EVERY_MS);
  expect(asked).toHaveLength(2);
});

test('nobody is told, and nothing asked, after the last has left; the answer stays for whoever comes back', async () => {
  const { shared, leave, turns } = show();
  await answer({ n: 1 });
  shared.refresh();
  leave();
  expect(asked.at(-1)?.signal.aborted).toBe(true);
  await answer({ n: 2 });
  shared.refresh();
  await vi.advanceTimersByTimeAsync(10 * EVERY_MS);
  expect([asked.length, turns(), shared.shown.answer, vi.getTimerCount()]).toEqual([2, 1, { n: 1 }, 0]);
  show(shared);
  expect([asked.length, shared.shown.answer]).toEqual([3, { n: 1 }]);
});
