// The drawdown guard over real paper accounts: realised and unrealised losses, all accounts together.

import { afterAll, expect, it } from 'vitest';
import type { PaperVenue } from '../../src/adapters/venues/paper/paper-venue.ts';
import { guardDrawdown } from '../../src/composition/drawdown.ts';
import { createTeardown } from '../../src/composition/teardown.ts';
import { eventually, expectFilled } from '../webhook/answers.ts';
import { openProtected, type Protected } from './written-market.ts';

const teardown = createTeardown();
afterAll(() => teardown.run());

/** Three accounts of 100 000 each. */
const guard = ({ gateway }: Protected, limitPercent: number): void =>
  guardDrawdown({
    limitPercent,
    venues: gateway.venues as unknown as PaperVenue[],
    teardown,
    store: gateway.protection.drawdown,
    controls: gateway.controls,
    nowMs: () => Date.now() + gateway.clock.offsetMs,
    onAlarm: (_, text) => gateway.alarms.push(text),
    onTrouble: (what) => gateway.troubles.push(what),
  });

it('throws the switch for entries over realised and unrealised losses of all accounts, and closing goes on', async () => {
  const house = await openProtected();
  const { gateway, market } = house;
  guard(house, 2);
  await eventually(
    () => gateway.protection.drawdown.readDay(),
    (day) => day !== undefined,
  );
  await gateway.send({ quantity: 1 });
  await gateway.send({ quantity: 1, exchange: 'bybit' });
  market.trade(47_000);
  await gateway.send({ action: 'CLOSE_LONG', quantity: 1 });
  expect(gateway.controls.current().killSwitch.active).toBe(false);
  // About 3 000 realised and 3 000 unrealised of 300 000; the fees make the difference.
  await eventually(
    () => gateway.controls.current().killSwitch,
    ({ active, scope }) => active && scope === 'entries',
  );
  expect((await gateway.send()).body.code).toBe('KILL_SWITCH_ACTIVE');
  expect((await gateway.send()).body.error).toMatch(
    /drawdown guard: today lost 2\.\d* % of the equity, the limit is 2 %/,
  );
  const audit = (await gateway.request('GET', '/admin/audit?limit=1')).body.result;
  expect(audit).toMatchObject([{ actor: 'drawdown-guard', setting: 'killSwitch', after: { scope: 'entries' } }]);
  expect(gateway.alarms.join()).toContain('no new positions until the kill switch is turned off');
  expectFilled(await gateway.send({ action: 'CLOSE_LONG', exchange: 'bybit', quantity: 1 }));
  await gateway.request('PUT', '/admin/kill-switch', { active: false });
  expectFilled(await gateway.send({ quantity: 0.02 }));
});

it('is off at 0', async () => {
  const house = await openProtected();
  guard(house, 0);
  await house.gateway.send({ quantity: 1 });
  house.market.trade(1);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(house.gateway.protection.drawdown.readDay()).toBeUndefined();
});
