// Makes request ids: version 7 UUIDs that always increase within one process, whatever the clock does.

export interface RequestIdSources {
  nowMs: () => number;
  randomBytes: (size: number) => Uint8Array;
}

/** RFC 9562, method 1: an 18-bit counter fills rand_a and the head of rand_b; the last 56 bits stay random. */
const COUNTER_LIMIT = 2 ** 18;
const COUNTER_LOW_BITS = 6;
const COUNTER_LOW_MASK = 2 ** COUNTER_LOW_BITS - 1;

/**
 * Each fresh millisecond starts the counter in its lower half: at least 131,072 ids are left before it must borrow
 * from the next millisecond.
 */
const COUNTER_SEED_LIMIT = COUNTER_LIMIT / 2;
const MAX_TIME_MS = 2 ** 48 - 1;
const VARIANT = 0x80;

const TAIL_BYTES = 7;
const TAIL_HEX_CHARS = TAIL_BYTES * 2;

/** One system call for randomness serves this many ids. */
const TAILS_PER_DRAW = 512;
const HEX_3 = Array.from({ length: 2 ** 12 }, (_, n) => n.toString(16).padStart(3, '0'));

export function createRequestIds({ nowMs, randomBytes }: RequestIdSources): () => string {
  let timeMs = -1;
  let timeHex = '';
  let counter = 0;
  let tails = '';
  let tailAt = 0;

  const nextTail = (): void => {
    tailAt += TAIL_HEX_CHARS;
    if (tailAt < tails.length) return;
    tails = Buffer.from(randomBytes(TAIL_BYTES * TAILS_PER_DRAW)).toString('hex');
    tailAt = 0;
  };

  const enterMillisecond = (ms: number): void => {
    timeMs = ms;
    const hex = ms.toString(16).padStart(12, '0');
    timeHex = `${hex.slice(0, 8)}-${hex.slice(8)}-7`;
    nextTail();
    counter = Number.parseInt(tails.slice(tailAt, tailAt + 12), 16) % COUNTER_SEED_LIMIT;
  };

  return () => {
    const ms = Math.min(Math.max(0, Math.floor(nowMs())), MAX_TIME_MS);
    if (ms > timeMs) enterMillisecond(ms);
    else if (counter + 1 < COUNTER_LIMIT) counter += 1;
    else enterMillisecond(timeMs + 1);
    nextTail();
    const high = HEX_3[counter >> COUNTER_LOW_BITS];
    const low = (VARIANT | (counter & COUNTER_LOW_MASK)).toString(16);
    const group = tails.slice(tailAt, tailAt + 2);
    return `${timeHex}${high}-${low}${group}-${tails.slice(tailAt + 2, tailAt + TAIL_HEX_CHARS)}`;
  };
}
