// The circuit breaker at each of its edges, and under random outcomes.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createCircuitBreaker,
  FAILURES_TO_OPEN,
  FIRST_PAUSE_MS,
  LONGEST_PAUSE_MS,
  type Passage,
} from './circuit-breaker.ts';

function open() {
  const clock = { ms: 0 };
  const breaker = createCircuitBreaker(() => clock.ms);
  const enter = (): Passage => {
    const entered = breaker.enter();
    if ('waitMs' in entered) throw new Error(`shut for ${entered.waitMs} ms`);
    return entered.passage;
  };
  return { clock, breaker, enter };
}

describe('the circuit breaker', () => {
  it('opens with the third failure in a row, not before', () => {
    const { breaker, enter } = open();
    for (let failure = 1; failure < FAILURES_TO_OPEN; failure++) enter().failed();
    enter().succeeded();
    for (let failure = 1; failure < FAILURES_TO_OPEN; failure++) enter().failed();
    expect(breaker.state()).toBe('closed');
    enter().failed();
    expect([breaker.state(), breaker.enter()]).toEqual(['open', { waitMs: FIRST_PAUSE_MS }]);
  });

  it('lets one call pass when the pause is over, and the others wait for it', () => {
    const { clock, breaker, enter } = open();
    for (let failure = 0; failure < FAILURES_TO_OPEN; failure++) enter().failed();
    clock.ms = FIRST_PAUSE_MS - 1;
    expect(breaker.enter()).toEqual({ waitMs: 1 });
    clock.ms = FIRST_PAUSE_MS;
    const probe = enter();
    expect(breaker.enter()).toEqual({ waitMs: 0 });
    probe.released();
    // A trial that was canceled said nothing, so there is another.
    enter().succeeded();
    expect(breaker.state()).toBe('closed');
  });

  it('doubles its pause with every trial that fails, up to five minutes, and starts anew after a success', () => {
    const { clock, breaker, enter } = open();
    for (let failure = 0; failure < FAILURES_TO_OPEN; failure++) enter().failed();
    const pauses: number[] = [];
    for (let trial = 0; trial < 6; trial++) {
      const { waitMs } = breaker.enter() as { waitMs: number };
      pauses.push(waitMs);
      clock.ms += waitMs;
      enter().failed();
    }
    expect(pauses).toEqual([30_000, 60_000, 120_000, 240_000, LONGEST_PAUSE_MS, LONGEST_PAUSE_MS]);
    clock.ms += LONGEST_PAUSE_MS;
    enter().succeeded();
    for (let failure = 0; failure < FAILURES_TO_OPEN; failure++) enter().failed();
    expect(breaker.enter()).toEqual({ waitMs: FIRST_PAUSE_MS });
  });

  it('stays open as long as the provider asked, five minutes at most', () => {
    const { breaker, enter } = open();
    enter().failed(1234);
    expect(breaker.enter()).toEqual({ waitMs: 1234 });
    const other = open();
    other.enter().failed(86_400_000);
    expect(other.breaker.enter()).toEqual({ waitMs: LONGEST_PAUSE_MS });
  });

  it('opens also for a provider that always says to come back at once, or soon', () => {
    for (const soonMs of [0, 5]) {
      const { clock, breaker, enter } = open();
      for (let failure = 0; failure < FAILURES_TO_OPEN; failure++) {
        enter().failed(soonMs);
        if (failure < FAILURES_TO_OPEN - 1) clock.ms += soonMs;
      }
      expect(breaker.enter()).toEqual({ waitMs: FIRST_PAUSE_MS });
    }
  });

  it('never stays shut longer than five minutes, and never lets two trials in', () => {
    const step = fc.constantFrom('succeeded', 'failed', 'released', 'wait', 'enter');
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const { clock, breaker } = open();
        const inside: { passage: Passage; trial: boolean }[] = [];
        for (const what of steps) {
          if (what === 'wait') clock.ms += 20_000;
          else if (what === 'enter') {
            const before = breaker.state();
            const entered = breaker.enter();
            if ('passage' in entered) inside.push({ passage: entered.passage, trial: before === 'half-open' });
            else expect(entered.waitMs).toBeLessThanOrEqual(LONGEST_PAUSE_MS);
            expect(inside.filter(({ trial }) => trial).length).toBeLessThanOrEqual(1);
          } else inside.shift()?.passage[what]();
        }
        for (const { passage } of inside) passage.released();
        clock.ms += LONGEST_PAUSE_MS;
        expect('passage' in breaker.enter()).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
