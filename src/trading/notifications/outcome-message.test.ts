// What fills have made for whom: of a divided position the share of the strategy counts, of a whole one everything.

import { expect, test } from 'vitest';
import type { BookedFill } from '../books/journal.ts';
import { decimal } from '../decimal.ts';
import { earnedBy } from './outcome-message.ts';

const fill = (realizedPnl: string, fee: string, shares?: BookedFill['shares']): BookedFill => ({
  ...{ clientOrderId: 'c', fillId: 'f', quantity: decimal('1'), price: decimal('1'), atMs: 1 },
  ...{ realizedPnl: decimal(realizedPnl), fee: decimal(fee), ...(shares && { shares }) },
});
const share = (strategy: string, realizedPnl: string, fee: string) => ({
  ...{ strategy, quantity: decimal('1'), realizedPnl: decimal(realizedPnl), fee: decimal(fee) },
});

test('adds up fills, each with what is the strategy’s own', () => {
  expect(earnedBy([], 'trend')).toEqual({ realizedPnl: decimal('0'), fees: decimal('0') });
  const whole = [fill('5', '1'), fill('-2', '0.5')];
  expect(earnedBy(whole, undefined)).toEqual({ realizedPnl: decimal('3'), fees: decimal('1.5') });
  const divided = [fill('5', '1', [share('trend', '7', '0.6'), share('range', '-2', '0.4')])];
  expect(earnedBy(divided, 'trend')).toEqual({ realizedPnl: decimal('7'), fees: decimal('0.6') });
  expect(earnedBy(divided, undefined)).toEqual({ realizedPnl: decimal('5'), fees: decimal('1') });
});
