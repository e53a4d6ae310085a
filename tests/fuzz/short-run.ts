// The short form of a part of the fuzzer: a few thousand inputs and no fault. They are the same in every run, so that
// a change is judged by itself; FC_SEED=random looks for new ones, as `npm run fuzz` does.

import { expect } from 'vitest';
import { type FuzzReport, fuzz } from '../support/fuzz/fuzz-part.ts';
import { PARTS, type PartName } from '../support/fuzz/parts.ts';

/** On a machine that others use fewer are tried, so that nobody waits longer. */
const MOST_MINUTES = 0.2;
const MAX_SEED = 0x7fffffff;
const { FC_SEED = '20261115' } = process.env;

export async function expectNoFaults(name: PartName, inputs: number): Promise<FuzzReport> {
  const seed = FC_SEED === 'random' ? Date.now() % MAX_SEED : Number(FC_SEED);
  const report = await fuzz(await PARTS[name](), { inputs, minutes: MOST_MINUTES, seed });
  expect(report.faults, `again with: npm run fuzz ${name} ${inputs} seed ${seed}`).toEqual([]);
  expect(report.inputs).toBeGreaterThan(0);
  return report;
}
