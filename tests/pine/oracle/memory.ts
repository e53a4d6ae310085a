// What the oracle remembers: for every call path, every variable with all its past, and the state of every call.

import type { PineVersion } from '../../../src/pine/builtins/types.ts';
import type { Expr, FunctionInstance, UserCallExpr, Variable } from '../../../src/pine/check/tree.ts';
import { pastOf } from '../../../src/pine/values/index.ts';

/** The past of one variable or expression: an entry for each bar on which it was given a value, the last of the bar counting. */
export class Past {
  private readonly bars: number[] = [];
  private readonly values: unknown[] = [];

  record(bar: number, value: unknown): void {
    if (this.bars.at(-1) === bar) {
      this.values[this.values.length - 1] = value;
      return;
    }
    this.bars.push(bar);
    this.values.push(value);
  }

  /** The bar ends: of a collection only what is in it now counts. */
  settle(): void {
    if (this.values.length > 0) this.values[this.values.length - 1] = pastOf(this.values.at(-1));
  }

  /** Gives back how to forget everything from now on. */
  keep(): () => void {
    const { length } = this.bars;
    const last = this.values.at(-1);
    return () => {
      this.bars.length = length;
      this.values.length = length;
      if (length > 0) this.values[length - 1] = last;
    };
  }

  /** What it was at the end of a bar: it keeps its last value through bars that gave it none. Undefined before the first. */
  asOf(bar: number): unknown {
    return this.values[this.bars.findLastIndex((entry) => entry <= bar)];
  }
}

export interface Cell {
  value: unknown;
  readonly past: Past;
}

/** The state of one call of a built-in that keeps one. */
export interface StateSite {
  readonly state: State;
  /** The bar of its latest call. */
  bar: number;
}

export interface State {
  save(): void;
  restore(): void;
}

/** One call path: the script itself, or a function as reached through one chain of calls. */
export class Frame {
  readonly root: Frame;
  readonly version: PineVersion;
  private readonly cells = new Map<Variable, Cell>();
  private readonly pasts = new Map<Expr, Past>();
  private readonly calls = new Map<UserCallExpr, Frame>();
  readonly states = new Map<Expr, StateSite>();
  readonly done = new Set<Expr>();

  constructor(version: PineVersion, root?: Frame) {
    this.version = version;
    this.root = root ?? this;
  }

  /** The variable's cell, or undefined before its declaration was first executed on this path. */
  find(variable: Variable): Cell | undefined {
    return this.home(variable).cells.get(variable);
  }

  give(variable: Variable, bar: number, value: unknown): void {
    const { cells } = this.home(variable);
    const cell = cells.get(variable) ?? { value, past: new Past() };
    cells.set(variable, cell);
    cell.value = value;
    cell.past.record(bar, value);
  }

  pastOf(expr: Expr): Past {
    const past = this.pasts.get(expr) ?? new Past();
    this.pasts.set(expr, past);
    return past;
  }

  /** The bar ends, here and in all calls from here. */
  settle(): void {
    for (const { past } of this.cells.values()) past.settle();
    for (const past of this.pasts.values()) past.settle();
    for (const frame of this.calls.values()) frame.settle();
  }

  /** Gives back how to put everything as it is now, for a script that begins its bar anew. */
  keep(): () => void {
    const undo = [...this.cells].map(([variable, cell]) => {
      const { value } = cell;
      const forget = cell.past.keep();
      return () => {
        forget();
        cell.value = value;
        this.cells.set(variable, cell);
      };
    });
    const pasts = [...this.pasts].map(([expr, past]) => [expr, past, past.keep()] as const);
    const calls = [...this.calls].map(([call, frame]) => [call, frame, frame.keep()] as const);
    const done = [...this.done];
    return () => {
      this.cells.clear();
      for (const step of undo) step();
      this.pasts.clear();
      for (const [expr, past, forget] of pasts) {
        forget();
        this.pasts.set(expr, past);
      }
      this.calls.clear();
      for (const [call, frame, forget] of calls) {
        forget();
        this.calls.set(call, frame);
      }
      this.done.clear();
      for (const expr of done) this.done.add(expr);
    };
  }

  /** States of calls go back to the end of the bar before. */
  restoreStates(bar: number): void {
    for (const site of this.states.values()) if (site.bar === bar) site.state.restore();
    for (const frame of this.calls.values()) frame.restoreStates(bar);
  }

  /** The path that goes on through this call. */
  through(call: UserCallExpr, callee: FunctionInstance): Frame {
    const frame = this.calls.get(call) ?? new Frame(callee.version, this.root);
    this.calls.set(call, frame);
    return frame;
  }

  /** Functions see the script's global variables; everything else is their own. */
  private home(variable: Variable): Frame {
    return variable.scope === 'global' ? this.root : this;
  }
}
