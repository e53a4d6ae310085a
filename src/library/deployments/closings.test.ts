// Closed bars by hand: what acts, once; what does not; and what is told about everything else.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MAX_EVENTS_PER_BAR } from './deployment.ts';
import { barAt, MINUTE_MS } from './testing/hand-market.ts';
import { isAlerting, resultOf } from './testing/hand-runner.ts';
import { ANN, HOOK, openTestDesk, type TestDesk } from './testing/open-test-desk.ts';

let desk: TestDesk;
beforeEach(() => {
  desk = openTestDesk();
});
afterEach(() => desk.close());

/** Closes bars until one has closed on which the script alerts, and says which. */
async function closeAlertingBar(told = true): Promise<number> {
  for (;;) {
    const timeMs = desk.market.formingMs;
    await desk.closeBar(told || !isAlerting(barAt(timeMs).close));
    if (isAlerting(barAt(timeMs).close)) return timeMs;
  }
}

/** Stops before a bar on which the script alerts. */
async function untilAlerting(): Promise<void> {
  while (!isAlerting(barAt(desk.market.formingMs).close)) await desk.closeBar();
}

const eventTimes = (): number[] => desk.events().map(({ barTimeMs }) => barTimeMs);

describe('a bar that closes', () => {
  test('is run once, and its alert is one event that reaches every target with one id', async () => {
    const targets = [HOOK, { type: 'telegram' } as const, { type: 'signals' } as const];
    const { id } = await desk.deploy({ targets });
    const timeMs = await closeAlertingBar();
    const [event, ...others] = desk.events();
    expect(others).toEqual([]);
    expect(event).toMatchObject({ barTimeMs: timeMs, ordinal: 0, message: `close ${barAt(timeMs).close}` });
    expect(desk.arrived.map(({ target }) => target)).toEqual(targets);
    expect(new Set(desk.arrived.map(({ event: { id } }) => id))).toEqual(new Set([event?.id]));
    expect(await desk.deployments.read(ANN, id)).toMatchObject({
      deployment: { alerts: 1, lastBarTimeMs: timeMs, lastRunAtMs: expect.any(Number) },
    });
    expect(await desk.logs(id)).toEqual(
      expect.arrayContaining(
        [`alert: close ${barAt(timeMs).close}`, 'webhook: answered 200'].map((line) => expect.stringContaining(line)),
      ),
    );
  });

  test('told a second time, or long after, does nothing more', async () => {
    await desk.deploy();
    const timeMs = await closeAlertingBar();
    const { length } = desk.runner.requests;
    desk.market.tell(timeMs);
    desk.market.tell(timeMs - MINUTE_MS);
    await desk.clock.advance(5000);
    expect(eventTimes()).toEqual([timeMs]);
    expect(desk.runner.requests).toHaveLength(length);
  });

  test('is run over a history that always begins at the same bar', async () => {
    const { anchorMs, createdAtMs } = await desk.deploy();
    for (let bar = 0; bar < 3; bar += 1) await desk.closeBar();
    expect(desk.runner.requests.map(({ bars }) => bars.time[0])).toEqual(Array(4).fill(anchorMs));
    expect(desk.runner.requests.map(({ bars }) => bars.count)).toEqual([1001, 1002, 1003, 1004]);
    // A script that asks for the last bars only gets those before the deployment was made, in every run.
    const [, ...later] = desk.runner.requests;
    expect(later.map(({ liveSinceMs }) => liveSinceMs)).toEqual(Array(3).fill(createdAtMs));
    // Nothing of history is wanted back: ten thousand alerts of it would hold up everybody else.
    for (const request of desk.runner.requests)
      expect(request).toMatchObject({ alertsSinceMs: request.bars.time[request.bars.count - 1] });
  });

  test('with more alerts than are sent of one bar sends the first, and the log has the number of the others', async () => {
    desk.runner.answer = (request) => resultOf(request, () => MAX_EVENTS_PER_BAR + 3);
    const { id } = await desk.deploy();
    await desk.closeBar();
    await desk.clock.advance(5000);
    expect(desk.arrived.map(({ event }) => event.ordinal)).toEqual(
      Array.from({ length: MAX_EVENTS_PER_BAR }, (_, i) => i),
    );
    expect(await desk.logs(id)).toContainEqual(expect.stringContaining('3 more alerts on this bar were not sent'));
  });

  test('costs no question to the market while the stream is whole', async () => {
    await desk.deploy();
    await desk.closeBar();
    const { asked } = desk.market;
    for (let bar = 0; bar < 5; bar += 1) await desk.closeBar();
    expect(desk.market.asked).toBe(asked);
  });

  test('moves the anchor at 20,000 bars, to 10,000, and says so', async () => {
    await desk.close();
    desk = openTestDesk(30_000);
    const { id, anchorMs } = await desk.deploy();
    await desk.deployments.pause(ANN, id);
    const found = await desk.store.current(id);
    const old = { ...found!.deployment, id: 'old', anchorMs: anchorMs - 18_999 * MINUTE_MS, state: 'running' as const };
    await desk.store.create(old, 'alert', { atMs: 1, kind: 'created', message: '' });
    await desk.crash();
    await desk.closeBar();
    expect(desk.runner.requests.at(-1)?.bars.count).toBe(10_000);
    expect((await desk.store.logs(ANN, 'old', 9))?.map(({ kind }) => kind)).toContain('re-anchored');
    await desk.closeBar();
    expect(desk.runner.requests.at(-1)?.bars.count).toBe(10_001);
  }, 20_000);
});

