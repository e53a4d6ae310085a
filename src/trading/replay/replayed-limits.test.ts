// Limits of the past: as they were when the journal began, changed again as they were changed, and set otherwise.

import { expect, test } from 'vitest';
import type { AuditEntry } from '../intake/controls.ts';
import { RESTRICTION, type Restriction, Restrictions } from '../intake/restrictions.ts';
import { initialRestrictions, restrictAgain, setOtherwise } from './replayed-limits.ts';

const ema: Restriction = { kind: 'strategy', name: 'ema', limits: { entriesPerDay: 3 } };
const wider: Restriction = { ...ema, limits: { entriesPerDay: 9 }, pause: { sinceMs: 1, reason: 'news' } };
const btc: Restriction = { kind: 'symbol', name: 'BTCUSDT', limits: { largestOrder: 10 } };
const change = (before: Restriction | null, after: Restriction | null): AuditEntry => ({
  ...{ atMs: 1, actor: 'owner', setting: RESTRICTION },
  before: before && JSON.stringify(before),
  after: after && JSON.stringify(after),
});
const restrictionsOf = (rows: readonly Restriction[]) =>
  new Restrictions({ store: { list: () => rows, put: async () => {}, remove: async () => {} }, nowMs: () => 1 });

test('when the journal began there was what was there before the first change of each', async () => {
  const audit = [change(null, ema), change(ema, wider), { ...change(ema, null), setting: 'limits' }, change(btc, null)];
  const untouched: Restriction = { kind: 'key', name: 'main', limits: { rate: 5 } };
  expect(initialRestrictions(audit, [wider, untouched])).toEqual([untouched, btc]);
});

test('every change happens again, also the one that leaves nothing', async () => {
  const restrictions = restrictionsOf([]);
  await restrictAgain(restrictions, change(null, ema));
  expect(restrictions.list()).toEqual([ema]);
  await restrictAgain(restrictions, change(ema, wider));
  expect(restrictions.list()).toEqual([wider]);
  await restrictAgain(restrictions, change(wider, null));
  expect(restrictions.list()).toEqual([]);
});

test('a limit that is set otherwise stands beside those that are not named, and can be taken away', async () => {
  const restrictions = restrictionsOf([wider]);
  await setOtherwise(restrictions, [{ subject: ema, limits: { largestOrder: 7 } }]);
  expect(restrictions.find(ema)).toEqual({ ...wider, limits: { entriesPerDay: 9, largestOrder: 7 } });
  await setOtherwise(restrictions, [{ subject: ema, limits: { entriesPerDay: undefined } }]);
  expect(restrictions.find(ema)?.limits).toEqual({ largestOrder: 7 });
});
