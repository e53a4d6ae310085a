// Looks whether a script that ran repaints: it runs bar by bar besides, and what differs is told as warnings.

import type { RepaintCheck } from '../../library/repaint-check.ts';
import type { ScriptDiagnostic } from '../../library/script-runner.ts';
import {
  type BarColumns,
  LineTable,
  type Program,
  type RunOptions,
  type RunResult,
  repaintFindings,
  ScriptRuntimeError,
} from '../../pine/index.ts';
import { placed } from './placed-diagnostic.ts';

interface Repainted {
  readonly repaint: RepaintCheck;
  readonly found: readonly ScriptDiagnostic[];
}

/** A script that only fails bar by bar has a result all the same; what is said of it is that nobody could look. */
export function lookForRepaint(program: Program, bars: BarColumns, options: RunOptions, result: RunResult): Repainted {
  const { written, checked } = program;
  const open = (some: BarColumns) => program.open(some, options);
  try {
    const { compared, warnings, lines } = repaintFindings({ written, checked, run: () => result, open }, bars);
    const places = new LineTable(written.source);
    return {
      repaint: { kind: 'checked', compared, lines },
      found: warnings.map((warning) => placed(warning, places)),
    };
  } catch (error) {
    if (!(error instanceof ScriptRuntimeError)) throw error;
    const reason = `bar by bar it fails on bar ${error.barIndex}, line ${error.line}: ${error.message}`;
    return { repaint: { kind: 'not-checked', reason }, found: [] };
  }
}
