// Stops whose venue, disk or process fails: never twice, never forgotten, never too late.

import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createScriptedVenue, type ScriptedVenue } from '../support/scripted-venue.ts';
import { eventually, expectFilled, expectRefusal } from '../webhook/answers.ts';
import { forbid } from './forbid.ts';
import { openProtected, type Protected } from './written-market.ts';

/** A long of 0.01 with a stop of 2 percent at a venue that does what it is told. */
async function openLong(
  options: Parameters<typeof openProtected>[0] = {},
): Promise<Protected & { venue: ScriptedVenue }> {
  const venue = createScriptedVenue();
  const house = await openProtected({ venues: [venue], ...options });
  await house.gateway.send();
  await house.set();
  return { ...house, venue };
}
const closesSent = (venue: ScriptedVenue) => venue.sent.filter(({ reduceOnly }) => reduceOnly);
const isFlat = (positions: unknown[]): boolean => positions.length === 0;

/** The price falls, and a look sees it. */
async function fall({ market, gateway }: Protected): Promise<void> {
  market.trade(48_000);
  gateway.clock.offsetMs += 2000;
  await gateway.desk.protections.look();
}

describe('a venue', () => {
  it('that cannot be reached is tried until it can, however old the close is by then', async () => {
    const house = await openLong({ signalMaxAgeMs: 1000 });
    house.venue.down = 'not-sent';
    await fall(house);
    await eventually(house.closes, (closes) => closes.length === 1);
    house.gateway.clock.offsetMs += 120_000;
    await sleep(600);
    expect(closesSent(house.venue)).toEqual([]);
    house.venue.down = undefined;
    await eventually(house.positions, isFlat);
    expect(closesSent(house.venue)).toHaveLength(1);
    expect(await house.closes()).toMatchObject([{ status: 'Filled' }]);
  });

  it('that does not answer is asked, and the close is not sent again', async () => {
    const house = await openLong();
    house.venue.script.push({ fail: 'unknown', taken: true });
    house.venue.hiddenLooks = 2;
    await fall(house);
    await eventually(house.positions, isFlat);
    expect(closesSent(house.venue)).toHaveLength(1);
    expect(await house.stops()).toEqual([]);
  });

  it('that refuses is asked again with a new order, with an alarm, also with the kill switch on', async () => {
    const house = await openLong();
    await house.gateway.request('PUT', '/admin/kill-switch', { active: true });
    house.venue.script.push({ fail: 'rejected', message: 'too busy' });
    await fall(house);
    await eventually(house.positions, isFlat);
    const ids = closesSent(house.venue).map(({ clientOrderId }) => clientOrderId);
    expect(new Set(ids).size).toBe(2);
    expect((await house.closes()).map(({ status }) => status)).toEqual(['Rejected', 'Filled']);
    expect(house.gateway.alarms.join('\n')).toContain('could NOT be closed: too busy. Trying again');
  });

  it('that has no such position any more ends the stop', async () => {
    const house = await openLong();
    house.venue.hold('LONG', '0');
    await fall(house);
    await eventually(house.stops, isFlat);
    expect(house.gateway.alarms.join('\n')).toContain('no position at the venue any more');
  });
});

describe('a process that dies', () => {
  it('after the stop was reached and before the venue took the close goes on after its restart, once', async () => {
    const house = await openLong();
    house.venue.down = 'not-sent';
    await fall(house);
    await eventually(house.closes, (closes) => closes.length === 1);
    const again = await house.restart();
    expect(await again.stops()).toMatchObject([
      { status: 'closing', closeRequestId: (await again.closes())[0].requestId },
    ]);
    house.venue.down = undefined;
    await eventually(again.positions, isFlat);
    expect(closesSent(house.venue)).toHaveLength(1);
    expect(await again.stops()).toEqual([]);
  });

  it('finds the position closed although the last word of the stop did not reach the disk', async () => {
    const house = await openLong();
    const [stop] = house.gateway.desk.protections.list();
    await fall(house);
    await eventually(house.positions, isFlat);
    if (stop) await house.gateway.protection.protections.write({ save: [stop] });
    const again = await house.restart();
    expect(await again.stops()).toEqual([]);
    await again.trade(40_000);
    expect(closesSent(house.venue)).toHaveLength(1);
  });
});

it('an entry whose stop cannot be written down is not accepted, and nothing is traded', async () => {
  const house = await openProtected();
  forbid(house.gateway.dataDir, 'BEFORE INSERT ON pending_stops');
  const sent = await house.gateway.send({ trailPercent: 2 });
  expectRefusal(sent, 'STORAGE_FAILED');
  expect(await house.positions()).toEqual([]);
  expectFilled(await house.gateway.send());
});

it('prices that cannot be read do not close anything, and are told', async () => {
  const house = await openLong();
  house.market.silent = true;
  await fall(house);
  expect([await house.closes(), (await house.stops())[0].status]).toEqual([[], 'active']);
  house.market.silent = false;
  await fall(house);
  await eventually(house.positions, isFlat);
});

it('two hundred stops at once each close their own position', async () => {
  const house = await openProtected();
  const { gateway } = house;
  const symbols = Array.from({ length: 200 }, (_, index) => `COIN${index}USDT`);
  for (const symbol of symbols) await gateway.send({ symbol, quantity: 0.01, trailPercent: 2 });
  expect(await house.stops()).toHaveLength(200);
  await fall(house);
  await eventually(house.positions, isFlat);
  const closes = (await gateway.request('GET', '/trades?limit=100&status=Filled')).body.result;
  expect(new Set(closes.map(({ market }: { market: string }) => market)).size).toBe(100);
  expect([await house.stops(), gateway.troubles]).toEqual([[], []]);
});
