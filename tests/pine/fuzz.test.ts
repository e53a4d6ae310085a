// Random scripts through the whole engine: it agrees with the oracle, live bars end as closed ones, and no text breaks it.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { disagreement, liveDisagreement } from './oracle/agreement.ts';
import { Coverage } from './oracle/coverage.ts';
import { crossed } from './oracle/cross.ts';
import { garbage, mutated } from './oracle/mutate.ts';
import { programs } from './oracle/programs.ts';
import { randomBars } from './oracle/random-bars.ts';
import { strategies } from './oracle/random-strategies.ts';
import { type Judge, smallestFault } from './oracle/reduce.ts';
import { breakage } from './oracle/robustness.ts';
import { sampleScripts } from './oracle/samples.ts';
import { liveStrategyDisagreement, strategyDisagreement } from './oracle/strategy-agreement.ts';

const BARS = 60;
/**
 * Failures are cut down by lines, which says more than smaller random numbers do. There are as many cases as eight
 * seconds of one core allow; `npm run soak pine` tries new ones for as long as wished.
 */
const ONCE = { endOnFailure: true } as const;
/** Scripts that the judge must know the answer for: without it, a gap in its rules would look like agreement. */
const LEAST_COMPARED = 0.6;

function holds(source: string, judge: Judge): void {
  expect(smallestFault(source, judge)).toBeNull();
}

/** Almost every script is to be compared; how many were, and what kept the others from it, is told. */
function expectCompared(coverage: Coverage): void {
  console.log(coverage.words);
  expect(coverage.share, coverage.words).toBeGreaterThanOrEqual(LEAST_COMPARED);
}

describe('a random well-typed script', () => {
  it('compiles, and the engine and the oracle agree on every value it plots', () => {
    const coverage = new Coverage();
    fc.assert(
      fc.property(programs({ varip: true }), fc.nat(), ({ source }, seed) => {
        const bars = randomBars(seed, BARS);
        holds(source, (candidate) => disagreement(candidate, bars, coverage));
      }),
      { ...ONCE, numRuns: 80 },
    );
    expectCompared(coverage);
  });

  it('ends the same on live bars with garbage ticks as on closed ones', () => {
    const coverage = new Coverage();
    fc.assert(
      fc.property(programs({ varip: false }), fc.nat(), ({ source }, seed) => {
        const bars = randomBars(seed, BARS);
        holds(source, (candidate) => liveDisagreement(candidate, bars, seed, coverage));
      }),
      { ...ONCE, numRuns: 50 },
    );
    expectCompared(coverage);
  });
});

describe('a random strategy', () => {
  it('makes the trades, the equity and the values that the broker of the oracle makes', () => {
    const coverage = new Coverage();
    fc.assert(
      fc.property(strategies({ live: false }), fc.nat(), (source, seed) =>
        holds(source, (candidate) => strategyDisagreement(candidate, seed, coverage)),
      ),
      { ...ONCE, numRuns: 120 },
    );
    expectCompared(coverage);
  });

  it('leaves the same books on live bars with garbage ticks as on closed ones', () => {
    const coverage = new Coverage();
    fc.assert(
      fc.property(strategies({ live: true }), fc.nat(), (source, seed) =>
        holds(source, (candidate) => liveStrategyDisagreement(candidate, seed, coverage)),
      ),
      { ...ONCE, numRuns: 60 },
    );
    expectCompared(coverage);
  });
});

describe('any text', () => {
  it('is compiled or refused in good time, and what compiles runs or ends with an error of its own', () => {
    fc.assert(
      fc.property(garbage, (source) => holds(source, breakage)),
      { ...ONCE, numRuns: 150 },
    );
  });

  it('made of a good script with some tokens moved does so as well', () => {
    fc.assert(
      fc.property(mutated(fc.constantFrom(...sampleScripts())), (source) => holds(source, breakage)),
      { ...ONCE, numRuns: 160 },
    );
  });

  it('made of two good scripts does so as well', () => {
    fc.assert(
      fc.property(crossed(fc.constantFrom(...sampleScripts())), (source) => holds(source, breakage)),
      { ...ONCE, numRuns: 160 },
    );
  });

  it('made of a random script in the same way does so as well', () => {
    const sources = programs({ varip: true }).map(({ source }) => source);
    fc.assert(
      fc.property(mutated(sources), (source) => holds(source, breakage)),
      { ...ONCE, numRuns: 80 },
    );
  });
});
