// Edits of a text that may lie inside each other: insertions around and replacements within, applied once at the end, with the way back.

import type { Span } from '../syntax/index.ts';

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Of an insertion: it belongs to what ends here, or to what begins here. */
  readonly side: 'closes' | 'opens' | null;
  readonly order: number;
}

/** A text after its edits, and where each place of it was before. */
export class EditedText {
  readonly text: string;
  /** Pairs of offsets, after and before, at which a piece of the old text begins; ascending. */
  readonly #after: readonly number[];
  readonly #before: readonly number[];

  constructor(text: string, after: readonly number[], before: readonly number[]) {
    this.text = text;
    this.#after = after;
    this.#before = before;
  }

  /** The offset before the edits; of something that was put in, the place where it was put. */
  offsetBefore(offset: number): number {
    let low = 0;
    let high = this.#after.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#after[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    const before = (this.#before[low] ?? 0) + Math.max(0, offset - (this.#after[low] ?? 0));
    return Math.min(before, this.#before[low + 1] ?? before);
  }
}

/** Collects edits of one text. What lies inside an expression is edited before what stands around it. */
export class Edits {
  readonly source: string;
  /** By where they begin: a stretch is looked at without looking at the others. */
  readonly #edits = new Map<number, Edit[]>();
  #order = 0;

  constructor(source: string) {
    this.source = source;
  }

  /** Puts text around or before what begins here; what was put here earlier stays inside. */
  before(at: number, text: string): void {
    this.#add(at, at, text, 'opens');
  }

  /** Puts text after what ends here; what was put here earlier stays inside. */
  after(at: number, text: string): void {
    this.#add(at, at, text, 'closes');
  }

  replace({ start, end }: Span, text: string): void {
    this.#add(start, end, text, null);
  }

  /** Takes a stretch out, with every edit made in it so far. */
  remove(span: Span): void {
    for (let at = span.start; at <= span.end; at++) {
      const kept = this.#edits.get(at)?.filter((edit) => !isWithin(edit, span));
      if (kept !== undefined) this.#edits.set(at, kept);
    }
    this.#add(span.start, span.end, '', null);
  }

  /** A stretch as it reads after the edits made in it so far. */
  textOf(span: Span): string {
    const inside: Edit[] = [];
    for (let at = span.start; at <= span.end; at++)
      inside.push(...(this.#edits.get(at) ?? []).filter((edit) => isWithin(edit, span)));
    return applied(this.source, span, inside).text;
  }

  apply(): EditedText {
    return applied(this.source, { start: 0, end: this.source.length }, [...this.#edits.values()].flat());
  }

  #add(start: number, end: number, text: string, side: Edit['side']): void {
    const here = this.#edits.get(start);
    const edit = { start, end, text, side, order: this.#order++ };
    if (here === undefined) this.#edits.set(start, [edit]);
    else here.push(edit);
  }
}

/** What was put where a stretch begins or ends belongs to it only when it was put to what it holds. */
function isWithin({ start, end, side }: Edit, span: Span): boolean {
  if (side === 'closes' && start === span.start) return false;
  if (side === 'opens' && end === span.end) return false;
  return start >= span.start && end <= span.end;
}

/** What ends here comes first, in the order it was made; then what begins here, the last made outermost; then the text itself. */
const RANK = { closes: 0, opens: 1 } as const;
function inOrder(a: Edit, b: Edit): number {
  if (a.start !== b.start) return a.start - b.start;
  const [first, second] = [a.side === null ? 2 : RANK[a.side], b.side === null ? 2 : RANK[b.side]];
  if (first !== second) return first - second;
  return a.side === 'opens' ? b.order - a.order : a.order - b.order;
}

function applied(source: string, span: Span, edits: readonly Edit[]): EditedText {
  let text = '';
  let at = span.start;
  const after = [0];
  const before = [span.start];
  for (const edit of edits.toSorted(inOrder)) {
    // A replacement inside of what was replaced as a whole is gone with it.
    if (edit.start < at) continue;
    text += source.slice(at, edit.start) + edit.text;
    at = edit.end;
    after.push(text.length - edit.text.length, text.length);
    before.push(edit.start, edit.end);
  }
  return new EditedText(text + source.slice(at, span.end), after, before);
}
