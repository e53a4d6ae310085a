// Parses a request body as JSON whatever its content type says, and explains every refusal.
import { isUtf8 } from 'node:buffer';
import { findJsonFault } from './json-fault.ts';

export type JsonBody = { ok: true; value: unknown } | { ok: false; message: string };

// Our deepest schema needs five levels; recursion over a parsed body stays shallow.
export const MAX_JSON_DEPTH = 32;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

export function parseJsonBody(bytes: Uint8Array): JsonBody {
  if (bytes.length === 0) return refuse('The body is empty. Send one JSON object.');
  if (!isUtf8(bytes)) return refuse('The body is not valid UTF-8. Send the JSON text encoded as UTF-8.');
  const { colons, depth } = measure(bytes);
  if (depth > MAX_JSON_DEPTH) {
    return refuse(`The JSON is nested deeper than ${MAX_JSON_DEPTH} levels. Send a flatter object.`);
  }
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

// Counts colons outside strings and the deepest nesting in one pass over the raw bytes.
function measure(bytes: Uint8Array): { colons: number; depth: number } {
  const length = bytes.length;
  let colons = 0;
  let depth = 0;
  let level = 0;
  for (let i = 0; i < length; i += 1) {
    const byte = bytes[i];
    if (byte === QUOTE) {
      i += 1;
      while (i < length && bytes[i] !== QUOTE) i += bytes[i] === BACKSLASH ? 2 : 1;
    } else if (byte === COLON) {
      colons += 1;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      level += 1;
      if (level > depth) depth = level;
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      level -= 1;
    }
  }
  return { colons, depth };
}

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