describe('after a restart', () => {
  test('a bar that closed while we were away acts when it is the newest and no more than half a minute old', async () => {
    await desk.deploy();
    await untilAlerting();
    const timeMs = desk.market.formingMs;
    desk.die();
    await desk.closeBar();
    await desk.clock.advance(29_000);
    await desk.rise();
    expect(eventTimes()).toEqual([timeMs]);
    await desk.crash();
    expect(eventTimes()).toEqual([timeMs]);
  });

  test('a bar that closed longer ago does not act, and the log says that it was missed', async () => {
    const { id } = await desk.deploy();
    await untilAlerting();
    desk.die();
    await desk.closeBar();
    await desk.clock.advance(29_001);
    await desk.rise();
    expect(eventTimes()).toEqual([]);
    expect((await desk.logs(id)).at(-1)).toBe(
      'missed: 1 bar was missed and will not act: they closed while Signalbox or the market was away.',
    );
  });

  test('of many bars that closed while we were away only the newest acts', async () => {
    const { id } = await desk.deploy();
    desk.die();
    for (let bar = 0; bar < 20; bar += 1) await desk.closeBar();
    while (!isAlerting(barAt(desk.market.formingMs - MINUTE_MS).close)) await desk.closeBar();
    await desk.rise();
    expect(eventTimes()).toEqual([desk.market.formingMs - MINUTE_MS]);
    expect(await desk.logs(id)).toContainEqual(expect.stringMatching(/^missed: \d\d bars were missed/));
  });

  test('an event that was stored and not delivered is delivered, under the same id', async () => {
    await desk.deploy();
    let died = false;
    desk.onDeliver = () => {
      if (!died) desk.die();
      died = true;
    };
    await closeAlertingBar();
    expect(desk.arrived).toEqual([]);
    await desk.rise();
    expect(desk.arrived.map(({ event }) => event.id)).toEqual(desk.events().map(({ id }) => id));
  });

  test('a bar that was run and not stored is run again, and acts once', async () => {
    await desk.deploy();
    await untilAlerting();
    desk.onStore = (method, moment) => {
      if (method === 'commitBar' && moment === 'before') desk.die();
    };
    const timeMs = desk.market.formingMs;
    await desk.closeBar();
    desk.onStore = undefined;
    await desk.rise();
    expect(eventTimes()).toEqual([timeMs]);
    expect(desk.arrived).toHaveLength(1);
  });
});

