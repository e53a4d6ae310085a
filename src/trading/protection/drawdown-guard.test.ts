// The drawdown guard: when it throws the switch, when it does not, and what it remembers.

import { beforeEach, describe, expect, it } from 'vitest';
import { createHandClock } from '../../timing/testing/hand-clock.ts';
import { decimal } from '../decimal.ts';
import type { AuditEntry, KillSwitch } from '../intake/controls.ts';
import { MAX_RESTRICTIONS, Restrictions } from '../intake/restrictions.ts';
import { memoryRestrictions } from '../testing/test-desk.ts';
import { createDrawdownGuard, DRAWDOWN_ACTOR, type DrawdownDay, type DrawdownGuard } from './drawdown-guard.ts';

const NOON_MS = Date.UTC(2026, 10, 15, 12);
const HOUR_MS = 3_600_000;

const clock = createHandClock(0);
let nowMs: number;
let equity: string | undefined;
let stored: DrawdownDay | undefined;
let writes: number;
let alarms: string[];
let over: string[];
let audit: AuditEntry[];
let isDiskFull: boolean;
let restrictions: Restrictions;
let guard: DrawdownGuard;
const open = (limit = '5'): void => {
  guard = createDrawdownGuard({
    account: { exchange: 'binance', mode: 'paper', account: 'main' },
    limitPercent: decimal(limit),
    equity: async () => {
      if (equity === undefined) throw new Error('no price');
      return decimal(equity);
    },
    store: {
      readDay: async () => stored,
      writeDay: async (_, day) => {
        writes++;
        stored = day;
      },
    },
    restrictions,
    nowMs: () => nowMs,
    timers: clock.timers,
    onAlarm: (_, text) => alarms.push(text),
    onAlarmOver: (kind) => over.push(kind),
    onTrouble: (what, error) => alarms.push(`${what}: ${error}`),
  });
};
const at = async (worth: string | undefined, afterMs = 5000): Promise<boolean> => {
  nowMs += afterMs;
  equity = worth;
  await guard.check();
  return killSwitch()?.active === true;
};
const MAIN = { kind: 'account', name: 'binance:main' } as const;
const killSwitch = (): KillSwitch | undefined => restrictions.find(MAIN)?.killSwitch;
const off = (): Promise<unknown> => restrictions.turnKillSwitch(MAIN, { active: false, scope: 'all' }, 'owner');
beforeEach(() => {
  [nowMs, stored, writes, alarms, over, audit, isDiskFull] = [NOON_MS, undefined, 0, [], [], [], false];
  const store = memoryRestrictions();
  const put: typeof store.put = async (row, entry) => {
    if (isDiskFull) throw new Error('disk full');
    audit.push(entry);
    await store.put(row, entry);
  };
  restrictions = new Restrictions({ store: { ...store, put }, nowMs: () => nowMs });
  open();
});

