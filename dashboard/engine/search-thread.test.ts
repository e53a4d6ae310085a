// Tests of one worker of a search: patience for each question, and what becomes of those that were not answered.

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { FromSearchWorker } from './search-messages.ts';
import { SearchThread } from './search-thread.ts';

const QUESTION = { kind: 'try', runs: [] } as const;

/** Answers only when it is told to. */
class SilentWorker {
  onmessage: ((event: { data: FromSearchWorker }) => void) | null = null;
  isEnded = false;
  postMessage(): void {}
  terminate(): void {
    this.isEnded = true;
  }
}

function opened() {
  const worker = new SilentWorker();
  return { worker, thread: new SearchThread({ spawn: () => worker as unknown as Worker, limitMs: 5_000 }) };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('is patient with each question anew', async () => {
  const { worker, thread } = opened();
  for (let turn = 0; turn < 3; turn += 1) {
    const answer = thread.ask(QUESTION);
    await vi.advanceTimersByTimeAsync(4_000);
    worker.onmessage?.({ data: { kind: 'prepared' } });
    expect(await answer).toEqual({ kind: 'prepared' });
  }
  await vi.advanceTimersByTimeAsync(60_000);
  expect([thread.isOver, worker.isEnded]).toEqual([false, false]);
});

it('ends with a question that is not answered in time, and says so to all that wait and come later', async () => {
  const { worker, thread } = opened();
  const answers = Promise.all([thread.ask(QUESTION), thread.ask(QUESTION)]);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await answers).toEqual(new Array(2).fill({ kind: 'fault', message: expect.stringContaining('5 seconds') }));
  expect([thread.isOver, worker.isEnded]).toEqual([true, true]);
  expect(await thread.ask(QUESTION)).toMatchObject({ kind: 'fault' });
});
