// Turns rows into the JSON text of the answer, row by row, and stops at the limits.

import type { SQLOutputValue } from 'node:sqlite';

export interface RowLimits {
  readonly maxRows: number;
  readonly maxBytes: number;
}

export type Encoded =
  | { readonly ok: true; readonly json: readonly Uint8Array[]; readonly rows: number }
  | { readonly ok: false; readonly reason: string };

/** Small enough to be copied a few times on its way without anybody waiting for it. */
const PIECE_CHARS = 256 * 1024;

export function encodeRows(names: readonly string[], rows: Iterable<SQLOutputValue[]>, limits: RowLimits): Encoded {
  const keys = distinct(names).map((name) => `${JSON.stringify(name)}:`);
  const json: Uint8Array[] = [];
  let piece = '[';
  let bytes = '[]'.length;
  let count = 0;
  for (const row of rows) {
    if (count === limits.maxRows) {
      return { ok: false, reason: `more than ${limits.maxRows} rows; add LIMIT, or a narrower WHERE` };
    }
    const text = `{${keys.map((key, index) => key + encodeValue(row[index] ?? null)).join()}}`;
    bytes += Buffer.byteLength(text) + 1;
    if (bytes > limits.maxBytes) {
      return { ok: false, reason: `more than ${limits.maxBytes} bytes of results; add LIMIT, or select fewer columns` };
    }
    piece += count === 0 ? text : `,${text}`;
    count += 1;
    if (piece.length < PIECE_CHARS) continue;
    json.push(encoder.encode(piece));
    piece = '';
  }
  json.push(encoder.encode(`${piece}]`));
  return { ok: true, json, rows: count };
}

const encoder = new TextEncoder();

/** A second column of the same name would take the first one's place in an object, so it is numbered. */
function distinct(names: readonly string[]): readonly string[] {
  const given = new Set(names);
  const used = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let number = 2; used.has(unique) || (unique !== name && given.has(unique)); number += 1) {
      unique = `${name}_${number}`;
    }
    used.add(unique);
    return unique;
  });
}

/** Whole numbers come as bigint. What JSON cannot say exactly becomes text rather than a different number. */
function encodeValue(value: SQLOutputValue): string {
  if (typeof value === 'bigint') {
    return Number.isSafeInteger(Number(value)) ? value.toString() : `"${value}"`;
  }
  if (typeof value === 'number') return Number.isFinite(value) ? JSON.stringify(value) : `"${value}"`;
  if (value instanceof Uint8Array) {
    return `"${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}"`;
  }
  return JSON.stringify(value);
}
