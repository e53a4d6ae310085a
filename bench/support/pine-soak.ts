// `npm run soak pine [minutes]`: the fuzzers of the Pine engine with new seeds, for as long as you like.

import fc from 'fast-check';
import { disagreement, liveDisagreement } from '../../tests/pine/oracle/agreement.ts';
import { Coverage } from '../../tests/pine/oracle/coverage.ts';
import { crossed } from '../../tests/pine/oracle/cross.ts';
import { garbage, mutated } from '../../tests/pine/oracle/mutate.ts';
import { programs } from '../../tests/pine/oracle/programs.ts';
import { randomBars } from '../../tests/pine/oracle/random-bars.ts';
import { strategies } from '../../tests/pine/oracle/random-strategies.ts';
import { type Judge, smallestFault } from '../../tests/pine/oracle/reduce.ts';
import { breakage } from '../../tests/pine/oracle/robustness.ts';
import { sampleScripts } from '../../tests/pine/oracle/samples.ts';
import { liveStrategyDisagreement, strategyDisagreement } from '../../tests/pine/oracle/strategy-agreement.ts';

const BARS = 60;
/** Scripts per round and kind; the time is looked at after each round. */
const ROUND = 100;

/** Answers whether the engine held; prints the smallest script of the first fault. */
export function soakPine(minutes: number, log: (line: string) => void): boolean {
  const endMs = performance.now() + minutes * 60_000;
  const sources = programs({ varip: true }).map(({ source }) => source);
  const samples = fc.oneof(fc.constantFrom(...sampleScripts()), sources, strategies({ live: false }));
  let scripts = 0;
  const coverage = new Coverage();
  for (let round = 1; performance.now() < endMs; round += 1) {
    const seed = Math.floor(Math.random() * 0x7fffffff);
    const bars = randomBars(seed, BARS);
    const draw = <T>(arbitrary: fc.Arbitrary<T>) => fc.sample(arbitrary, { numRuns: ROUND, seed });
    const held =
      hold(draw(programs({ varip: true })), (source) => disagreement(source, bars, coverage), log) &&
      hold(draw(programs({ varip: false })), (source) => liveDisagreement(source, bars, seed, coverage), log) &&
      hold(draw(strategies({ live: false })), (source) => strategyDisagreement(source, seed, coverage), log) &&
      hold(draw(strategies({ live: true })), (source) => liveStrategyDisagreement(source, seed, coverage), log) &&
      hold(draw(garbage), breakage, log) &&
      hold(draw(mutated(samples)), breakage, log) &&
      hold(draw(crossed(samples)), breakage, log);
    if (!held) {
      log(`FAULT in round ${round}, seed ${seed}`);
      return false;
    }
    scripts += 7 * ROUND;
    log(`round ${round}: ${scripts} scripts; of those with a judge ${coverage.words}`);
  }
  return true;
}

function hold(sources: readonly (string | { readonly source: string })[], judge: Judge, log: (line: string) => void) {
  for (const item of sources) {
    const fault = smallestFault(typeof item === 'string' ? item : item.source, judge);
    if (fault === null) continue;
    log(fault);
    return false;
  }
  return true;
}
