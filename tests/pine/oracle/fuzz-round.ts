// One round of the fuzzers of the Pine engine: random scripts of one kind from one seed, and what is wrong with the first that fails.

import fc from 'fast-check';
import { disagreement, liveDisagreement } from './agreement.ts';
import type { Coverage } from './coverage.ts';
import { crossed } from './cross.ts';
import { garbage, mutated } from './mutate.ts';
import { programs } from './programs.ts';
import { randomBars } from './random-bars.ts';
import { strategies } from './random-strategies.ts';
import { type Judge, smallestFault } from './reduce.ts';
import { breakage } from './robustness.ts';
import { sampleScripts } from './samples.ts';
import { liveStrategyDisagreement, strategyDisagreement } from './strategy-agreement.ts';

const BARS = 60;
const sources = programs({ varip: true }).map(({ source }) => source);
const samples = fc.oneof(fc.constantFrom(...sampleScripts()), sources, strategies({ live: false }));

/** Every kind of script, each with who judges it. */
const KINDS = {
  compiler: [
    (seed: number, coverage: Coverage) =>
      of(programs({ varip: true }), (script) => disagreement(script, randomBars(seed, BARS), coverage)),
    (seed: number, coverage: Coverage) =>
      of(programs({ varip: false }), (script) => liveDisagreement(script, randomBars(seed, BARS), seed, coverage)),
    () => of(garbage, breakage),
    () => of(mutated(samples), breakage),
    () => of(crossed(samples), breakage),
  ],
  broker: [
    (seed: number, coverage: Coverage) =>
      of(strategies({ live: false }), (script) => strategyDisagreement(script, seed, coverage)),
    (seed: number, coverage: Coverage) =>
      of(strategies({ live: true }), (script) => liveStrategyDisagreement(script, seed, coverage)),
  ],
} as const;
export type FuzzKind = keyof typeof KINDS;

type Script = string | { readonly source: string };

const of = (scripts: fc.Arbitrary<Script>, judge: Judge) => ({ scripts, judge });

export interface RoundReport {
  readonly scripts: number;
  /** The smallest script of the first fault, in words. */
  readonly fault: string | undefined;
}

/** So many scripts of each sort of this kind. */
export function fuzzRound(kind: FuzzKind, each: number, seed: number, coverage: Coverage): RoundReport {
  let scripts = 0;
  for (const sort of KINDS[kind]) {
    const { scripts: arbitrary, judge } = sort(seed, coverage);
    for (const item of fc.sample(arbitrary, { numRuns: each, seed })) {
      scripts += 1;
      const fault = smallestFault(typeof item === 'string' ? item : item.source, judge);
      if (fault !== null) return { scripts, fault };
    }
  }
  return { scripts, fault: undefined };
}
