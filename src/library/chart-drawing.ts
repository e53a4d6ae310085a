// What is asked of a drawing of bars with a script's outputs, and what comes of it.

import type { ChartOptions } from '../chart/options.ts';
import type { RunResult } from '../pine/index.ts';
import type { RunRequest, ScriptDiagnostic } from './script-runner.ts';

export interface DrawRequest extends Omit<RunRequest, 'source' | 'progress'> {
  /** The script to run over the bars; without one, only the bars are drawn. */
  readonly source?: string | undefined;
  readonly options: ChartOptions;
  /** Over the chart; the market when omitted. */
  readonly title?: string | undefined;
  /** Where the script's outputs go: as the script says when omitted, or by whether their values look like prices. */
  readonly pane?: 'bars' | 'own' | 'by-values' | undefined;
}

export interface DrawnPlot {
  readonly title: string;
  /** The function: plot, plotshape, hline… */
  readonly kind: string;
  /** Its value on the last bar; null for na, and for what has no value. */
  readonly last: number | null;
}

/** No chart can be drawn on this machine, whatever is asked for; the reason names the remedy. */
export interface NotDrawn {
  readonly kind: 'not-drawn';
  readonly reason: string;
}

export interface Drawn {
  readonly kind: 'drawn';
  readonly png: Uint8Array;
  /** What the script says of itself, and its outputs; null without a script. */
  readonly script: { readonly meta: RunResult['meta']; readonly plots: readonly DrawnPlot[] } | null;
  readonly warnings: readonly ScriptDiagnostic[];
}
