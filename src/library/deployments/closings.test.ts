// Closed bars by hand: what acts, once; what does not; and what is told about everything else.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MAX_EVENTS_PER_BAR } from './deployment.ts';
import { barAt, MINUTE_MS } from './testing/hand-market.ts';
import { isAlerting, resultOf } from './testing/hand-runner.ts';
import { ANN, HOOK, openTestSetup, type TestSetup } from './testing/open-test-setup.ts';

let setup: TestSetup;
beforeEach(() => {
  setup = openTestSetup();
});
afterEach(() => setup.close());

/** Closes bars until one has closed on which the script alerts, and says which. */
async function closeAlertingBar(told = true): Promise<number> {
  for (;;) {
    const timeMs = setup.market.formingMs;
    await setup.closeBar(told || !isAlerting(barAt(timeMs).close));
    if (isAlerting(barAt(timeMs).close)) return timeMs;
  }
}

/** Stops before a bar on which the script alerts. */
async function untilAlerting(): Promise<void> {
  while (!isAlerting(barAt(setup.market.formingMs).close)) await setup.closeBar();
}

const eventTimes = (): number[] => setup.events().map(({ barTimeMs }) => barTimeMs);

describe('a bar that closes', () => {
  test('is run once, and its alert is one event that reaches every target with one id', async () => {
    const targets = [HOOK, { type: 'telegram' } as const, { type: 'signals' } as const];
    const { id } = await setup.deploy({ targets });
    const timeMs = await closeAlertingBar();
    const [event, ...others] = setup.events();
    expect(others).toEqual([]);
    expect(event).toMatchObject({ barTimeMs: timeMs, ordinal: 0, message: `close ${barAt(timeMs).close}` });
    expect(setup.arrived.map(({ target }) => target)).toEqual(targets);
    expect(new Set(setup.arrived.map(({ event: { id } }) => id))).toEqual(new Set([event?.id]));
    expect(await setup.deployments.read(ANN, id)).toMatchObject({
      deployment: { alerts: 1, lastBarTimeMs: timeMs, lastRunAtMs: expect.any(Number) },
    });
    expect(await setup.logs(id)).toEqual(
      expect.arrayContaining(
        [`alert: close ${barAt(timeMs).close}`, 'webhook: answered 200'].map((line) => expect.stringContaining(line)),
      ),
    );
  });

  test('told a second time, or long after, does nothing more', async () => {
    await setup.deploy();
    const timeMs = await closeAlertingBar();
    const { length } = setup.runner.requests;
    setup.market.tell(timeMs);
    setup.market.tell(timeMs - MINUTE_MS);
    await setup.clock.advance(5000);
    expect(eventTimes()).toEqual([timeMs]);
    expect(setup.runner.requests).toHaveLength(length);
  });

  test('is run over a history that always begins at the same bar', async () => {
    const { anchorMs, createdAtMs } = await setup.deploy();
    for (let bar = 0; bar < 3; bar += 1) await setup.closeBar();
    expect(setup.runner.requests.map(({ bars }) => bars.time[0])).toEqual(Array(4).fill(anchorMs));
    expect(setup.runner.requests.map(({ bars }) => bars.count)).toEqual([1001, 1002, 1003, 1004]);
    // A script that asks for the last bars only gets those before the deployment was made, in every run.
    const [, ...later] = setup.runner.requests;
    expect(later.map(({ liveSinceMs }) => liveSinceMs)).toEqual(Array(3).fill(createdAtMs));
    // Nothing of history is wanted back: ten thousand alerts of it would hold up everybody else.
    for (const request of setup.runner.requests)
      expect(request).toMatchObject({ alertsSinceMs: request.bars.time[request.bars.count - 1] });
  });

  test('with more alerts than are sent of one bar sends the first, and the log has the number of the others', async () => {
    setup.runner.answer = (request) => resultOf(request, () => MAX_EVENTS_PER_BAR + 3);
    const { id } = await setup.deploy();
    await setup.closeBar();
    await setup.clock.advance(5000);
    expect(setup.arrived.map(({ event }) => event.ordinal)).toEqual(
      Array.from({ length: MAX_EVENTS_PER_BAR }, (_, i) => i),
    );
    expect(await setup.logs(id)).toContainEqual(expect.stringContaining('3 more alerts on this bar were not sent'));
  });

  test('costs no question to the market while the stream is whole', async () => {
    await setup.deploy();
    await setup.closeBar();
    const { asked } = setup.market;
    for (let bar = 0; bar < 5; bar += 1) await setup.closeBar();
    expect(setup.market.asked).toBe(asked);
  });

  test('moves the anchor at 20,000 bars, to 10,000, and says so', async () => {
    await setup.close();
    setup = openTestSetup(30_000);
    const { id, anchorMs } = await setup.deploy();
    await setup.deployments.pause(ANN, id);
    const found = await setup.store.current(id);
    const old = { ...found!.deployment, id: 'old', anchorMs: anchorMs - 18_999 * MINUTE_MS, state: 'running' as const };
    await setup.store.create(old, 'alert', { atMs: 1, kind: 'created', message: '' });
    await setup.crash();
    await setup.closeBar();
    expect(setup.runner.requests.at(-1)?.bars.count).toBe(10_000);
    expect((await setup.store.logs(ANN, 'old', 9))?.map(({ kind }) => kind)).toContain('re-anchored');
    await setup.closeBar();
    expect(setup.runner.requests.at(-1)?.bars.count).toBe(10_001);
  }, 20_000);
});

