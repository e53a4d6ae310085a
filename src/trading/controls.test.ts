// Controls: stored, audited, told to everyone who watches, and unchanged when they could not be stored.

import { describe, expect, test } from 'vitest';
import { START_MS } from '../../tests/ports/sample-trades.ts';
import { type ControlValues, createControls } from './controls.ts';
import { INITIAL_CONTROLS, memorySettings } from './testing/test-desk.ts';

function open(store = memorySettings()) {
  return { store, controls: createControls({ store, initial: INITIAL_CONTROLS, nowMs: () => START_MS }) };
}

const CHANGES: { readonly [N in keyof ControlValues]: ControlValues[N] } = {
  killSwitch: { active: true, scope: 'entries', reason: 'Größe 🚂' },
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

  test('a stored value wins over what a later start is given', () => {
    const { store, controls } = open();
    controls.set('queueMode', 'direct', 'test');
    const later = createControls({ store, initial: { ...INITIAL_CONTROLS, queueMode: 'async' }, nowMs: () => 0 });
    expect(later.current().queueMode).toBe('direct');
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
