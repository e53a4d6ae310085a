// Whether any text at all breaks the engine: by a throw, by taking too long, or by a run that fails as no script may.

import { barColumns, compile } from '../../../src/pine/index.ts';
import { differenceFrom, endingOf, opinion } from './agreement.ts';
import { randomBars } from './random-bars.ts';

/** Far above what the longest sample takes on a busy machine. */
const SLOWEST_MS = 3000;
const FEW_BARS = barColumns(randomBars(7, 12));
/** A loop that was made endless by accident costs the whole budget of turns, which is not a hang. */
const HAS_LOOP = /\b(while|for)\b/;

/** Null when the text is refused with diagnostics, or compiles and runs to an end of its own, the one the oracle sees. A throw is a fault. */
export function breakage(source: string): string | null {
  const startMs = performance.now();
  const { program, diagnostics } = compile(source);
  const compiledMs = performance.now() - startMs;
  if (compiledMs > SLOWEST_MS) return `compiling took ${Math.round(compiledMs)} ms`;
  if (program === null) return diagnostics.length > 0 ? null : 'was refused without a reason';
  const expected = opinion(program.checked, FEW_BARS);
  if (expected !== null) return differenceFrom(expected, program, FEW_BARS);
  if (!HAS_LOOP.test(source)) endingOf(() => program.run(FEW_BARS));
  return null;
}