describe('after a restart', () => {
  test('a bar that closed while we were away acts when it is the newest and no more than half a minute old', async () => {
    await setup.deploy();
    await untilAlerting();
    const timeMs = setup.market.formingMs;
    setup.die();
    await setup.closeBar();
    await setup.clock.advance(29_000);
    await setup.rise();
    expect(eventTimes()).toEqual([timeMs]);
    await setup.crash();
    expect(eventTimes()).toEqual([timeMs]);
  });

  test('a bar that closed longer ago does not act, and the log says that it was missed', async () => {
    const { id } = await setup.deploy();
    await untilAlerting();
    setup.die();
    await setup.closeBar();
    await setup.clock.advance(29_001);
    await setup.rise();
    expect(eventTimes()).toEqual([]);
    expect((await setup.logs(id)).at(-1)).toBe(
      'missed: 1 bar was missed and will not act: Signalbox or the market was away.',
    );
  });

  test('of many bars that closed while we were away only the newest acts', async () => {
    const { id } = await setup.deploy();
    setup.die();
    for (let bar = 0; bar < 20; bar += 1) await setup.closeBar();
    while (!isAlerting(barAt(setup.market.formingMs - MINUTE_MS).close)) await setup.closeBar();
    await setup.rise();
    expect(eventTimes()).toEqual([setup.market.formingMs - MINUTE_MS]);
    expect(await setup.logs(id)).toContainEqual(expect.stringMatching(/^missed: \d\d bars were missed/));
  });

  test('an event that was stored and not delivered is delivered, under the same id', async () => {
    await setup.deploy();
    let died = false;
    setup.onDeliver = () => {
      if (!died) setup.die();
      died = true;
    };
    await closeAlertingBar();
    expect(setup.arrived).toEqual([]);
    await setup.rise();
    expect(setup.arrived.map(({ event }) => event.id)).toEqual(setup.events().map(({ id }) => id));
  });

  test('a bar that was run and not stored is run again, and acts once', async () => {
    await setup.deploy();
    await untilAlerting();
    setup.onStore = (method, moment) => {
      if (method === 'commitBar' && moment === 'before') setup.die();
    };
    const timeMs = setup.market.formingMs;
    await setup.closeBar();
    setup.onStore = undefined;
    await setup.rise();
    expect(eventTimes()).toEqual([timeMs]);
    expect(setup.arrived).toHaveLength(1);
  });
});

