// Turns rows into the JSON text of the answer, row by row, and stops at the limits.

/** Whole numbers are bigint. */
export type ResultValue = bigint | number | string | Uint8Array | null;

export interface RowLimits {
  readonly maxRows: number;
  readonly maxBytes: number;
}

export type Encoded =
  | { readonly ok: true; readonly json: readonly Uint8Array[]; readonly rows: number }
  | { readonly ok: false; readonly reason: string };

/** Small enough to be copied a few times on its way without anybody waiting for it. */
const PIECE_CHARS = 256 * 1024;

export function encodeRows(names: readonly string[], rows: Iterable<ResultValue[]>, limits: RowLimits): Encoded {
  const encoder = new RowEncoder(names, limits);
  for (const row of rows) {
    const reason = encoder.add(row);
    if (reason !== undefined) return { ok: false, reason };
  }
  return { ok: true, ...encoder.end() };
}

/** For rows that come one after the other. */
export class RowEncoder {
  readonly #keys: readonly string[];
  readonly #limits: RowLimits;
  readonly #json: Uint8Array[] = [];
  #piece = '[';
  #bytes = '[]'.length;
  #count = 0;

  constructor(names: readonly string[], limits: RowLimits) {
    this.#keys = distinct(names).map((name) => `${JSON.stringify(name)}:`);
    this.#limits = limits;
  }

  /** Undefined, or in words which limit it would pass. */
  add(row: readonly ResultValue[]): string | undefined {
    const { maxRows, maxBytes } = this.#limits;
    if (this.#count === maxRows) return `more than ${maxRows} rows; add LIMIT, or a narrower WHERE`;
    const text = `{${this.#keys.map((key, index) => key + encodeValue(row[index] ?? null)).join()}}`;
    this.#bytes += Buffer.byteLength(text) + 1;
    if (this.#bytes > maxBytes) return `more than ${maxBytes} bytes of results; add LIMIT, or select fewer columns`;
    this.#piece += this.#count === 0 ? text : `,${text}`;
    this.#count += 1;
    if (this.#piece.length >= PIECE_CHARS) {
      this.#json.push(encoder.encode(this.#piece));
      this.#piece = '';
    }
    return undefined;
  }

  end(): { json: readonly Uint8Array[]; rows: number } {
    this.#json.push(encoder.encode(`${this.#piece}]`));
    return { json: this.#json, rows: this.#count };
  }
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
function encodeValue(value: ResultValue): string {
  if (typeof value === 'bigint') {
    return Number.isSafeInteger(Number(value)) ? value.toString() : `"${value}"`;
  }
  if (typeof value === 'number') return Number.isFinite(value) ? JSON.stringify(value) : `"${value}"`;
  if (value instanceof Uint8Array) {
    return `"${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}"`;
  }
  return JSON.stringify(value);
}