describe('when the stream is lost', () => {
  test('a bar that was never told acts when the next one begins to form', async () => {
    await desk.deploy();
    const timeMs = await closeAlertingBar(false);
    expect(eventTimes()).toEqual([]);
    desk.market.tick();
    await desk.clock.advance(100);
    expect(eventTimes()).toEqual([timeMs]);
  });

  test('bars that are told in one go afterwards do not act, but for the newest', async () => {
    const { id } = await desk.deploy();
    desk.market.state('reconnecting');
    const from = desk.market.formingMs;
    for (let bar = 0; bar < 9; bar += 1) await desk.closeBar(false);
    desk.market.state('live');
    for (let timeMs = from; timeMs < desk.market.formingMs; timeMs += MINUTE_MS) desk.market.tell(timeMs);
    await desk.clock.advance(1000);
    const newest = desk.market.formingMs - MINUTE_MS;
    expect(eventTimes()).toEqual(isAlerting(barAt(newest).close) ? [newest] : []);
    expect(await desk.logs(id)).toContainEqual(expect.stringContaining('missed: 8 bars were missed'));
    expect(desk.runner.requests.at(-1)?.bars.time.at(-1)).toBe(newest);
  });

  test('and history cannot be read, a bar told in time still acts once it can', async () => {
    await desk.deploy();
    while (!isAlerting(barAt(desk.market.formingMs + MINUTE_MS).close)) await desk.closeBar();
    const timeMs = desk.market.formingMs + MINUTE_MS;
    desk.market.fault = new Error('down');
    await desk.closeBar(false);
    await desk.closeBar();
    await desk.clock.advance(45_000);
    expect(eventTimes()).not.toContain(timeMs);
    desk.market.fault = undefined;
    await desk.clock.advance(31_000);
    expect(eventTimes()).toContain(timeMs);
  });

  test('and history cannot be read, bars that are told without a gap are enough', async () => {
    const { id } = await desk.deploy();
    desk.market.fault = new Error('down');
    desk.market.state('reconnecting');
    const from = desk.market.formingMs;
    for (let bar = 0; bar < 3; bar += 1) await desk.closeBar(false);
    while (!isAlerting(barAt(desk.market.formingMs - MINUTE_MS).close)) await desk.closeBar(false);
    for (let timeMs = from; timeMs < desk.market.formingMs; timeMs += MINUTE_MS) desk.market.tell(timeMs);
    desk.market.state('live');
    await desk.clock.advance(1000);
    expect(eventTimes()).toEqual([desk.market.formingMs - MINUTE_MS]);
    expect(await desk.logs(id)).toContainEqual(expect.stringMatching(/^missed: \d+ bars were missed/));
  });

  test('a market that refuses to be followed is followed again later', async () => {
    await desk.deploy();
    desk.market.refuse('too many markets');
    expect(desk.market.followers).toBe(0);
    await desk.clock.advance(30_000);
    expect(desk.market.followers).toBe(1);
    expect(desk.warnings.join()).toContain('too many markets');
  });
});

describe('when the clock is wrong', () => {
  test.each([-3_600_000, 3_600_000])(
    'by %d ms, bars still act at the pace of the market, and the log warns',
    async (offMs) => {
      await desk.deploy();
      await desk.closeBar();
      desk.clock.set(desk.clock.nowMs() + offMs);
      const told: number[] = [];
      for (let bar = 0; bar < 15; bar += 1) {
        await desk.clock.advance(MINUTE_MS);
        if (isAlerting(barAt(desk.market.formingMs).close)) told.push(desk.market.formingMs);
        desk.market.closeBar();
        await desk.clock.advance(0);
      }
      expect(eventTimes().slice(-3)).toEqual(told.slice(-3));
      expect(desk.warnings.join()).toContain('set the clock of this machine');
    },
  );

  test('behind, no old bar looks new after a restart', async () => {
    await desk.deploy();
    desk.die();
    for (let bar = 0; bar < 60; bar += 1) await desk.closeBar();
    for (const behind of [10, 20, 30, 37]) {
      desk.clock.set(desk.market.formingMs - behind * MINUTE_MS + 5000);
      await desk.rise();
      await desk.clock.advance(1000);
      desk.die();
    }
    await desk.rise();
    expect(eventTimes()).toEqual([]);
  });
});

