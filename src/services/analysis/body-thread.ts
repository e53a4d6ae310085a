// The file of the thread that reads large bodies: plain rows of bars leave it as columns, anything else goes back unread.

import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { Refusal } from '../../http/errors.ts';
import { BarRows } from './bar-rows.ts';
import type { BodyAnswer, PlacedRows } from './body-messages.ts';
import { readSteps } from './sliced-json.ts';

if (parentPort === null) throw new Error('body-thread.ts runs as a thread only');
const port = parentPort;

/** Trades go first, as before scripts. */
const NICENESS = 15;
// Only Linux has a priority for each thread; elsewhere this would slow the whole process down.
if (process.platform === 'linux') setPriority(0, NICENESS);

/** Whatever is handed over but for columns is copied on the event loop: this many items take a fraction of a millisecond. */
const MOST_ITEMS = 1000;

function readWhole(bytes: Uint8Array): unknown {
  const steps = readSteps(bytes);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Takes the rows out of what is below, each with its place; undefined when there is more in it than should be copied. */
function takeRows(top: Record<string, unknown>): PlacedRows[] | undefined {
  const found: PlacedRows[] = [];
  let items = 0;
  const walk = (holder: Record<string, unknown>, path: readonly string[]): void => {
    for (const key of Object.keys(holder)) {
      const value = holder[key];
      items += 1;
      if (value instanceof BarRows) {
        found.push({ path: [...path, key], columns: value.columns() });
        // Not by assignment: a key named __proto__ would change the object instead.
        Object.defineProperty(holder, key, { value: null, enumerable: true, writable: true, configurable: true });
      } else if (typeof value === 'object' && value !== null && items <= MOST_ITEMS)
        walk(value as Record<string, unknown>, [...path, key]);
    }
  };
  walk(top, []);
  return items > MOST_ITEMS ? undefined : found;
}

function answerTo(bytes: Uint8Array): BodyAnswer {
  try {
    const top = { root: readWhole(bytes) };
    const rows = takeRows(top);
    return rows === undefined ? { kind: 'unread', bytes } : { kind: 'read', top, rows };
  } catch (fault) {
    // The words of a refusal depend on more than its message, and there is time: who is refused reads it on the loop again.
    if (fault instanceof Refusal) return { kind: 'unread', bytes };
    throw fault;
  }
}

/** In memory of its own, because it may be handed back. */
function wholeOf(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

const buffersOf = (answer: BodyAnswer): ArrayBuffer[] =>
  answer.kind === 'unread'
    ? [answer.bytes.buffer as ArrayBuffer]
    : answer.rows.flatMap(({ columns: { time, open, high, low, close, volume } }) =>
        [time, open, high, low, close, volume].map(({ buffer }) => buffer as ArrayBuffer),
      );

port.on('message', (pieces: readonly Uint8Array[]) => {
  const answer = answerTo(wholeOf(pieces));
  port.postMessage(answer, buffersOf(answer));
});
