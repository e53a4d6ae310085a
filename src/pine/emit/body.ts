// One function of the generated source while it is being written: its frame, its temporaries, and how often it runs.

import type { PineVersion, Shape } from '../builtins/types.ts';
import type { Block, Expr, Variable } from '../check/tree.ts';
import { ringSize } from '../run/history.ts';
import type { Frame } from './frame.ts';
import type { LibraryName } from './library.ts';
import { isNumber, literal, naOf } from './literals.ts';
import type { Module } from './module.ts';

/** Where the value of a block goes. */
export type Target =
  | { readonly kind: 'none' }
  | { readonly kind: 'return' }
  | { readonly kind: 'name'; readonly name: string };

/** The writers of the parts, each in a file of its own; they reach each other through the body they write. */
export interface Emitters {
  expression(body: Body, expr: Expr): string;
  block(body: Body, block: Block, target: Target): void;
}

/** Names in the generated source: R the runtime, G the main frame, F a function's frame, i the bar, s its slot. */
export class Body {
  readonly module: Module;
  readonly emitters: Emitters;
  readonly frame: Frame;
  readonly frameName: string;
  readonly isMain: boolean;
  readonly version: PineVersion;
  /** Whether the text is that of a library: places in it mean nothing to the script. */
  readonly isForeign: boolean;
  /** Whether the place being written may be passed over on a bar. */
  conditional: boolean;
  /** Whether it may be reached more than once on a bar. */
  repeats: boolean;
  readonly #columns = new Set<string>();
  readonly #outputs = new Set<number>();
  readonly #openings: string[] = [];
  #usesSlot = false;
  #temporaries = 0;
  #lines: string[] = [];

  constructor(options: {
    module: Module;
    emitters: Emitters;
    frame: Frame;
    frameName: string;
    version: PineVersion;
    isMain: boolean;
    isForeign: boolean;
    repeats: boolean;
  }) {
    this.module = options.module;
    this.emitters = options.emitters;
    this.frame = options.frame;
    this.frameName = options.frameName;
    this.isMain = options.isMain;
    this.version = options.version;
    this.isForeign = options.isForeign;
    this.conditional = !options.isMain;
    this.repeats = options.repeats;
  }

  expr(expr: Expr): string {
    return this.emitters.expression(this, expr);
  }

  block(block: Block, target: Target): void {
    this.emitters.block(this, block, target);
  }

  // Text

  line(text: string): void {
    this.#lines.push(text);
  }

  /** The lines that `write` makes, instead of adding them. */
  gather(write: () => void): string[] {
    const outer = this.#lines;
    this.#lines = [];
    write();
    const inner = this.#lines;
    this.#lines = outer;
    return inner;
  }

  /** Writes what may be passed over on a bar. */
  maybe<T>(write: () => T): T {
    const before = this.conditional;
    this.conditional = true;
    const result = write();
    this.conditional = before;
    return result;
  }

  /** Writes what may run several times on a bar. */
  looping<T>(write: () => T): T {
    const before = this.repeats;
    this.repeats = true;
    const result = this.maybe(write);
    this.repeats = before;
    return result;
  }

  temporary(): string {
    this.#temporaries += 1;
    return `t${this.#temporaries}`;
  }

  /** The value of an expression as it is at this point of the text. */
  kept(expr: Expr): string {
    const name = this.temporary();
    this.line(`${name} = ${this.expr(expr)};`);
    return name;
  }

  /** The value of a structure, worked out in front of the statement that is being written. */
  early(expr: Expr): string {
    const name = this.temporary();
    this.block({ statements: [], value: expr }, { kind: 'name', name });
    return name;
  }

  library(name: LibraryName): string {
    return this.module.library(name);
  }

  /** A column of the chart. */
  column(name: string): string {
    this.#columns.add(name);
    return `k_${name}`;
  }

  /** A column of an output, at the present bar. */
  output(index: number): string {
    this.#outputs.add(index);
    return `C${index}[${this.slot()}]`;
  }

  /** A line before the first bar of a stretch: what it declares is the same on all of them. */
  opening(line: string): void {
    this.#openings.push(line);
  }

  /** Where the present bar stands in the columns. */
  slot(): string {
    this.#usesSlot = true;
    return 's';
  }

  mask(): string {
    this.#usesSlot = true;
    return 'm';
  }

  /** The function's text; the opening lines hold what the body turned out to need. */
  source(header: string, closing: readonly string[] = []): string {
    const slot = this.#usesSlot ? ['const m = R.mask, s = i & m;'] : [];
    return [
      `${header} {`,
      ...slot,
      ...this.#columnLines(),
      ...this.#temporaryLines(),
      ...this.#lines,
      ...closing,
      '}',
    ].join('\n');
  }

