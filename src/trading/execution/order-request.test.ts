// What of an order its venue is told by its leg: until when it may leave, and that it closes although it does not only reduce.

import { expect, test } from 'vitest';
import { nextRequestId, orderOf } from '../../../tests/ports/sample-trades.ts';
import { LEGS } from '../books/journal.ts';
import { decimal, ZERO } from '../decimal.ts';
import { isClosing } from '../venue.ts';
import { orderRequest } from './order-request.ts';

test.each(LEGS)('%s', (leg) => {
  const quantity = decimal('1');
  const planned = { leg, side: 'BUY', positionSide: 'LONG', reduceOnly: false, quantity } as const;
  const of = (reduceOnly: boolean) =>
    orderRequest(
      { requestId: nextRequestId(), order: orderOf({}) },
      { ...planned, reduceOnly, mustEndFlat: false, givenUp: ZERO },
      5000,
    );
  const opens = leg === 'open' || leg === 'catch_up_open';
  expect(of(false).notAfterMs).toBe(opens ? 5000 : undefined);
  expect([isClosing(of(false)), isClosing(of(true))]).toEqual([!opens, true]);
});
