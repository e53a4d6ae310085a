// Controls: stored, audited, told to everyone who watches, and unchanged when they could not be stored.

import { describe, expect, test } from 'vitest';
import { START_MS } from '../../../tests/ports/sample-trades.ts';
import { INITIAL_CONTROLS, memorySettings } from '../testing/test-desk.ts';
import { type ControlValues, createControls, ENVIRONMENT_SETTINGS } from './controls.ts';

function open(store = memorySettings()) {
  return { store, controls: createControls({ store, initial: INITIAL_CONTROLS, nowMs: () => START_MS }) };
}

const CHANGES: { readonly [N in keyof ControlValues]: ControlValues[N] } = {
  killSwitch: { active: true, scope: 'entries', reason: 'Größe 🚂', sinceMs: START_MS },
  queueMode: 'async',
  allowlist: ['10.0.0.0/8', 'tradingview'],
  limits: { webhookRatePerMinute: 7, failedAuthPerMinute: 3 },
};
const NAMES = Object.keys(CHANGES) as (keyof ControlValues)[];

describe('controls', () => {
  test('start with what they are given', () => {
    expect(open().controls.current()).toEqual(INITIAL_CONTROLS);
  });

  test.each(NAMES)('%s is in force at once, and after a restart, and changes nothing else', (name) => {
    const { store, controls } = open();
    controls.set(name, CHANGES[name], 'test');
    const expected = { ...INITIAL_CONTROLS, [name]: CHANGES[name] };
    expect(controls.current()).toEqual(expected);
    expect(open(store).controls.current()).toEqual(expected);
  });

  test('a stored value wins over a default', () => {
    const { store, controls } = open();
    controls.set('queueMode', 'direct', 'test');
    const later = createControls({ store, initial: { ...INITIAL_CONTROLS, queueMode: 'async' }, nowMs: () => 0 });
    expect(later.current().queueMode).toBe('direct');
  });

  test('what the environment sets rules over what is stored, and turning it is refused with the name of its setting', () => {
    const { store, controls } = open();
    for (const name of NAMES) controls.set(name, CHANGES[name], 'test');
    const ruledBy = { queueMode: 'environment', allowlist: '.env', webhookRatePerMinute: '.env' } as const;
    expect(Object.keys(ruledBy)).toEqual(Object.keys(ENVIRONMENT_SETTINGS));
    const ruled = createControls({ store, initial: INITIAL_CONTROLS, ruledBy, nowMs: () => 0 });
    expect(ruled.current()).toEqual({
      ...INITIAL_CONTROLS,
      killSwitch: CHANGES.killSwitch,
      limits: { ...INITIAL_CONTROLS.limits, failedAuthPerMinute: 3 },
    });
    expect(ruled.sources()).toEqual({
      ...{ killSwitch: 'stored', failedAuthPerMinute: 'stored' },
      ...ruledBy,
    });
    expect(() => ruled.set('queueMode', 'async', 'x')).toThrow(/^QUEUE_MODE is set in the environment/);
    expect(() => ruled.set('allowlist', [], 'x')).toThrow(/^IP_ALLOWLIST /);
    expect(() => ruled.set('limits', { webhookRatePerMinute: 1 }, 'x')).toThrow(/^WEBHOOK_RATE_PER_MINUTE /);
    ruled.set('limits', { failedAuthPerMinute: 4 }, 'x');
    expect(ruled.current().limits).toEqual({ ...INITIAL_CONTROLS.limits, failedAuthPerMinute: 4 });
    // Without the environment's word the stored one counts again, also the one beside it.
    expect(open(store).controls.current().limits).toEqual({ webhookRatePerMinute: 7, failedAuthPerMinute: 4 });
  });

  test('a limit nobody has turned keeps its default, whatever its neighbour', () => {
    const { store, controls } = open();
    controls.set('limits', { failedAuthPerMinute: 4 }, 'x');
    expect(controls.sources()).toMatchObject({ webhookRatePerMinute: 'default', failedAuthPerMinute: 'stored' });
    const later = { ...INITIAL_CONTROLS, limits: { webhookRatePerMinute: 99, failedAuthPerMinute: 1 } };
    expect(createControls({ store, initial: later, nowMs: () => 0 }).current().limits).toEqual({
      webhookRatePerMinute: 99,
      failedAuthPerMinute: 4,
    });
  });

  test('every change is audited with who, what, before and after', () => {
    const { store, controls } = open();
    controls.set('queueMode', 'direct', 'cli');
    controls.set('queueMode', 'async', 'dashboard');
    expect(store.audit(10)).toEqual([
      { atMs: START_MS, actor: 'dashboard', setting: 'queueMode', before: '"direct"', after: '"async"' },
      { atMs: START_MS, actor: 'cli', setting: 'queueMode', before: '"failover"', after: '"direct"' },
    ]);
  });

  test('watchers hear the present values at once and every change after', () => {
    const { controls } = open();
    const heard: ControlValues[][] = [[], []];
    for (const list of heard) controls.watch((values) => list.push(values));
    controls.set('queueMode', 'async', 'test');
    for (const list of heard) expect(list.map(({ queueMode }) => queueMode)).toEqual(['failover', 'async']);
  });

  test('a change that could not be stored is not in force, and nobody hears of it', () => {
    const { store, controls } = open();
    const heard: ControlValues[] = [];
    controls.watch((values) => heard.push(values));
    store.fail = true;
    expect(() => controls.set('killSwitch', CHANGES.killSwitch, 'test')).toThrow('disk full');
    expect(controls.current()).toEqual(INITIAL_CONTROLS);
    expect(heard).toHaveLength(1);
  });

  test('the values handed out cannot be changed behind their back', () => {
    expect(Object.isFrozen(open().controls.current())).toBe(true);
  });
});