  /** The same as a loop over bars. */
  loop(header: string, opening: readonly string[], closing: readonly string[]): string {
    return [
      `${header} {`,
      'const m = R.mask;',
      ...this.#columnLines(),
      ...this.#temporaryLines(),
      'for (let i = from; i < to; i++) {',
      ...(this.#usesSlot ? ['const s = i & m;'] : []),
      ...opening,
      ...this.#lines,
      ...closing,
      '}',
      '}',
    ].join('\n');
  }

  #columnLines(): string[] {
    const outputs = [...this.#outputs].map((index) => `const C${index} = C[${index}];`);
    return [...outputs, ...[...this.#columns].map((name) => `const k_${name} = R.${name};`), ...this.#openings];
  }

  #temporaryLines(): string[] {
    const names = Array.from({ length: this.#temporaries }, (_, index) => `t${index + 1}`);
    return names.length > 0 ? [`let ${names.join(', ')};`] : [];
  }

  // Variables

  /** Where a variable lives between its statements. */
  storage(variable: Variable): string {
    if (variable.mode !== 'plain') return `${this.homeOf(variable).name}.x${variable.id}`;
    if (this.module.analysis.captured.has(variable)) return `G.x${variable.id}`;
    return `x${variable.id}`;
  }

  isField(variable: Variable): boolean {
    return variable.mode !== 'plain' || this.module.analysis.captured.has(variable);
  }

  /** The frame of a variable that outlives its statement. */
  homeOf(variable: Variable): { frame: Frame; name: string } {
    if (variable.scope === 'global') return { frame: this.module.mainFrame, name: 'G' };
    return { frame: this.frame, name: this.frameName };
  }

  /** Makes the history of a variable, at its declaration. */
  declareHistory(variable: Variable): void {
    if (variable.history === 0) return;
    const size = ringSize(variable.history);
    if (variable.scope === 'global') {
      this.module.once(`h${variable.id}`, () => this.ownBarRing(variable.type.shape, size));
      return;
    }
    this.module.once(`h${variable.id}`, () => {
      this.frame.part(`h${variable.id}`, this.reachedRing(variable.type.shape, size));
      return `h${variable.id}`;
    });
  }

  /** The statement that remembers a variable's present value, or nothing. */
  remember(variable: Variable): void {
    if (variable.history === 0) return;
    this.line(`${this.putHistory(variable, this.storage(variable))};`);
  }

  putHistory(variable: Variable, value: string): string {
    const ring = this.historyOf(variable);
    if (variable.scope !== 'global') return this.putReached(ring, variable.type.shape, value);
    return `${ring}[i & ${ringSize(variable.history) - 1}] = ${value}`;
  }

  historyOf(variable: Variable): string {
    const name = this.module.once(`h${variable.id}`, () => {
      throw new Error(`the history of ${variable.name} is read before its declaration`);
    });
    return variable.scope === 'global' ? name : `${this.frameName}.${name}`;
  }

  /** An object with one value per bar reached. */
  reachedRing(shape: Shape, size: number): string {
    if (isNumber(shape)) return `new ${this.library('NumberRing')}(${size})`;
    const ring = this.library(isChangeable(shape) ? 'CollectionRing' : 'ItemRing');
    return `new ${ring}(${size}, ${naOf(shape, this.version)})`;
  }

  putReached(ring: string, shape: Shape, value: string): string {
    if (!isChangeable(shape)) return `${ring}.put(i, ${value})`;
    const reached = this.module.constant('[]');
    this.module.once('reached collections', () => {
      this.module.epilogue.push(`${this.library('settleAll')}(${reached});`);
      return reached;
    });
    return `${ring}.put(i, ${value}, ${reached})`;
  }

  /** A list of its own with one value per bar. */
  ownBarRing(shape: Shape, size: number): string {
    const ring = this.module.own(barRing(shape, size, this.version));
    const place = `${ring}[i & ${size - 1}]`;
    if (isChangeable(shape)) this.module.epilogue.push(`${place} = ${this.library('pastOf')}(${place});`);
    return ring;
  }

  /** The place of an expression in the script; inside a library, that of the call that led there. */
  placeOf(expr: Expr): string {
    return this.isForeign ? 'R.at' : literal(expr.span.start);
  }
}

/** What a script may change after a bar on which it was remembered. */
const isChangeable = ({ kind }: Shape): boolean => kind === 'array' || kind === 'matrix';

/** A list with one value per bar. */
export function barRing(shape: Shape, size: number, version: PineVersion): string {
  const na = naOf(shape, version);
  return isNumber(shape) ? `new Float64Array(${size}).fill(NaN)` : `new Array(${size}).fill(${na})`;
}
