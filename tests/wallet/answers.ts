// Bodies that each operation of /wallet takes, and what a good answer to a write looks like.

import { expect } from 'vitest';
import { FRIEND, ROUTER, TOKEN } from '../../src/wallet/testing/fake-chain.ts';
import type { Sent } from '../support/gateway.ts';
import { expectEnvelope } from '../webhook/answers.ts';

export const WRITES = ['approve', 'transfer', 'swap', 'send'];
export const READS = ['status', 'balance', 'quote', 'transactions'];
export const GOOD: Readonly<Record<string, object>> = {
  status: {},
  balance: {},
  quote: { tokenIn: 'native', tokenOut: TOKEN, amountIn: '1000' },
  transactions: {},
  approve: { token: TOKEN, spender: ROUTER, amount: '5' },
  transfer: { token: TOKEN, to: FRIEND, amount: '5' },
  swap: { tokenIn: 'native', tokenOut: TOKEN, amountIn: '1000' },
  send: { to: FRIEND, value: '5' },
};

/** The trade success shape and `result`, and nothing else. */
export function expectPending(sent: Sent): void {
  expect([sent.status, sent.body.error]).toEqual([200, undefined]);
  expect(Object.keys(sent.body)).toEqual(['success', 'requestId', 'tradeResult', 'notificationResult', 'result']);
  expect(sent.body.tradeResult).toEqual({
    ...{ success: true, orderId: sent.body.result.hash, status: 'Pending', executedQty: 0, price: 0 },
    ...{ queued: false, mode: 'live' },
  });
  expect(sent.body.tradeResult.orderId).toMatch(/^0x[0-9a-f]{64}$/);
  expect(sent.body.notificationResult).toBeNull();
  expectEnvelope(sent);
}
