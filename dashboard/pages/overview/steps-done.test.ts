// The first steps: each is done when the server says so, and no sooner.

import { expect, test } from 'vitest';
import type { Trade } from '../../server/answers.ts';
import type { KnownAccounts, Notifier } from '../../server/setup-answers.ts';
import { paperVenueOf, type StepFacts, stepsOf } from './steps-done.ts';

const FRESH: StepFacts = {
  trades: [],
  reach: { baseUrl: null, tradingviewCall: null, mail: null },
  notifiers: [],
  accounts: [],
};
const account = (fields: Partial<KnownAccounts['accounts'][number]>) => ({
  ...{ exchange: 'binance', account: 'main', mode: 'live', credentialsFrom: 'stored' as const },
  ...{ keyStart: 'abcd', off: '', isUnconfirmed: false, ...fields },
});
const doneOf = (facts: Partial<StepFacts>) => stepsOf({ ...FRESH, ...facts }).map(({ isDone }) => isDone);

test('nothing is done at first, and a test goes to paper alone', () => {
  expect(doneOf({})).toEqual([false, false, false, false]);
  const paper = { mode: 'paper', credentialsFrom: 'none' as const };
  const accounts = [account({}), account({ ...paper, account: 'scalp' }), account({ ...paper, exchange: 'bybit' })];
  expect(stepsOf({ ...FRESH, accounts })[0]?.words).toContain('paper money on bybit');
  expect(paperVenueOf([account({}), account({ ...paper, exchange: 'mexc', off: 'no key' })])).toBeUndefined();
});

test.each<[string, Partial<StepFacts>, readonly boolean[]]>([
  ['a signal by curl is no TradingView', { trades: [{ source: 'webhook' }] as Trade[] }, [true, false, false, false]],
  ['an alert of a strategy is both', { trades: [{ source: 'tradingview' }] as Trade[] }, [true, true, false, false]],
  [
    'a call of TradingView counts though nothing traded',
    { reach: { ...FRESH.reach, tradingviewCall: { at: 1, address: '52.89.214.238' } } },
    [false, true, false, false],
  ],
  ['any channel will do', { notifiers: [{ channel: 'ntfy' }] as Notifier[] }, [false, false, true, false]],
  ['a live account counts', { accounts: [account({})] }, [false, false, false, true]],
  [
    'not before its owner has confirmed it',
    { accounts: [account({ isUnconfirmed: true })] },
    [false, false, false, false],
  ],
  ['not while it is off', { accounts: [account({ off: 'no key' })] }, [false, false, false, false]],
  ['a testnet is not live', { accounts: [account({ mode: 'testnet' })] }, [false, false, false, false]],
])('%s', (_, facts, done) => {
  expect(doneOf(facts)).toEqual(done);
});
