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
