// What the generator of random programs writes with: random choices, names in scope, and indented lines.

import { RandomSequence } from '../random-sequence.ts';

/** The types the generated programs deal in. */
export type Kind = 'int' | 'float' | 'bool' | 'string' | 'floats' | 'ints' | 'map' | 'object' | 'side';

export interface Named {
  readonly name: string;
  readonly kind: Kind;
  /** Whether it may be given another value here. */
  readonly mutable: boolean;
}

export interface FunctionMade {
  readonly name: string;
  readonly parameters: readonly { readonly kind: Kind; readonly simple: boolean }[];
  /** Several: a tuple. */
  readonly results: readonly Kind[];
  readonly method: boolean;
}

export interface ProgramOptions {
  readonly version: 5 | 6;
  /** `varip`, which by design differs between a live bar and a closed one. */
  readonly varip: boolean;
}

/** The decisions behind one program; when they are used up every further one is the first, simplest one. */
export class Choices {
  private readonly random: RandomSequence;
  private left: number;

  constructor(seed: number, most: number) {
    this.random = new RandomSequence(seed);
    this.left = most;
  }

  below(count: number): number {
    if (this.left === 0) return 0;
    this.left -= 1;
    return Math.floor(this.random.next(0, count));
  }

  /** Whether anything is left to decide. */
  get isOpen(): boolean {
    return this.left > 0;
  }
}

/** A variable of the script and of every function that takes in what happens in their blocks. */
export const TALLY = 'tally';

const LOCAL_NAMES = ['a', 'b', 'c', 'd', 'e', 'h', 'k', 'm', 'q', 'r', 's', 't', 'u', 'v', 'w', 'x', 'y', 'z'];

const HIDDEN: Named = { name: '', kind: 'int', mutable: false };

export class Writer {
  readonly options: ProgramOptions;
  readonly functions: FunctionMade[] = [];
  readonly lines: string[] = [];
  private readonly choices: Choices;
  private scopes: Named[][] = [[]];
  /** Names given out in each scope, some of them for what is still being written. */
  private readonly reserved: Set<string>[] = [new Set()];
  /** Scopes below this one belong to the script while a function is written. */
  private floor = 0;
  private indent = 0;
  private counter = 0;
  loops = 0;

  constructor(choices: Choices, options: ProgramOptions) {
    this.choices = choices;
    this.options = options;
  }

  get isV6(): boolean {
    return this.options.version === 6;
  }

  get isOpen(): boolean {
    return this.choices.isOpen;
  }

  get isGlobal(): boolean {
    return this.scopes.length === 1;
  }

  get depth(): number {
    return this.scopes.length - this.floor;
  }

  get isInFunction(): boolean {
    return this.floor > 0;
  }

  below(count: number): number {
    return this.choices.below(count);
  }

  chance(part: number, of: number): boolean {
    return this.below(of) >= of - part;
  }

  pick<T>(...items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  line(text: string): void {
    this.lines.push('    '.repeat(this.indent) + text);
  }

  /** Writes what `write` writes one level deeper, with names of its own. */
  inside(write: () => void): void {
    this.indent += 1;
    this.scopes.push([]);
    this.reserved.push(new Set());
    write();
    this.scopes.pop();
    this.reserved.pop();
    this.indent -= 1;
  }

  /** The body of a function: it reads the script's names and changes only its own. */
  insideFunction(write: () => void): void {
    const { loops } = this;
    this.loops = 0;
    this.floor = this.scopes.length;
    this.inside(write);
    this.floor = 0;
    this.loops = loops;
  }

  declare(named: Named): void {
    this.scopes.at(-1)!.push(named);
  }

  /** A name that nobody sees here yet; it is seen from its declaration on. */
  fresh(): string {
    return this.reserve(this.freeName());
  }

  /** The same, but in a function now and then a name that hides one of the script's. */
  freshOrHiding(): string {
    const hidden = this.isInFunction && this.chance(1, 10) ? this.hideable() : [];
    return hidden.length > 0 ? this.reserve(this.pick(...hidden)) : this.fresh();
  }

  /** What can be read here, the nearest first; a hidden name is not among them. */
  visible(kind: Kind): Named[] {
    const found = new Map<string, Named>();
    for (const [depth, scope] of [...this.scopes.entries()].toReversed()) {
      for (const named of scope.toReversed()) if (!found.has(named.name)) found.set(named.name, named);
      // A name that is about to be declared here already hides what is outside.
      for (const name of this.reserved[depth]!) if (!found.has(name)) found.set(name, HIDDEN);
    }
    return [...found.values()].filter((named) => named !== HIDDEN && named.kind === kind);
  }

  /** What can be given another value here. */
  assignable(): Named[] {
    const own = new Set(this.scopes.slice(this.floor).flat());
    return (['int', 'float', 'bool', 'string', 'floats', 'ints', 'map', 'object', 'side'] as const)
      .flatMap((kind) => this.visible(kind))
      .filter((named) => named.mutable && own.has(named));
  }

  globals(): readonly Named[] {
    return this.scopes[0]!;
  }

  private reserve(name: string): string {
    this.reserved.at(-1)!.add(name);
    return name;
  }

  private freeName(): string {
    this.counter += 1;
    if (this.isGlobal) return `g${this.counter}`;
    const taken = this.takenNames();
    return LOCAL_NAMES.find((name) => !taken.has(name)) ?? `l${this.counter}`;
  }

  /** Every function declares a tally of its own; only its blocks may hide that. */
  private hideable(): string[] {
    const taken = this.takenNames();
    if (this.depth === 1) taken.add(TALLY);
    return this.scopes[0]!.map(({ name }) => name).filter((name) => !taken.has(name));
  }

  private takenNames(): Set<string> {
    return new Set(this.reserved.slice(Math.max(1, this.floor)).flatMap((names) => [...names]));
  }
}

export const TYPE_TEXT: Readonly<Record<Kind, string>> = {
  int: 'int',
  float: 'float',
  bool: 'bool',
  string: 'string',
  floats: 'array<float>',
  ints: 'array<int>',
  map: 'map<string, float>',
  object: 'Point',
  side: 'Side',
};
