// What the wallet would sign: bodies exact to the last unit, and what is wrong before anything is asked.

import { describe, expect, test } from 'vitest';
import { plannedWrite, type WriteForm } from './wallet-writes.ts';

const [TOKEN, TO] = [`0x${'a'.repeat(40)}`, `0x${'b'.repeat(40)}`];
const COINS = [
  { token: 'native', symbol: 'ETH', decimals: 18, amount: '1000000000000000000' },
  { token: TOKEN, symbol: 'PLAY', decimals: 6, amount: '5000000' },
];
const plan = (form: Partial<WriteForm>) =>
  plannedWrite('ethereum', { kind: 'transfer', token: 'native', to: TO, amount: '0.5', data: '', ...form }, COINS);
const write = (form: Partial<WriteForm>) => {
  const planned = plan(form);
  return 'write' in planned ? planned.write : planned;
};

describe('what is signed', () => {
  test('a transfer, in the smallest unit of its coin', () => {
    expect(write({})).toEqual({
      path: '/wallet/transfer',
      body: { chain: 'ethereum', token: 'native', to: TO, amount: '500000000000000000' },
    });
    expect(write({ token: TOKEN, amount: '5' })).toMatchObject({ body: { token: TOKEN, amount: '5000000' } });
  });

  test('a permission, also for more than is held, and none to take it away', () => {
    expect(write({ kind: 'approve', token: TOKEN, amount: '100' })).toEqual({
      path: '/wallet/approve',
      body: { chain: 'ethereum', token: TOKEN, spender: TO, amount: '100000000' },
    });
    expect(write({ kind: 'approve', token: TOKEN, amount: '0' })).toMatchObject({ body: { amount: '0' } });
    expect(plan({ kind: 'approve', token: TOKEN, amount: '0' })).toMatchObject({
      facts: [['May spend', 'no PLAY any more'], expect.anything(), expect.anything()],
    });
  });

  test('a call, with or without the chain’s own coin', () => {
    expect(write({ kind: 'send', token: TOKEN, amount: '', data: '0xa9059cbb' })).toEqual({
      path: '/wallet/send',
      body: { chain: 'ethereum', to: TO, value: '0', data: '0xa9059cbb' },
    });
    expect(write({ kind: 'send', amount: '1', data: '' })).toMatchObject({
      body: { value: '1000000000000000000', data: '0x' },
    });
  });
});

test.each([
  ['no receiver yet', { to: ' ' }, ''],
  ['a receiver that is none', { to: '0x12' }, 'The receiver is an address: 0x and 40 digits.'],
  ['no amount yet', { amount: '' }, ''],
  ['an amount that is none', { amount: '0,5' }, 'The amount is a plain number, such as 0.5.'],
  ['nothing', { amount: '0' }, 'The amount is a plain number, such as 0.5.'],
  ['more than is held', { amount: '1.000000000000000001' }, 'The wallet holds 1 ETH.'],
  ['a coin that is not here', { token: TO }, 'Choose a coin.'],
  ['no call and no coin', { kind: 'send', amount: '' }, 'Give an amount, a call, or both.'],
  ['half a byte', { kind: 'send', data: '0xabc' }, 'The call is 0x and an even number of hex digits.'],
] as const)('%s is told before it is asked', (_, form, fault) => {
  expect(plan(form)).toEqual({ fault });
});
