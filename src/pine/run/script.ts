// Generated code as the engine knows it.

import type { CheckedProgram } from '../check/tree.ts';
import type { Diagnostic } from '../syntax/index.ts';

/** The running script, and its state at the last closed bar. */
export interface Script {
  /** Runs the bars from `from` up to but without `to`. */
  run(from: number, to: number): void;
  save(): void;
  restore(): void;
}

/** Which argument of which output a column of the runtime belongs to. */
export interface OutputColumn {
  readonly output: number;
  readonly parameter: string;
}

/** A requested expression with what it needs of the script, to be run on other bars. */
export interface EmittedRequest {
  readonly program: CheckedProgram;
  readonly emitted: Emitted;
  /** Where it is requested, as an offset into the script. */
  readonly at: number;
}

export interface Emitted {
  /** Null when something in the script cannot be run. */
  readonly create: ((runtime: object) => Script) | null;
  readonly refused: readonly Diagnostic[];
  readonly columns: readonly OutputColumn[];
  /** Whether it calls alert(). */
  readonly raisesAlerts: boolean;
  /** By the numbers that the script knows them by. */
  readonly requests: readonly EmittedRequest[];
  /** Whether ticks can change what it says: alerts before the close, values that outlive ticks, facts of realtime. */
  readonly followsTicks: boolean;
  readonly source: string;
}
