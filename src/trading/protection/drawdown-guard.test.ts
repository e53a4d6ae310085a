// The drawdown guard: when it throws the switch, when it does not, and what it remembers.

import { beforeEach, describe, expect, it } from 'vitest';
import { createHandClock } from '../../timing/testing/hand-clock.ts';
import { decimal } from '../decimal.ts';
import { createControls } from '../intake/controls.ts';
import { INITIAL_CONTROLS, memorySettings } from '../testing/test-desk.ts';
import { createDrawdownGuard, DRAWDOWN_ACTOR, type DrawdownDay, type DrawdownGuard } from './drawdown-guard.ts';

const NOON_MS = Date.UTC(2026, 10, 15, 12);
const HOUR_MS = 3_600_000;

const clock = createHandClock(0);
let nowMs: number;
let equity: string | undefined;
let stored: DrawdownDay | undefined;
let writes: number;
let alarms: string[];
let settings: ReturnType<typeof memorySettings>;
let controls: ReturnType<typeof createControls>;
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
      readDay: () => stored,
      writeDay: async (_, day) => {
        writes++;
        stored = day;
      },
    },
    controls,
    nowMs: () => nowMs,
    timers: clock.timers,
    onAlarm: (_, text) => alarms.push(text),
    onTrouble: (what, error) => alarms.push(`${what}: ${error}`),
  });
};
const at = async (worth: string | undefined, afterMs = 5000): Promise<boolean> => {
  nowMs += afterMs;
  equity = worth;
  await guard.check();
  return controls.current().killSwitch.active;
};
beforeEach(() => {
  [nowMs, stored, writes, alarms, settings] = [NOON_MS, undefined, 0, [], memorySettings()];
  controls = createControls({ store: settings, initial: INITIAL_CONTROLS, nowMs: () => nowMs });
  open();
});

describe('the drawdown guard', () => {
  it('throws the switch for entries when the loss of the day reaches the limit, audited and with an alarm', async () => {
    expect(await at('1000')).toBe(false);
    expect(await at('1100')).toBe(false);
    expect(await at('950.01')).toBe(false);
    expect(await at('950')).toBe(true);
    const reason = 'drawdown guard: today binance:main lost 5 % of its equity, the limit is 5 %';
    expect(controls.current().killSwitch).toEqual({
      ...{ active: true, scope: 'entries', cancelEntries: true, reason, by: 'drawdown-guard' },
    });
    expect(settings.audit(9)).toMatchObject([{ actor: DRAWDOWN_ACTOR, setting: 'killSwitch', atMs: nowMs }]);
    expect(alarms).toEqual([
      'Today binance:main lost 5 % of its equity: no new positions until the kill switch is turned off',
    ]);
  });

  it('respects the owner who turns it off, until the loss reaches the next multiple of the limit', async () => {
    await at('1000');
    expect(await at('930')).toBe(true);
    const off = (): void => controls.set('killSwitch', { active: false, scope: 'all' }, 'owner');
    off();
    expect(await at('940')).toBe(false);
    expect(await at('900.01')).toBe(false);
    expect(await at('900')).toBe(true);
    off();
    expect(await at('851')).toBe(false);
    expect(await at('700')).toBe(true);
    off();
    expect(await at('651')).toBe(false);
    expect(await at('650')).toBe(true);
  });

  it('leaves a switch alone that is on already, and still tells', async () => {
    const before = { active: true, scope: 'all', reason: 'mine' } as const;
    controls.set('killSwitch', before, 'owner');
    await at('1000');
    await at('900');
    expect(controls.current().killSwitch).toEqual(before);
    expect(alarms).toHaveLength(1);
    await at('890');
    expect(alarms).toHaveLength(1);
  });

  it('remembers the start of the day and what it has thrown across a restart', async () => {
    await at('1000');
    await at('960', 60_000);
    open();
    expect(await at('950')).toBe(true);
    controls.set('killSwitch', { active: false, scope: 'all' }, 'owner');
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
    controls.set('killSwitch', { active: false, scope: 'all' }, 'owner');
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
    settings.fail = true;
    await expect(at('940')).rejects.toThrow('disk full');
    settings.fail = false;
    expect(await at('941')).toBe(true);
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
    controls.set('killSwitch', { active: false, scope: 'all' }, 'owner');
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
