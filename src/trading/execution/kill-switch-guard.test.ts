// The kill switch of a key while the journal cannot be read: it says so and tries again until the positions are closed.

import { expect, test } from 'vitest';
import { positionOf } from '../../../tests/ports/sample-trades.ts';
import { StorageError } from '../../errors/storage-error.ts';
import { PositionBook } from '../books/position-book.ts';
import type { Restriction } from '../intake/restrictions.ts';
import { KillSwitchGuard, type KillSwitchGuardParts } from './kill-switch-guard.ts';

const KEY = { kind: 'key', name: 'a' } as const;

function open(failures: number) {
  const seen = { closed: [] as (readonly string[])[], alarms: [] as string[], troubles: [] as string[] };
  let nowMs = 0;
  let left = failures;
  let isLoaded = false;
  let isOpen = true;
  const killSwitch = { active: true, scope: 'all', flatten: true, cancelEntries: true } as const;
  const row: Restriction = { ...KEY, limits: {}, killSwitch };
  const parts: KillSwitchGuardParts = {
    controls: { current: () => ({ killSwitch: { active: false, scope: 'all' } }) as never, watch: () => {} },
    restrictions: { list: () => [row], find: () => row, watch: () => {} },
    journal: { unfinished: async () => [] },
    book: new PositionBook([positionOf()]),
    facts: {
      load: async () => {
        if (left-- > 0) throw new StorageError('the disk is away');
        isLoaded = true;
      },
      get isLoaded() {
        return isLoaded;
      },
      isHeldBy: (_, label) => isLoaded && isOpen && label === 'a',
    },
    resting: { entries: () => [] },
    canceler: { cancelOrders: async () => [{ outcome: 'canceled' }] as never },
    closer: {
      close: async ({ positions }: { positions: readonly string[] }) => {
        seen.closed.push(positions);
        isOpen = false;
        return { closed: [] };
      },
      closeShares: async () => ({ closed: [] }),
    } as never,
    accounts: { has: () => true },
    newRequestId: () => 'r',
    monotonicMs: () => nowMs,
    onAlarm: (kind, text) => seen.alarms.push(`${kind}: ${text}`),
    onTrouble: (what) => seen.troubles.push(what),
  };
  const guard = new KillSwitchGuard(parts);
  const later = async (ms: number): Promise<void> => {
    nowMs += ms;
    guard.look();
    await settled();
  };
  return { guard, seen, later };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('it is told and tried again until the positions of the key are closed, and then no more', async () => {
  const { guard, seen, later } = open(2);
  guard.start();
  await settled();
  expect(seen.closed).toEqual([]);
  expect(seen.troubles).toHaveLength(1);
  expect(seen.alarms).toEqual([
    'kill-switch flatten key:a: The kill switch of key "a" is on, but its positions could NOT be closed yet: the disk is away. Trying again',
  ]);
  await later(500);
  expect(seen.troubles).toHaveLength(1);
  await later(500);
  expect([seen.closed, seen.troubles.length]).toEqual([[], 2]);
  await later(60_000);
  expect(seen.closed).toEqual([['binance:BTCUSDT:LONG']]);
  await later(60_000);
  expect([seen.closed.length, seen.troubles.length]).toEqual([1, 2]);
});

test('what was withdrawn meanwhile is told all the same', async () => {
  const { guard } = open(1);
  guard.start();
  expect(await guard.enforced(KEY)).toEqual({ canceled: [{ outcome: 'canceled' }], closed: [] });
});

test('a position whose account is not traded now is told once, and holds up nothing', async () => {
  const seen = { closed: [] as (readonly string[])[], alarms: [] as string[], over: [] as string[] };
  let nowMs = 0;
  let killSwitch = { active: true, scope: 'all', flatten: true };
  const here = positionOf();
  const away = { ...positionOf(), account: 'gone' };
  const book = new PositionBook([here, away]);
  const guard = new KillSwitchGuard({
    controls: { current: () => ({ killSwitch }) as never, watch: (listener) => listener({ killSwitch } as never) },
    restrictions: { list: () => [], find: () => undefined, watch: () => {} },
    journal: { unfinished: async () => [] },
    ...{ book, facts: {} as never, resting: { entries: () => [] }, canceler: {} as never },
    accounts: { has: ({ account }) => account === 'main' },
    closer: {
      close: async ({ positions }: { positions: readonly string[] }) => {
        seen.closed.push(positions);
        const missing = { missing: 'not traded', cause: 'unknown-account' };
        const failed = { failed: true };
        return { closed: positions.map((key) => ({ key, ...(key.includes('gone') ? missing : failed) })) };
      },
    } as never,
    newRequestId: () => 'r',
    monotonicMs: () => nowMs,
    onAlarm: (_, text) => seen.alarms.push(text),
    onAlarmOver: (kind) => seen.over.push(kind),
    onTrouble: () => {},
  });
  guard.start();
  expect((await guard.enforced()).closed).toHaveLength(2);
  expect(seen.alarms).toEqual([
    'The kill switch is on, but binance:BTCUSDT:LONG could NOT be closed yet. Trying again',
    'The kill switch is on, but binance:gone:BTCUSDT:LONG cannot be closed: the account is not traded now; start Signalbox with it again',
  ]);
  nowMs += 60_000;
  guard.look();
  await settled();
  expect(seen.closed.slice(1)).toEqual([['binance:BTCUSDT:LONG']]);
  expect([seen.alarms.slice(2), seen.over]).toEqual([[seen.alarms[0]], []]);
  killSwitch = { ...killSwitch, active: false };
  guard.look();
  expect(seen.over).toEqual(['kill-switch flatten', 'kill-switch out of reach']);
});

test('where only such positions are left nothing is tried again', async () => {
  let nowMs = 0;
  let tries = 0;
  const killSwitch = { active: true, scope: 'all', flatten: true } as const;
  const guard = new KillSwitchGuard({
    controls: { current: () => ({ killSwitch }) as never, watch: (listener) => listener({ killSwitch } as never) },
    restrictions: { list: () => [], find: () => undefined, watch: () => {} },
    journal: { unfinished: async () => [] },
    book: new PositionBook([positionOf()]),
    ...{ facts: {} as never, resting: { entries: () => [] }, canceler: {} as never, accounts: { has: () => false } },
    closer: { close: async () => ({ closed: [], tries: tries++ }) } as never,
    newRequestId: () => 'r',
    monotonicMs: () => nowMs,
    onTrouble: () => {},
  });
  guard.start();
  await guard.enforced();
  for (let minutes = 0; minutes < 3; minutes += 1) {
    nowMs += 60_000;
    guard.look();
    await settled();
  }
  expect(tries).toBe(1);
});

test.each(['the order has ended', 'the switch is off'])(
  'an order that could not be withdrawn is told until %s, whoever ended it',
  async (cause) => {
    const raised = new Set<string>();
    const waiting = [['sbx1', { run: { trade: {} }, order: { reduceOnly: false } }]];
    let killSwitch = { active: true, scope: 'entries', cancelEntries: true };
    const guard = new KillSwitchGuard({
      controls: { current: () => ({ killSwitch }) as never, watch: (listener) => listener({ killSwitch } as never) },
      restrictions: { list: () => [], find: () => undefined, watch: () => {} },
      journal: { unfinished: async () => [] },
      ...{ book: new PositionBook([]), facts: {} as never, accounts: { has: () => true }, closer: {} as never },
      resting: { entries: () => waiting as never },
      canceler: { cancelOrders: async () => [{ outcome: 'unclear', error: 'timed out' }] } as never,
      newRequestId: () => 'r',
      monotonicMs: () => 0,
      onAlarm: (kind) => raised.add(kind),
      onAlarmOver: (kind) => raised.delete(kind),
      onTrouble: () => {},
    });
    guard.start();
    await guard.enforced();
    guard.look();
    expect([...raised]).toEqual(['kill-switch withdrawal']);
    if (cause === 'the switch is off') killSwitch = { ...killSwitch, active: false };
    else waiting.pop();
    guard.look();
    expect([...raised]).toEqual([]);
  },
);
