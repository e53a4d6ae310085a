// The health of an endpoint, by a clock the test moves.

import { describe, expect, it } from 'vitest';
import { createHealth } from './endpoint-health.ts';

function watched(position = 0) {
  let nowMs = 0;
  const health = createHealth({ monotonicMs: () => nowMs, position });
  return {
    health,
    pass(ms: number) {
      nowMs += ms;
    },
  };
}

describe('the score', () => {
  it('follows the settings until there is an answer', () => {
    expect(watched(0).health.score()).toBeLessThan(watched(1).health.score());
  });

  it('is better for the faster, and one slow answer does not turn it around', () => {
    const [fast, slow] = [watched(1), watched(0)];
    for (let round = 0; round < 10; round += 1) {
      fast.health.answered(50);
      slow.health.answered(300);
    }
    fast.health.answered(500);
    expect(fast.health.score()).toBeLessThan(slow.health.score());
  });

  it('is worse for who failed lately, long after it answers again', () => {
    const [shaky, steady] = [watched(), watched()];
    for (const { health } of [shaky, steady]) health.answered(100);
    shaky.health.failed(1);
    shaky.health.answered(100);
    expect(shaky.health.score()).toBeGreaterThan(steady.health.score());
    for (let round = 0; round < 60; round += 1) shaky.health.answered(100);
    expect(shaky.health.score()).toBeCloseTo(steady.health.score(), 2);
  });

  it('of who failed last is behind everybody who did not, however slow', () => {
    const [dead, slow] = [watched(), watched()];
    dead.health.answered(1);
    dead.health.failed(1);
    slow.health.answered(4_900);
    expect(dead.health.score()).toBeGreaterThan(slow.health.score());
    dead.pass(3_600_000);
    expect(dead.health.score()).toBeGreaterThan(slow.health.score());
  });
});

describe('an endpoint that made us wait for nothing', () => {
  it('counts as slow afterwards, and one that refused at once does not count as fast', () => {
    const [hanging, refusing] = [watched().health, watched().health];
    for (const health of [hanging, refusing]) health.answered(50);
    hanging.failed(5_000);
    refusing.failed(1);
    for (const health of [hanging, refusing]) health.answered(50);
    expect(hanging.latencyMs()).toBeGreaterThan(500);
    expect(refusing.latencyMs()).toBe(50);
  });
});

describe('the rest after a failure', () => {
  it('doubles from one second to a minute', () => {
    const { health, pass } = watched();
    for (const restMs of [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]) {
      health.failed(1);
      pass(restMs - 1);
      expect(health.isResting()).toBe(true);
      pass(1);
      expect(health.isResting()).toBe(false);
    }
    health.answered(10);
    health.failed(1);
    pass(1_000);
    expect(health.isResting()).toBe(false);
  });

  it('is as long as the endpoint asks for, when that is longer', () => {
    const { health, pass } = watched();
    health.failed(1, 30_000);
    pass(29_999);
    expect(health.isResting()).toBe(true);
    pass(1);
    expect(health.isResting()).toBe(false);
  });
});

describe('a look', () => {
  it('is due once the rest is over, for one asker alone', () => {
    const { health, pass } = watched();
    health.failed(1);
    expect(health.isDueForALook()).toBe(false);
    pass(1_000);
    expect([health.isDueForALook(), health.isDueForALook()]).toEqual([true, false]);
  });

  it('is due once a minute at an endpoint that is not needed', () => {
    const { health, pass } = watched();
    health.answered(10);
    pass(59_999);
    expect(health.isDueForALook()).toBe(false);
    pass(1);
    expect([health.isDueForALook(), health.isDueForALook()]).toEqual([true, false]);
  });
});
