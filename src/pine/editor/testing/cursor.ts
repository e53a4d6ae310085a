// Scripts with a cursor for tests: `|` marks the place.

import type { LibrarySource } from '../../check/index.ts';
import { type Completion, complete, type Hover, hover } from '../index.ts';

const HEAD = '//@version=6\nindicator("Test")\n';

/** A library of everything that can be exported. */
export const SHAPES: LibrarySource = {
  namespace: 'ana',
  name: 'Shapes',
  version: 2,
  source: `//@version=6
library("Shapes")
export const float UNIT = 1.5
//@type A corner.
//@field price Its price.
export type Corner
    float price
    int bar = 0
//@enum Where it stands.
//@field top Above.
export enum Side
    top = "The top"
    bottom
//@function Doubles a number.
//@param x The number.
export twice(float x) =>
    x * 2
export method lift(Corner this, float by) =>
    this.price + by
export method mid(array<float> this) =>
    this.avg()
hidden(float x) =>
    x
`,
};

interface Marked {
  readonly source: string;
  readonly offset: number;
}

export function marked(text: string): Marked {
  const offset = text.indexOf('|');
  return { source: text.slice(0, offset) + text.slice(offset + 1), offset };
}

/** A text that does not begin with a comment is put below the usual first lines. */
const whole = (text: string): Marked => marked(text.startsWith('//') || text === '|' ? text : HEAD + text);

export function itemsAt(text: string, libraries: readonly LibrarySource[] = [SHAPES]): Completion[] {
  const { source, offset } = whole(text);
  return complete(source, offset, libraries);
}

export const labelsAt = (text: string): string[] => itemsAt(text).map(({ label }) => label);

export function itemAt(text: string, label: string, kind?: string): Completion | undefined {
  return itemsAt(text).find((item) => item.label === label && (kind === undefined || item.kind === kind));
}

interface Shown extends Pick<Hover, 'contents'> {
  /** The words it speaks of. */
  readonly words: string;
}

export function hoverIn(text: string): Shown | null {
  const { source, offset } = whole(text);
  const found = hover(source, offset, [SHAPES]);
  return found === null ? null : { contents: found.contents, words: source.slice(found.range.start, found.range.end) };
}
