// The state machine of a trade: the table as the contract draws it, and no way out of an end.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assertStep, fillKey, isFinal, type TradeState } from './journal.ts';
import { STATUS_OF, statesOf, TRADE_STATUSES } from './trade-status.ts';

const STATES = Object.keys(STATUS_OF) as TradeState[];
const FINAL: readonly TradeState[] = ['filled', 'rejected', 'canceled', 'expired'];

const ALLOWED: Readonly<Record<string, string>> = {
  accepted: 'accepted sending rejected canceled expired',
  sending: 'sending accepted submitted partially_filled filled rejected canceled expired unknown',
  submitted: 'submitted partially_filled filled rejected canceled expired',
  partially_filled: 'partially_filled filled canceled expired',
  unknown: 'unknown submitted partially_filled filled rejected canceled expired',
};

const may = (from: TradeState, to: TradeState): boolean => {
  try {
    assertStep(from, to);
    return true;
  } catch {
    return false;
  }
};

describe('the steps of a trade', () => {
  test.each(STATES.flatMap((from) => STATES.map((to) => [from, to] as const)))('from %s to %s', (from, to) => {
    const allowed = (ALLOWED[from] ?? '').split(' ').includes(to);
    expect(may(from, to)).toBe(allowed);
    if (!allowed) expect(() => assertStep(from, to)).toThrow(`a trade cannot go from ${from} to ${to}`);
  });

  test('end in the final states and nowhere else', () => {
    expect(STATES.filter(isFinal)).toEqual(STATES.filter((state) => FINAL.includes(state)));
  });

  test('however they are walked, nothing leaves a final state, and nothing sent becomes unsent without proof', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...STATES), { maxLength: 30 }), (walk) => {
        let state: TradeState = 'accepted';
        let atVenue = false;
        for (const next of walk) {
          const before: TradeState = state;
          if (!may(state, next)) continue;
          expect(isFinal(before)).toBe(false);
          state = next;
          // Once the venue has spoken, the trade can never be queued again.
          if (atVenue) expect(['accepted', 'sending']).not.toContain(state);
          atVenue ||= state !== 'accepted' && state !== 'sending';
        }
      }),
    );
  });

  test('from every open state some end can be reached', () => {
    for (const state of STATES) expect(isFinal(state) || FINAL.some((end) => may(state, end))).toBe(true);
  });
});

describe('status words', () => {
  test('cover every state, and every word stands for some state', () => {
    expect(new Set(Object.values(STATUS_OF))).toEqual(new Set(TRADE_STATUSES));
    for (const status of TRADE_STATUSES) for (const state of statesOf(status)) expect(STATUS_OF[state]).toBe(status);
    expect(TRADE_STATUSES.flatMap(statesOf).sort()).toEqual([...STATES].sort());
  });
});

test('a fill is known by its order and its own id', () => {
  expect(fillKey({ clientOrderId: 'a', fillId: '1' })).not.toBe(fillKey({ clientOrderId: 'b', fillId: '1' }));
  expect(fillKey({ clientOrderId: 'a', fillId: '1' })).toBe(fillKey({ clientOrderId: 'a', fillId: '1' }));
});
