// Makes waiting cheap in tests: pauses and deadlines pass at once, but never before the disk has done what it was asked.

import { createHandClock, type HandClock } from '../../timing/testing/hand-clock.ts';
import type { Timers } from '../../timing/timers.ts';

const STEP_MS = 50;
/** Two minutes of pretended time; whatever is not done by then hangs. */
const MAX_STEPS = 2400;
/** Turns of the event loop that may pass between the end of one call and the start of the next that follows from it. */
const QUIET_TURNS = 4;

let clock: HandClock = createHandClock(0);

/** For everything under test that waits: its time passes only when a test lets it pass. */
export const pretendedTimers: Timers = { after: (delayMs, work) => clock.timers.after(delayMs, work) };

/** Begins with a new clock: whatever waited by the old one waits for ever, as it does in a process that has died. */
export function hurry(): void {
  clock = createHandClock(0);
}

/** Lets so much pretended time pass. */
export const advance = (ms: number): Promise<void> => clock.advance(ms);

/** Lets a real turn of the event loop pass: messages of other threads arrive in it. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

let callsUnderWay = 0;

/** The same port, but while one of its calls is under way, pretended time stands still. */
export function unhurried<T extends object>(port: T): T {
  return new Proxy(port, {
    get(target, name, receiver) {
      const method = Reflect.get(target, name, receiver);
      if (typeof method !== 'function') return method;
      return async (...args: unknown[]) => {
        callsUnderWay++;
        try {
          return await method.apply(target, args);
        } finally {
          callsUnderWay--;
        }
      };
    },
  });
}

async function becomeQuiet(): Promise<void> {
  for (let quiet = 0; quiet < QUIET_TURNS; quiet++) {
    await turn();
    if (callsUnderWay > 0) quiet = -1;
  }
}

/** Lets pretended time pass until the condition holds. */
export async function passTimeUntil(done: () => boolean | Promise<boolean>): Promise<void> {
  for (let step = 0; step < MAX_STEPS; step++) {
    await becomeQuiet();
    if (await done()) return;
    await clock.advance(STEP_MS);
  }
  throw new Error('it did not happen');
}

/** Lets pretended time pass until the promise is settled. */
export async function passTime<T>(work: Promise<T>): Promise<T> {
  let settled = false;
  const mark = (): void => {
    settled = true;
  };
  work.then(mark, mark);
  await passTimeUntil(() => settled);
  return work;
}
