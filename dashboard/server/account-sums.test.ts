// Sums over accounts: all of it, or not known.

import { expect, test } from 'vitest';
import { sumOf, todayOf } from './account-sums.ts';
import type { Account } from './answers.ts';

const accounts = (...equities: readonly (number | null)[]) => equities.map((equity) => ({ equity }) as Account);

test.each([
  ['of all', accounts(1, 2.5), 3.5],
  ['of none is nothing', [], 0],
  ['is not known where one of them is not', accounts(1, null), undefined],
])('a sum %s', (_, list, sum) => expect(sumOf(list, 'equity')).toBe(sum));

test('today is what is left after fees and funding', () => {
  const day = { realizedToday: 10, feesToday: 12.5, fundingToday: -1 } as Account;
  expect(todayOf([day, day])).toBe(-7);
  expect(todayOf([day, { ...day, feesToday: null } as unknown as Account])).toBeUndefined();
});