describe('runs', () => {
  test('of one deployment never overlap, and a bar that closes meanwhile is run after the one before it', async () => {
    await desk.deploy();
    await untilAlerting();
    const slow = Promise.withResolvers<undefined>();
    desk.runner.answer = () => slow.promise;
    const from = desk.market.formingMs;
    for (let bar = 0; bar < 3; bar += 1) await desk.closeBar();
    const started = desk.runner.requests.length;
    expect(desk.runner.requests.at(-1)?.bars.time.at(-1)).toBe(from);
    desk.runner.answer = undefined;
    slow.resolve(undefined);
    await desk.clock.advance(100);
    expect(desk.runner.requests).toHaveLength(started + 2);
    expect(desk.runner.mostAtOnce).toBe(1);
    const due = [from, from + MINUTE_MS, from + 2 * MINUTE_MS].filter((timeMs) => isAlerting(barAt(timeMs).close));
    expect(eventTimes().filter((timeMs) => timeMs >= from)).toEqual(due);
  });

  test('of many deployments share two places', async () => {
    for (let count = 0; count < 6; count += 1) await desk.deploy();
    const before = desk.runner.requests.length;
    await desk.closeBar();
    expect(desk.runner.requests).toHaveLength(before + 6);
    expect(desk.runner.mostAtOnce).toBe(2);
    expect(desk.market.followers).toBe(1);
  });

  test('that find the pool busy are tried again until they are served', async () => {
    await desk.deploy();
    await untilAlerting();
    desk.runner.answer = () => ({ kind: 'busy', reason: 'others wait' });
    const timeMs = desk.market.formingMs;
    await desk.closeBar();
    await desk.clock.advance(20_000);
    expect(eventTimes()).not.toContain(timeMs);
    desk.runner.answer = undefined;
    await desk.clock.advance(1000);
    expect(eventTimes()).toContain(timeMs);
  });

  test('that had to wait for ten minutes do not act any more, and the log says so', async () => {
    const { id } = await desk.deploy();
    await untilAlerting();
    const timeMs = desk.market.formingMs;
    desk.runner.answer = () => ({ kind: 'busy', reason: 'others wait' });
    await desk.closeBar();
    await desk.clock.advance(602_000);
    desk.runner.answer = undefined;
    await desk.clock.advance(2000);
    expect(eventTimes()).not.toContain(timeMs);
    expect(await desk.logs(id)).toContainEqual(expect.stringContaining('the run had to wait too long'));
  });

  test('whose outcome cannot be stored are tried again, and act once', async () => {
    await desk.deploy();
    await untilAlerting();
    const timeMs = desk.market.formingMs;
    desk.onStore = (method, moment) => {
      if (method === 'commitBar' && moment === 'before') throw new Error('the disk is full');
    };
    await desk.closeBar();
    expect(eventTimes()).not.toContain(timeMs);
    desk.onStore = undefined;
    await desk.clock.advance(5000);
    expect(eventTimes().filter((time) => time === timeMs)).toHaveLength(1);
  });

  test('under way when their deployment is paused or removed do not act', async () => {
    for (const end of ['pause', 'remove'] as const) {
      const { id } = await desk.deploy();
      await untilAlerting();
      const timeMs = desk.market.formingMs;
      const slow = Promise.withResolvers<undefined>();
      desk.runner.answer = () => slow.promise;
      await desk.closeBar();
      await desk.deployments[end](ANN, id);
      desk.runner.answer = undefined;
      slow.resolve(undefined);
      await desk.clock.advance(100);
      expect(eventTimes()).not.toContain(timeMs);
      expect(desk.market.followers).toBe(0);
    }
  });
});
