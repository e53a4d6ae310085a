// The drawdown guard over real paper accounts: realised and unrealised losses, every account by itself.

import { afterAll, expect, it } from 'vitest';
import { guardDrawdown, walletSwitch } from '../../src/composition/drawdown.ts';
import { createTeardown } from '../../src/composition/teardown.ts';
import type { Exchange } from '../../src/exchanges/exchange.ts';
import { backgroundTimers } from '../../src/timing/timers.ts';
import type { Controls, KillSwitch } from '../../src/trading/intake/controls.ts';
import type { Restriction } from '../../src/trading/intake/restrictions.ts';
import { eventually, expectFilled } from '../webhook/answers.ts';
import { openProtected, type Protected } from './written-market.ts';

const teardown = createTeardown();
afterAll(() => teardown.run());

/** Three accounts of 100 000 each. */
const guard = ({ gateway }: Protected, limitPercent: number): void =>
  guardDrawdown({
    limitPercent,
    venues: gateway.venues,
    teardown,
    store: gateway.protection.drawdown,
    restrictions: gateway.restrictions,
    nowMs: () => Date.now() + gateway.clock.offsetMs,
    timers: backgroundTimers,
    onAlarm: (_, text) => gateway.alarms.push(text),
    onAlarmOver: () => {},
    onTrouble: (what) => gateway.troubles.push(what),
  });

const switchOf = ({ gateway }: Protected, name: string): KillSwitch | undefined =>
  gateway.restrictions.find({ kind: 'account', name })?.killSwitch;

const dayOf = ({ gateway }: Protected, exchange: Exchange = 'binance', account = 'main') =>
  gateway.protection.drawdown.readDay({ exchange, mode: 'paper', account });

it('throws the switch of the account that lost, whatever lies in the others, which go on; closing works', async () => {
  const house = await openProtected();
  const { gateway, market } = house;
  guard(house, 2);
  await eventually(
    () => dayOf(house, 'mexc'),
    (day) => day !== undefined,
  );
  await gateway.send({ quantity: 1 });
  await gateway.send({ quantity: 0.1, exchange: 'bybit' });
  // A little of it realised: about 2 600 of 100 000 on binance, and not one percent of the 300 000 of all accounts.
  market.trade(47_500);
  await gateway.send({ action: 'CLOSE_LONG', quantity: 0.5 });
  const thrown = (): KillSwitch | undefined => switchOf(house, 'binance:main');
  expect(thrown()).toBeUndefined();
  await eventually(thrown, (now) => now?.scope === 'entries' && now.by === 'drawdown-guard');
  expect(gateway.controls.current().killSwitch.active).toBe(false);
  expect((await gateway.send()).body.code).toBe('KILL_SWITCH_ACTIVE');
  expect((await gateway.send()).body.error).toMatch(
    /drawdown guard: today binance:main lost 2\.\d* % of its equity, the limit is 2 %/,
  );
  const audit = (await gateway.request('GET', '/admin/audit?limit=1')).body.result;
  expect(audit).toMatchObject([
    { actor: 'drawdown-guard', setting: 'restriction', after: { killSwitch: { scope: 'entries' } } },
  ]);
  expect(gateway.alarms.join()).toContain('no new positions there until its kill switch is turned off');
  expectFilled(await gateway.send({ exchange: 'bybit', quantity: 0.02 }));
  expectFilled(await gateway.send({ action: 'CLOSE_LONG', quantity: 0.5 }));
  expectFilled(await gateway.send({ action: 'CLOSE_LONG', exchange: 'bybit', quantity: 0.1 }));
  await gateway.request('PUT', '/admin/restrictions/account/binance%3Amain/kill-switch', { active: false });
  expectFilled(await gateway.send({ quantity: 0.02 }));
});

it('watches every account by itself, and names the one that lost', async () => {
  const house = await openProtected({ accounts: ['scalp'] });
  guard(house, 2);
  await eventually(
    () => Promise.all([dayOf(house), dayOf(house, 'binance', 'scalp')]),
    (days) => days.every((day) => day !== undefined),
  );
  await house.gateway.send({ account: 'scalp', quantity: 1 });
  house.market.trade(47_000);
  await eventually(
    () => switchOf(house, 'binance:scalp')?.reason ?? '',
    (reason) => reason.includes('today binance:scalp lost'),
  );
  await eventually(
    async () => (await dayOf(house, 'binance', 'scalp'))?.trippedPercent,
    (tripped) => tripped !== undefined,
  );
  expect((await dayOf(house))?.trippedPercent).toBeUndefined();
  expect(switchOf(house, 'binance:main')).toBeUndefined();
  expectFilled(await house.gateway.send());
  expect((await house.gateway.send({ account: 'scalp' })).body.code).toBe('KILL_SWITCH_ACTIVE');
});

it('is off at 0', async () => {
  const house = await openProtected();
  guard(house, 0);
  await house.gateway.send({ quantity: 1 });
  house.market.trade(1);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(await dayOf(house)).toBeUndefined();
});

it('does not lock the wallet unless a setting says so; a switch thrown by hand does', () => {
  const off = { active: false, scope: 'all' } as const;
  const byGuard = { active: true, scope: 'entries', by: 'drawdown-guard' } as const;
  const byHand = { active: true, scope: 'entries' } as const;
  const seen = (over: KillSwitch, ofAccount: KillSwitch | undefined, freezes: boolean): KillSwitch => {
    const row = { kind: 'account', name: 'binance:main', limits: {}, ...(ofAccount && { killSwitch: ofAccount }) };
    const controls = { current: () => ({ killSwitch: over }) } as Pick<Controls, 'current'>;
    return walletSwitch({ controls, restrictions: { list: () => [row as Restriction] } }, freezes);
  };
  expect(seen(off, byGuard, false).active).toBe(false);
  expect(seen(off, byGuard, true)).toBe(byGuard);
  expect(seen(byHand, byGuard, true)).toBe(byHand);
  // One account that is stopped by hand is no reason either.
  for (const freezes of [true, false]) {
    expect(seen(off, byHand, freezes).active).toBe(false);
    expect(seen(byHand, undefined, freezes)).toBe(byHand);
  }
  // As the guard of earlier versions left it.
  expect(seen(byGuard, undefined, false).active).toBe(false);
  expect(seen(byGuard, undefined, true)).toBe(byGuard);
});
