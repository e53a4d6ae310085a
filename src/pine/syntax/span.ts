// Where something stands in a source text: offsets everywhere, lines and columns only when a person asks.

/** Half open: `start` is the offset of the first character, `end` the offset after the last. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** As editors count: the first line is 1, the first column is 1. Columns count UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export const spanFrom = (first: Span, last: Span): Span => ({ start: first.start, end: last.end });

export const contains = (span: Span, offset: number): boolean => span.start <= offset && offset <= span.end;

/** Turns offsets into lines and columns; built once per source, then a binary search per question. */
export class LineTable {
  readonly #starts: number[] = [0];
  readonly #length: number;

  constructor(source: string) {
    this.#length = source.length;
    for (let at = 0; at < source.length; at++) {
      const code = source.charCodeAt(at);
      if (code === 10 || (code === 13 && source.charCodeAt(at + 1) !== 10)) this.#starts.push(at + 1);
    }
  }

  get lineCount(): number {
    return this.#starts.length;
  }

  positionAt(offset: number): Position {
    const wanted = Math.max(0, Math.min(offset, this.#length));
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#starts[middle]! <= wanted) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: wanted - this.#starts[low]! + 1 };
  }

  /** The offset of a position; a column beyond its line is held at the line's end. */
  offsetAt({ line, column }: Position): number {
    const index = Math.max(1, Math.min(line, this.#starts.length)) - 1;
    const end = this.#starts[index + 1] ?? this.#length;
    return Math.max(this.#starts[index]!, Math.min(this.#starts[index]! + column - 1, end));
  }
}
