// Client order ids: the same signal gives the same id, two signals never do, and every venue takes them.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Leg } from '../books/journal.ts';
import { tradeIdOf } from '../books/journal.ts';
import { CLIENT_ORDER_PREFIX } from '../venue.ts';
import { clientOrderId, clientStopId, isStopId, tradeIdOfOrder } from './client-order-id.ts';

const LEGS: readonly Leg[] = ['open', 'close', 'flatten'];
const requestIds = fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }).map((bits) =>
  bits
    .toString(16)
    .padStart(32, '0')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
);
const legs = fc.constantFrom(...LEGS);

describe('a client order id', () => {
  test('is the same for the same signal and leg, at most 32 characters that every venue takes', () => {
    fc.assert(
      fc.property(requestIds, legs, (requestId, leg) => {
        const id = clientOrderId(requestId, leg);
        expect(clientOrderId(requestId, leg)).toBe(id);
        expect(id).toMatch(/^sbx[0-9a-z]{27}$/);
        expect(id.startsWith(CLIENT_ORDER_PREFIX)).toBe(true);
        const second = clientOrderId(`${requestId}.2`, leg);
        expect(second).toBe(`${id.slice(0, -1)}2${id.slice(-1)}`);
        for (const [number, digits] of [
          [16, 'g'],
          [31, 'v'],
          [32, '10'],
          [999, 'v7'],
        ]) {
          const other = clientOrderId(`${requestId}.${number}`, leg);
          expect(other).toBe(`${id.slice(0, -1)}${digits}${id.slice(-1)}`);
          expect(tradeIdOfOrder(other)).toBe(`${requestId}.${number}`);
        }
      }),
    );
  });

  test('differs for two signals and for two legs, and sorts as the signals do', () => {
    fc.assert(
      fc.property(requestIds, requestIds, legs, legs, (a, b, legA, legB) => {
        const [idA, idB] = [clientOrderId(a, legA), clientOrderId(b, legB)];
        expect(idA === idB).toBe(a === b && legA === legB);
        if (a !== b) expect(idA < idB).toBe(a < b);
      }),
    );
  });

  test('loses no bit: neighbours differ at every place', () => {
    fc.assert(
      fc.property(requestIds, fc.nat({ max: 127 }), (requestId, bit) => {
        const bits = BigInt(`0x${requestId.replaceAll('-', '')}`) ^ (1n << BigInt(bit));
        const other = bits.toString(16).padStart(32, '0');
        expect(clientOrderId(other, 'open')).not.toBe(clientOrderId(requestId, 'open'));
      }),
    );
  });

  test('does not care how the request id is spelled', () => {
    const requestId = '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b';
    expect(clientOrderId(requestId.toUpperCase(), 'open')).toBe(clientOrderId(requestId, 'open'));
    expect(clientOrderId(requestId.replaceAll('-', ''), 'open')).toBe(clientOrderId(requestId, 'open'));
  });

  test.each([
    ['00000000-0000-0000-0000-000000000000', 'sbx00000000000000000000000000o'],
    ['ffffffff-ffff-ffff-ffff-ffffffffffff', 'sbx7vvvvvvvvvvvvvvvvvvvvvvvvvo'],
  ])('%s is %s', (requestId, id) => expect(clientOrderId(requestId, 'open')).toBe(id));

  test.each(['', 'short', '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b0', 'zzzzzzzz-zzzz-zzzz-zzzz-zzzzzzzzzzzz'])(
    'is refused for what is no request id: %j',
    (text) => expect(() => clientOrderId(text, 'open')).toThrow('not a request id'),
  );
});

test.each(['01900000-0000-7000-8000-000000000001', 'ffffffff-ffff-4fff-bfff-ffffffffffff'])(
  'the id of an order tells the trade %s, on every account and leg',
  (requestId) => {
    for (let number = 1; number <= 16; number++)
      for (const leg of ['open', 'close', 'flatten'] as const) {
        const tradeId = tradeIdOf(requestId, number);
        expect(tradeIdOfOrder(clientOrderId(tradeId, leg))).toBe(tradeId);
      }
  },
);

test.each([
  '',
  'sbx',
  'abc',
  `sbx${'0'.repeat(26)}`,
  `sbx${'0'.repeat(26)}x`,
  `sbx${'0'.repeat(26)}1o`,
  `sbx${'v'.repeat(26)}o`,
])('%j is no id of ours', (id) => {
  expect(tradeIdOfOrder(id)).toBeUndefined();
});

describe('the id of a stop', () => {
  test('is taken by every venue, and is never that of an order', () => {
    fc.assert(
      fc.property(requestIds, legs, (requestId, leg) => {
        const id = clientStopId(requestId);
        expect(id).toMatch(/^sbx[0-9a-v]{26}s$/);
        expect([isStopId(id), tradeIdOfOrder(id)]).toEqual([true, undefined]);
        expect(isStopId(clientOrderId(requestId, leg))).toBe(false);
      }),
    );
  });
});
