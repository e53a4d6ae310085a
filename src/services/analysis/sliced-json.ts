// Reads large bodies in short steps, one body at a time, so that a signal never waits for somebody's fifty thousand bars.
//
// The long lists are cut out of the text and a mark is put in the place of each. What is left is small and is read whole;
// then each list is read piece by piece and put where its mark stands. The outcome is that of reading the whole text, but
// for plain rows of bars, which stay in the columns they are wanted in.

import { setImmediate } from 'node:timers/promises';
import { MAX_JSON_DEPTH } from '../../http/json-body.ts';
import { parseStrict } from '../../http/strict-body.ts';
import { BarRows } from './bar-rows.ts';
import { ListFinder, type LongList } from './json-cuts.ts';
import { refusal } from './refusal.ts';

export type ParseBody = (bytes: Uint8Array) => Promise<unknown>;

/** A step over this much takes one to two milliseconds. */
const PIECE_BYTES = 128 * 1024;
/** Looking for commas is that much faster than reading. */
const SCAN_PIECES = 4;
/**
 * A piece ends with the item that makes it long enough, so it is at most twice as long; full of the shortest bars it has
 * 30,000. A request has far fewer outside of its bars.
 */
const MAX_COMMAS = 40_000;
/** What is smaller is read at once. */
export const SMALL_BODY_BYTES = PIECE_BYTES;
/** Under this name a request has its bars. */
const BARS_KEY = 'data';
const OPEN = Buffer.from('[');
const CLOSE = Buffer.from(']');
/** No text of a person begins like this; whoever sends it anyway is refused, because then the marks do not add up. */
const MARK = '\0list ';

/** All bodies of one reader take turns: thirty at once would take thirty steps at once otherwise. */
export function createSlicedReader(): ParseBody {
  let last: Promise<unknown> = Promise.resolve();
  return (bytes) => {
    const turn = last.then(() => inSteps(readSteps(bytes)));
    last = turn.then(ignore, ignore);
    return turn;
  };
}

const ignore = (): void => {};

async function inSteps<T>(steps: Generator<undefined, T>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await setImmediate();
  }
}

/** The value of the whole text, or the refusal thrown; between two steps others may go first. */
export function* readSteps(bytes: Uint8Array, pieceBytes = PIECE_BYTES): Generator<undefined, unknown> {
  const finder = new ListFinder(bytes, { pieceBytes, maxDepth: MAX_JSON_DEPTH, maxCommas: MAX_COMMAS });
  while (!finder.isDone && finder.fault === undefined) {
    finder.step(SCAN_PIECES * pieceBytes);
    yield;
  }
  if (finder.fault !== undefined) throw unusable(finder.fault);
  const lists = finder.found;
  const marks = new Marks(parseStrict(withMarks(bytes, lists)));
  yield;
  for (const [index, list] of lists.entries()) {
    const rows = marks.keyOf(index) === BARS_KEY ? yield* barsOf(bytes, list) : undefined;
    marks.put(index, rows ?? (yield* itemsOf(bytes, list)));
  }
  if (!marks.areAllPut(lists.length)) throw unusable('A list stands where a key must. Correct it.');
  return marks.root;
}

/** Undefined when they are not all plain rows. */
function* barsOf(bytes: Uint8Array, { start, end, cuts }: LongList): Generator<undefined, BarRows | undefined> {
  const rows = new BarRows(end - start);
  let from = start + 1;
  for (const to of [...cuts, end]) {
    if (!rows.read(bytes, from, to)) return undefined;
    from = to + 1;
    yield;
  }
  return rows;
}

function* itemsOf(bytes: Uint8Array, { start, end, cuts }: LongList): Generator<undefined, readonly unknown[]> {
  const items: unknown[] = [];
  let from = start + 1;
  for (const to of [...cuts, end]) {
    const found = itemsIn(bytes, from, to);
    // Only a list without commas may be empty.
    if (found.length === 0 && cuts.length > 0) throw missingItem(from);
    for (const item of found) items.push(item);
    from = to + 1;
    yield;
  }
  return items;
}

function withMarks(bytes: Uint8Array, lists: readonly LongList[]): Uint8Array {
  const parts: Uint8Array[] = [];
  let from = 0;
  for (const [index, { start, end }] of lists.entries()) {
    parts.push(bytes.subarray(from, start), Buffer.from(JSON.stringify(MARK + index)));
    from = end + 1;
  }
  return Buffer.concat([...parts, bytes.subarray(from)]);
}

function itemsIn(bytes: Uint8Array, from: number, to: number): readonly unknown[] {
  const piece = Buffer.concat([OPEN, bytes.subarray(from, to), CLOSE]);
  try {
    return parseStrict(piece) as unknown[];
  } catch (fault) {
    const words = (fault as Error).message.replace(/Line \d+, column \d+ has/, `Near byte ${from} it has`);
    throw refusal('INVALID_BODY', words);
  }
}

const missingItem = (at: number): Error => unusable(`Near byte ${at} an item is missing. Remove the comma.`);

const unusable = (words: string): Error => refusal('INVALID_BODY', `The body is not usable JSON. ${words}`);

interface Place {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

/** Where the marks stand in what was read. */
class Marks {
  readonly #top: { root: unknown };
  /** Null for a mark that stands twice: one of the two is forged. */
  readonly #places = new Map<string, Place | null>();
  #put = 0;

  constructor(root: unknown) {
    this.#top = { root };
    this.#find(this.#top);
  }

  #find(holder: Record<string, unknown>): void {
    for (const key of Object.keys(holder)) {
      const value = holder[key];
      if (typeof value === 'object' && value !== null) this.#find(value as Record<string, unknown>);
      else if (typeof value === 'string' && value.startsWith(MARK))
        this.#places.set(value, this.#places.has(value) ? null : { holder, key });
    }
  }

  keyOf(index: number): string | undefined {
    return this.#places.get(MARK + index)?.key;
  }

  put(index: number, items: readonly unknown[] | BarRows): void {
    const place = this.#places.get(MARK + index) ?? null;
    if (place === null) return;
    this.#put += 1;
    const found = { value: items, enumerable: true, writable: true, configurable: true };
    // Not by assignment: a key named __proto__ would change the object instead.
    Object.defineProperty(place.holder, place.key, found);
  }

  get root(): unknown {
    return this.#top.root;
  }

  areAllPut(count: number): boolean {
    return this.#put === count;
  }
}