describe('when the stream is lost', () => {
  test('a bar that was never told acts when the next one begins to form', async () => {
    await setup.deploy();
    const timeMs = await closeAlertingBar(false);
    expect(eventTimes()).toEqual([]);
    setup.market.tick();
    await setup.clock.advance(100);
    expect(eventTimes()).toEqual([timeMs]);
  });

  test('bars that are told in one go afterwards do not act, but for the newest', async () => {
    const { id } = await setup.deploy();
    setup.market.state('reconnecting');
    const from = setup.market.formingMs;
    for (let bar = 0; bar < 9; bar += 1) await setup.closeBar(false);
    setup.market.state('live');
    for (let timeMs = from; timeMs < setup.market.formingMs; timeMs += MINUTE_MS) setup.market.tell(timeMs);
    await setup.clock.advance(1000);
    const newest = setup.market.formingMs - MINUTE_MS;
    expect(eventTimes()).toEqual(isAlerting(barAt(newest).close) ? [newest] : []);
    expect(await setup.logs(id)).toContainEqual(expect.stringContaining('missed: 8 bars were missed'));
    expect(setup.runner.requests.at(-1)?.bars.time.at(-1)).toBe(newest);
  });

  test('and history cannot be read, a bar told in time still acts once it can', async () => {
    await setup.deploy();
    while (!isAlerting(barAt(setup.market.formingMs + MINUTE_MS).close)) await setup.closeBar();
    const timeMs = setup.market.formingMs + MINUTE_MS;
    setup.market.fault = new Error('down');
    await setup.closeBar(false);
    await setup.closeBar();
    await setup.clock.advance(45_000);
    expect(eventTimes()).not.toContain(timeMs);
    setup.market.fault = undefined;
    await setup.clock.advance(31_000);
    expect(eventTimes()).toContain(timeMs);
  });

  test('and history cannot be read, bars that are told without a gap are enough', async () => {
    const { id } = await setup.deploy();
    setup.market.fault = new Error('down');
    setup.market.state('reconnecting');
    const from = setup.market.formingMs;
    for (let bar = 0; bar < 3; bar += 1) await setup.closeBar(false);
    while (!isAlerting(barAt(setup.market.formingMs - MINUTE_MS).close)) await setup.closeBar(false);
    for (let timeMs = from; timeMs < setup.market.formingMs; timeMs += MINUTE_MS) setup.market.tell(timeMs);
    setup.market.state('live');
    await setup.clock.advance(1000);
    expect(eventTimes()).toEqual([setup.market.formingMs - MINUTE_MS]);
    expect(await setup.logs(id)).toContainEqual(expect.stringMatching(/^missed: \d+ bars were missed/));
  });

  test('a market that refuses to be followed is followed again later', async () => {
    await setup.deploy();
    setup.market.refuse('too many markets');
    expect(setup.market.followers).toBe(0);
    await setup.clock.advance(30_000);
    expect(setup.market.followers).toBe(1);
    expect(setup.warnings.join()).toContain('too many markets');
  });
});

describe('when the clock is wrong', () => {
  test.each([-3_600_000, 3_600_000])(
    'by %d ms, bars still act at the pace of the market, and the log warns',
    async (offMs) => {
      await setup.deploy();
      await setup.closeBar();
      setup.clock.set(setup.clock.nowMs() + offMs);
      const told: number[] = [];
      for (let bar = 0; bar < 15; bar += 1) {
        await setup.clock.advance(MINUTE_MS);
        if (isAlerting(barAt(setup.market.formingMs).close)) told.push(setup.market.formingMs);
        setup.market.closeBar();
        await setup.clock.advance(0);
      }
      expect(eventTimes().slice(-3)).toEqual(told.slice(-3));
      expect(setup.warnings.join()).toContain('set the clock of this machine');
    },
  );

  test('behind, no old bar looks new after a restart', async () => {
    await setup.deploy();
    setup.die();
    for (let bar = 0; bar < 60; bar += 1) await setup.closeBar();
    for (const behind of [10, 20, 30, 37]) {
      setup.clock.set(setup.market.formingMs - behind * MINUTE_MS + 5000);
      await setup.rise();
      await setup.clock.advance(1000);
      setup.die();
    }
    await setup.rise();
    expect(eventTimes()).toEqual([]);
  });
});