describe('the drawdown guard', () => {
  it('throws the switch of its account for entries when the loss of the day reaches the limit, audited and with an alarm', async () => {
    expect(await at('1000')).toBe(false);
    expect(await at('1100')).toBe(false);
    expect(await at('950.01')).toBe(false);
    expect(await at('950')).toBe(true);
    const reason = 'drawdown guard: today binance:main lost 5 % of its equity, the limit is 5 %';
    expect(killSwitch()).toEqual({
      ...{ active: true, scope: 'entries', cancelEntries: true, reason, by: 'drawdown-guard' },
    });
    expect(restrictions.list()).toHaveLength(1);
    expect(audit).toMatchObject([{ actor: DRAWDOWN_ACTOR, setting: 'restriction', atMs: nowMs }]);
    expect(alarms).toEqual([
      'Today binance:main lost 5 % of its equity: no new positions there until its kill switch is turned off ("signalbox kill-switch off --of account:binance:main")',
    ]);
  });

  it('its alarm is over when its switch is turned off, and not by a change of another one', async () => {
    await at('1000');
    expect(await at('930')).toBe(true);
    await restrictions.setLimits(MAIN, { rate: 10 }, 'owner');
    for (const other of [
      { kind: 'account', name: 'binance:scalp' },
      { kind: 'symbol', name: 'binance:main' },
    ] as const) {
      await restrictions.turnKillSwitch(other, { active: true, scope: 'all' }, 'owner');
      await restrictions.turnKillSwitch(other, { active: false, scope: 'all' }, 'owner');
    }
    expect(over).toEqual([]);
    await off();
    expect(over).toEqual(['drawdown binance:main']);
  });

  it('respects the owner who turns it off, until the loss reaches the next multiple of the limit', async () => {
    await at('1000');
    expect(await at('930')).toBe(true);
    await off();
    expect(await at('940')).toBe(false);
    expect(await at('900.01')).toBe(false);
    expect(await at('900')).toBe(true);
    await off();
    expect(await at('851')).toBe(false);
    expect(await at('700')).toBe(true);
    await off();
    expect(await at('651')).toBe(false);
    expect(await at('650')).toBe(true);
  });

  it('leaves a switch alone that is on already, and still tells', async () => {
    const before = { active: true, scope: 'all', reason: 'mine' } as const;
    await restrictions.turnKillSwitch(MAIN, before, 'owner');
    await at('1000');
    await at('900');
    expect(killSwitch()).toEqual(before);
    expect(alarms).toHaveLength(1);
    await at('890');
    expect(alarms).toHaveLength(1);
  });

  it('remembers the start of the day and what it has thrown across a restart', async () => {
    await at('1000');
    await at('960', 60_000);
    open();
    expect(await at('950')).toBe(true);
    await off();
    open();
    expect(await at('940')).toBe(false);
    expect(await at('900')).toBe(true);
  });

  it('begins a new day at midnight UTC with what was there last', async () => {
    await at('1000');
    await at('960', 12 * HOUR_MS - 6000);
    expect(stored?.day).toBe('2026-11-15');
    expect(await at('913', 6000)).toBe(false);
    expect([stored?.day, stored?.startEquity]).toEqual(['2026-11-16', decimal('960')]);
    expect(await at('912')).toBe(true);
  });

  it('throws the switch again on the next day', async () => {
    await at('1000');
    await at('940');
    await off();
    await at('940', 24 * HOUR_MS);
    expect(await at('893')).toBe(true);
  });

  it.each([
    [23, '1000'],
    [49, '900'],
  ])('that was away for %d hours counts from an equity of %s', async (hours, start) => {
    await at('1000');
    await guard.stop();
    open('50');
    await at('900', hours * HOUR_MS);
    expect(stored?.startEquity).toBe(decimal(start));
  });

  it('compares nothing while a price is missing, and goes on afterwards', async () => {
    await at('1000');
    await expect(at(undefined)).rejects.toThrow('no price');
    expect(await at('940')).toBe(true);
  });

  it('tries again when the switch could not be stored', async () => {
    await at('1000');
    isDiskFull = true;
    await expect(at('940')).rejects.toThrow('disk full');
    isDiskFull = false;
    expect(await at('941')).toBe(true);
  });

  it('leaves the limits and the pause of its account as they are', async () => {
    await restrictions.setLimits(MAIN, { rate: 3 }, 'owner');
    await restrictions.pause(MAIN, { reason: 'away' }, 'owner');
    await at('1000');
    expect(await at('940')).toBe(true);
    expect(restrictions.find(MAIN)).toMatchObject({ limits: { rate: 3 }, pause: { reason: 'away' } });
  });

  it('throws the switch also where there is no room for another limit', async () => {
    for (let row = 0; row < MAX_RESTRICTIONS; row += 1)
      await restrictions.setLimits({ kind: 'strategy', name: `s${row}` }, { rate: 1 }, 'owner');
    await expect(restrictions.setLimits(MAIN, { rate: 1 }, 'owner')).rejects.toThrow('remove some first');
    await at('1000');
    expect(await at('940')).toBe(true);
  });

  it('has nothing to say of accounts that had nothing', async () => {
    await at('0');
    expect(await at('-50')).toBe(false);
  });

  it('writes once a minute, not with every look', async () => {
    await at('1000');
    expect(writes).toBe(1);
    for (let looks = 0; looks < 11; looks++) await at('1000');
    expect(writes).toBe(1);
    await at('1000');
    expect(writes).toBe(2);
  });

  it('follows a changed limit at the next start', async () => {
    await at('1000');
    await at('940');
    await off();
    open('2');
    expect(await at('940')).toBe(false);
    expect(await at('920.01')).toBe(false);
    expect(await at('920')).toBe(true);
  });

  it('looks at once when it starts, and tells of what stands in the way', async () => {
    equity = undefined;
    guard.start();
    await new Promise((resolve) => setImmediate(resolve));
    expect(alarms).toEqual(['the drawdown guard could not compare the equity: Error: no price']);
    await guard.stop();
  });
});
