// Parses a request body as JSON whatever its content type says, and explains every refusal.
import { isUtf8 } from 'node:buffer';
import { findJsonFault } from './json-fault.ts';

export type JsonBody = { ok: true; value: unknown } | { ok: false; message: string };

/** Our deepest schema needs five levels; recursion over a parsed body stays shallow. */
export const MAX_JSON_DEPTH = 32;

/** How much JSON may hold before it is parsed at all: a small text can become a hundred times its size in memory. */
export interface JsonBounds {
  /** Commas and brackets are counted together. */
  readonly maxValues: number;
  /** Lists and objects are counted apart: each takes far more memory than a number. */
  readonly maxContainers: number;
}

/**
 * What 64 KiB can hold at most, so that nothing of that size is ever refused for it. What is longer on the event loop is
 * long because of its texts, which are read in no time.
 */
const ON_THE_LOOP: JsonBounds = { maxValues: 64 * 1024, maxContainers: 64 * 1024 };

/** The largest object of any schema has a thousand. */
const MAX_KEYS = 10_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const POINT = 0x2e;
const NINE = 0x39;

export function parseJsonBody(bytes: Uint8Array, bounds = ON_THE_LOOP): JsonBody {
  if (bytes.length === 0) return refuse('The body is empty. Send one JSON object.');
  if (!isUtf8(bytes)) return refuse('The body is not valid UTF-8. Send the JSON text encoded as UTF-8.');
  const { colons, fault } = measure(bytes, bounds);
  if (fault !== undefined) return refuse(fault);
  const text = withoutByteOrderMark(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    if (text.trim() === '') return refuse('The body is empty. Send one JSON object.');
    return refuse(findJsonFault(text) ?? 'The body is not valid JSON. Check it with a JSON validator.');
  }
  // Every key of a valid text has one colon. Fewer keys than colons means that JSON.parse dropped a duplicate.
  if (colons !== countKeys(value)) {
    return refuse(findJsonFault(text) ?? 'The JSON names a key twice. Send each key once.');
  }
  return { ok: true, value };
}

function refuse(message: string): JsonBody {
  return { ok: false, message };
}

function withoutByteOrderMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

/** How many keys each open object has so far. One list for all bodies: to make one for each costs a fifth of reading a signal. */
const keys = new Int32Array(MAX_JSON_DEPTH + 1);

/** Counts in one pass over the raw bytes what stands outside of strings, and stops where it is too much to be parsed. */
function measure(bytes: Uint8Array, { maxValues, maxContainers }: JsonBounds): { colons: number; fault?: string } {
  const length = bytes.length;
  keys[0] = 0;
  let [colons, values, containers, level] = [0, 0, 0, 0];
  for (let i = 0; i < length; i += 1) {
    const byte = bytes[i] as number;
    // Most bytes of a large body are digits of its numbers: asking for them first takes a third off this loop.
    if (byte >= POINT && byte <= NINE) continue;
    if (byte === QUOTE) {
      i += 1;
      while (i < length && bytes[i] !== QUOTE) i += bytes[i] === BACKSLASH ? 2 : 1;
    } else if (byte === COMMA) {
      values += 1;
    } else if (byte === COLON) {
      colons += 1;
      keys[level] = (keys[level] as number) + 1;
      if ((keys[level] as number) > MAX_KEYS) return { colons, fault: tooMany(MAX_KEYS, 'keys in one object') };
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      containers += 1;
      level += 1;
      if (level > MAX_JSON_DEPTH) return { colons, fault: TOO_DEEP };
      keys[level] = 0;
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      level = Math.max(0, level - 1);
    }
  }
  if (containers > maxContainers) return { colons, fault: tooMany(maxContainers, 'lists and objects') };
  return values + containers > maxValues ? { colons, fault: tooMany(maxValues, 'values') } : { colons };
}

const TOO_DEEP = `The JSON is nested deeper than ${MAX_JSON_DEPTH} levels. Send a flatter object.`;
const tooMany = (count: number, what: string): string => `The JSON has more than ${count} ${what}. Send fewer.`;

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += countKeys(item);
    return count;
  }
  for (const item of Object.values(value)) count += 1 + countKeys(item);
  return count;
}
