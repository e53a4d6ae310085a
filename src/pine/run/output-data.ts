// What one output call of a script left behind in a run: its settings, and a column for each argument that changes.

import type { OutputSpec } from '../check/tree.ts';

export interface OutputData {
  readonly spec: OutputSpec;
  /** Arguments known before the first bar, by parameter; those left out with a default in words are absent. */
  readonly settings: Record<string, unknown>;
  /** Arguments that change from bar to bar, by parameter: bools as 0 and 1, colors as their number, na as NaN. */
  readonly columns: Record<string, Float64Array>;
}
