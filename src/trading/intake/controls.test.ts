// Controls: stored, audited, told to everyone who watches, and unchanged when they could not be stored.

import { describe, expect, test, vi } from 'vitest';
import { START_MS } from '../../../tests/ports/sample-trades.ts';
import { INITIAL_CONTROLS, memorySettings } from '../testing/test-desk.ts';
import { type AuditEntry, type ControlValues, createControls, ENVIRONMENT_SETTINGS } from './controls.ts';

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

  test.each(NAMES)('%s is in force at once, and after a restart, and changes nothing else', async (name) => {
    const { store, controls } = open();
    await controls.set(name, CHANGES[name], 'test');
    const expected = { ...INITIAL_CONTROLS, [name]: CHANGES[name] };
    expect(controls.current()).toEqual(expected);
    expect(open(store).controls.current()).toEqual(expected);
  });

  test('a stored value wins over a default', async () => {
    const { store, controls } = open();
    await controls.set('queueMode', 'direct', 'test');
    const later = createControls({ store, initial: { ...INITIAL_CONTROLS, queueMode: 'async' }, nowMs: () => 0 });
    expect(later.current().queueMode).toBe('direct');
  });

  test('what the environment sets rules over what is stored, and turning it is refused with the name of its setting', async () => {
    const { store, controls } = open();
    for (const name of NAMES) await controls.set(name, CHANGES[name], 'test');
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
    await expect(ruled.set('queueMode', 'async', 'x')).rejects.toThrow(/^QUEUE_MODE is set in the environment/);
    await expect(ruled.set('allowlist', [], 'x')).rejects.toThrow(/^IP_ALLOWLIST /);
    await expect(ruled.set('limits', { webhookRatePerMinute: 1 }, 'x')).rejects.toThrow(/^WEBHOOK_RATE_PER_MINUTE /);
    await ruled.set('limits', { failedAuthPerMinute: 4 }, 'x');
    expect(ruled.current().limits).toEqual({ ...INITIAL_CONTROLS.limits, failedAuthPerMinute: 4 });
    // Without the environment's word the stored one counts again, also the one beside it.
    expect(open(store).controls.current().limits).toEqual({ webhookRatePerMinute: 7, failedAuthPerMinute: 4 });
  });

  test('a limit nobody has turned keeps its default, whatever its neighbour', async () => {
    const { store, controls } = open();
    await controls.set('limits', { failedAuthPerMinute: 4 }, 'x');
    expect(controls.sources()).toMatchObject({ webhookRatePerMinute: 'default', failedAuthPerMinute: 'stored' });
    const later = { ...INITIAL_CONTROLS, limits: { webhookRatePerMinute: 99, failedAuthPerMinute: 1 } };
    expect(createControls({ store, initial: later, nowMs: () => 0 }).current().limits).toEqual({
      webhookRatePerMinute: 99,
      failedAuthPerMinute: 4,
    });
  });

  test('every change is audited with who, what, before and after', async () => {
    const { store, controls } = open();
    await controls.set('queueMode', 'direct', 'cli');
    await controls.set('queueMode', 'async', 'dashboard');
    expect(await store.audit(10)).toEqual([
      { atMs: START_MS, actor: 'dashboard', setting: 'queueMode', before: '"direct"', after: '"async"' },
      { atMs: START_MS, actor: 'cli', setting: 'queueMode', before: '"failover"', after: '"direct"' },
    ]);
  });

  test('watchers hear the present values at once and every change after, with who made it', async () => {
    const { controls } = open();
    const heard: ControlValues[][] = [[], []];
    const actors: (string | undefined)[] = [];
    for (const list of heard) controls.watch((values) => list.push(values));
    controls.watch((_, actor) => actors.push(actor));
    await controls.set('queueMode', 'async', 'test');
    for (const list of heard) expect(list.map(({ queueMode }) => queueMode)).toEqual(['failover', 'async']);
    expect(actors).toEqual([undefined, 'test']);
  });

  test('a change that could not be stored is not in force, and nobody hears of it', async () => {
    const { store, controls } = open();
    const heard: ControlValues[] = [];
    controls.watch((values) => heard.push(values));
    store.fail = true;
    await expect(controls.set('killSwitch', CHANGES.killSwitch, 'test')).rejects.toThrow('disk full');
    expect(controls.current()).toEqual(INITIAL_CONTROLS);
    expect(heard).toHaveLength(1);
  });

  test('two changes at the same moment are both in force, stored one after the other', async () => {
    const store = memorySettings();
    const underWay: (() => void)[] = [];
    const slow = {
      ...store,
      async set(name: string, value: string, entry: AuditEntry) {
        await new Promise<void>((resolve) => underWay.push(resolve));
        await store.set(name, value, entry);
      },
    };
    const controls = createControls({ store: slow, initial: INITIAL_CONTROLS, nowMs: () => START_MS });
    const both = Promise.all([
      controls.set('limits', { webhookRatePerMinute: 7 }, 'first'),
      controls.set('limits', { failedAuthPerMinute: 3 }, 'second'),
    ]);
    await vi.waitFor(() => expect(underWay).toHaveLength(1));
    expect(controls.current()).toEqual(INITIAL_CONTROLS);
    underWay.shift()?.();
    await vi.waitFor(() => expect(underWay).toHaveLength(1));
    expect(controls.current().limits).toEqual({ ...INITIAL_CONTROLS.limits, webhookRatePerMinute: 7 });
    underWay.shift()?.();
    await both;
    expect(controls.current().limits).toEqual({ webhookRatePerMinute: 7, failedAuthPerMinute: 3 });
    expect(open(store).controls.current().limits).toEqual({ webhookRatePerMinute: 7, failedAuthPerMinute: 3 });
  });

  test('a change behind one that fails is made all the same', async () => {
    const { store, controls } = open();
    store.fail = true;
    const failing = controls.set('queueMode', 'async', 'test');
    const after = failing.catch(() => {
      store.fail = false;
      return controls.set('queueMode', 'direct', 'test');
    });
    await expect(failing).rejects.toThrow('disk full');
    await after;
    expect(controls.current().queueMode).toBe('direct');
  });

  test('the values handed out cannot be changed behind their back', () => {
    expect(Object.isFrozen(open().controls.current())).toBe(true);
  });
});

test('over a store that keeps nothing, as that of a replay, what was set is in force all the same', async () => {
  const forgetful = { ...memorySettings(), get: () => undefined };
  const controls = createControls({ store: forgetful, initial: INITIAL_CONTROLS, nowMs: () => 0 });
  await controls.set('killSwitch', { active: true, scope: 'all' }, 'past');
  expect(controls.current().killSwitch.active).toBe(true);
});
