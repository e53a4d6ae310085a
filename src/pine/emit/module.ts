// The generated module: what its functions share, and what they use from outside, each under a name of its own.

import type { BuiltinCallExpr, CheckedProgram } from '../check/tree.ts';
import type { OutputColumn } from '../run/script.ts';
import type { Diagnostic, Span } from '../syntax/index.ts';
import { type Analysis, analyse } from './analysis.ts';
import { Frame } from './frame.ts';
import type { LibraryName } from './library.ts';

/** Of requested expressions: each that depends on others holds those again, which may grow beyond every measure. */
const MAX_WRITTEN = 300;

/** What the script uses and the engine cannot run. */
export interface Refusal {
  readonly name: string;
  readonly span: Span;
}

export class Module {
  readonly program: CheckedProgram;
  readonly analysis: Analysis;
  readonly mainFrame = new Frame('Main');
  /** Uses of what the engine does not have. */
  readonly refused: Refusal[] = [];
  /** What is wrong with the script and only shows when it is written. */
  readonly findings: Diagnostic[] = [];
  /** Columns of outputs, in the order of the runtime's. */
  readonly columns: OutputColumn[] = [];
  /** Calls whose expression is worked out on other bars, by the number they are known by at run time. */
  readonly requests: BuiltinCallExpr[] = [];
  /** The calls of the script whose expression this is, the innermost last; none where it is the script itself. */
  readonly requestedBy: readonly object[];
  /** Runs at the start of every bar: series that go on wherever the script mentions them. */
  readonly prologue: string[] = [];
  /** Runs at the end of every bar: what `[]` will read of collections that may change. */
  readonly epilogue: string[] = [];
  /** Whether turns must be counted. */
  hasLoops = false;
  /** Whether ticks can change what the script says. */
  followsTicks = false;
  readonly #shared = new Map<string, string>();
  readonly #library = new Set<string>();
  readonly #once = new Map<string, string>();
  #numbers = 0;

  /** How many more requested expressions may be written, in this program and in all that it lies in or holds. */
  readonly requestsLeft: { count: number };

  constructor(program: CheckedProgram, requestedBy: readonly object[] = [], requestsLeft = { count: MAX_WRITTEN }) {
    this.program = program;
    this.requestedBy = requestedBy;
    this.requestsLeft = requestsLeft;
    this.analysis = analyse(program);
  }

  /** Whether the program is that of a requested expression: it draws nothing and trades nothing. */
  get isRequested(): boolean {
    return this.requestedBy.length > 0;
  }

  /** A number for a name; unique in the module. */
  number(): number {
    this.#numbers += 1;
    return this.#numbers;
  }

  /** A function of the run-time library. */
  library(name: LibraryName): string {
    this.#library.add(name);
    return name;
  }

  uses(name: LibraryName): boolean {
    return this.#library.has(name);
  }

  /** A constant of one run, made before the first bar; the same initial text gives the same constant. */
  constant(initial: string): string {
    const known = this.#shared.get(initial);
    if (known !== undefined) return known;
    const name = `c${this.number()}`;
    this.#shared.set(initial, name);
    return name;
  }

  /** A constant of its own, however alike another is. */
  own(initial: string): string {
    const name = `o${this.number()}`;
    this.#shared.set(`${initial} /* ${name} */`, name);
    return name;
  }

  /** Runs `make` the first time the key is asked for. */
  once(key: string, make: () => string): string {
    const known = this.#once.get(key);
    if (known !== undefined) return known;
    const fresh = make();
    this.#once.set(key, fresh);
    return fresh;
  }

  constants(): string[] {
    return [...this.#shared].map(([initial, name]) => `const ${name} = ${initial};`);
  }

  imports(): string {
    return this.#library.size === 0 ? '' : `const { ${[...this.#library].join(', ')} } = L;`;
  }
}
