// The short form of a part of the fuzzer: a few thousand inputs from a seed that changes with every run, and no fault.

import { expect } from 'vitest';
import { type FuzzReport, fuzz } from '../support/fuzz/fuzz-part.ts';
import { PARTS, type PartName } from '../support/fuzz/parts.ts';

/** On a machine that others use fewer are tried, so that nobody waits longer. */
const MOST_MINUTES = 0.2;
const MAX_SEED = 0x7fffffff;

export async function expectNoFaults(name: PartName, inputs: number): Promise<FuzzReport> {
  const seed = Date.now() % MAX_SEED;
  const report = await fuzz(await PARTS[name](), { inputs, minutes: MOST_MINUTES, seed });
  expect(report.faults, `again with: npm run fuzz ${name} ${inputs} seed ${seed}`).toEqual([]);
  expect(report.inputs).toBeGreaterThan(0);
  return report;
}