describe('runs', () => {
  test('of one deployment never overlap, and a bar that closes meanwhile is run after the one before it', async () => {
    await setup.deploy();
    await untilAlerting();
    const slow = Promise.withResolvers<undefined>();
    setup.runner.answer = () => slow.promise;
    const from = setup.market.formingMs;
    for (let bar = 0; bar < 3; bar += 1) await setup.closeBar();
    const started = setup.runner.requests.length;
    expect(setup.runner.requests.at(-1)?.bars.time.at(-1)).toBe(from);
    setup.runner.answer = undefined;
    slow.resolve(undefined);
    await setup.clock.advance(100);
    expect(setup.runner.requests).toHaveLength(started + 2);
    expect(setup.runner.mostAtOnce).toBe(1);
    const due = [from, from + MINUTE_MS, from + 2 * MINUTE_MS].filter((timeMs) => isAlerting(barAt(timeMs).close));
    expect(eventTimes().filter((timeMs) => timeMs >= from)).toEqual(due);
  });

  test('of many deployments of one owner run one at a time, and share one stream', async () => {
    for (let count = 0; count < 6; count += 1) await setup.deploy();
    const before = setup.runner.requests.length;
    await setup.closeBar();
    expect(setup.runner.requests).toHaveLength(before + 6);
    expect(setup.runner.mostAtOnce).toBe(1);
    expect(setup.market.followers).toBe(1);
  });

  test('that find the pool busy are tried again until they are served', async () => {
    await setup.deploy();
    await untilAlerting();
    setup.runner.answer = () => ({ kind: 'busy', reason: 'others wait' });
    const timeMs = setup.market.formingMs;
    await setup.closeBar();
    await setup.clock.advance(20_000);
    expect(eventTimes()).not.toContain(timeMs);
    setup.runner.answer = undefined;
    await setup.clock.advance(1000);
    expect(eventTimes()).toContain(timeMs);
  });

  test('that had to wait for ten minutes do not act any more, and the log says so', async () => {
    const { id } = await setup.deploy();
    await untilAlerting();
    const timeMs = setup.market.formingMs;
    setup.runner.answer = () => ({ kind: 'busy', reason: 'others wait' });
    await setup.closeBar();
    await setup.clock.advance(602_000);
    setup.runner.answer = undefined;
    await setup.clock.advance(2000);
    expect(eventTimes()).not.toContain(timeMs);
    expect(await setup.logs(id)).toContainEqual(expect.stringContaining('the run had to wait too long'));
  });

  test('whose outcome cannot be stored are tried again, and act once', async () => {
    await setup.deploy();
    await untilAlerting();
    const timeMs = setup.market.formingMs;
    setup.onStore = (method, moment) => {
      if (method === 'commitBar' && moment === 'before') throw new Error('the disk is full');
    };
    await setup.closeBar();
    expect(eventTimes()).not.toContain(timeMs);
    setup.onStore = undefined;
    await setup.clock.advance(5000);
    expect(eventTimes().filter((time) => time === timeMs)).toHaveLength(1);
  });

  test('under way when their deployment is paused or removed do not act', async () => {
    for (const end of ['pause', 'remove'] as const) {
      const { id } = await setup.deploy();
      await untilAlerting();
      const timeMs = setup.market.formingMs;
      const slow = Promise.withResolvers<undefined>();
      setup.runner.answer = () => slow.promise;
      await setup.closeBar();
      await setup.deployments[end](ANN, id);
      setup.runner.answer = undefined;
      slow.resolve(undefined);
      await setup.clock.advance(100);
      expect(eventTimes()).not.toContain(timeMs);
      expect(setup.market.followers).toBe(0);
    }
  });
});
