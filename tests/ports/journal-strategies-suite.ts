// What every journal must do for strategies: keep their shares and how fills were divided, to the last digit.

import { describe, expect, test } from 'vitest';
import type { StrategyBook } from '../../src/trading/books/strategy-book.ts';
import { decimal } from '../../src/trading/decimal.ts';
import type { OpenJournal } from './journal-claims-suite.ts';
import { accepted, fillOf, outcomeStep, positionOf, sendingStep } from './sample-trades.ts';

export function describeStrategies(opened: () => OpenJournal): void {
  describe('strategies', () => {
    test('the shares of strategies are written with the fills that made them, and taken over with a position', async () => {
      const trade = await accepted(opened().journal, { order: { strategy: 'trend', comment: 'first' } });
      const [trend, nameless] = ['trend', ''].map((strategy) => ({ ...positionOf(), strategy }));
      const books = [trend, nameless] as StrategyBook[];
      await opened().journal.sending(sendingStep(trade));
      await opened().journal.record(outcomeStep(trade.seq, 'filled', { positions: [positionOf()], books }));
      const reopened = await opened().reopen();
      expect(await reopened.strategyBooks()).toEqual([nameless, trend]);
      expect((await reopened.trade(trade.requestId))?.trade.order).toMatchObject({
        strategy: 'trend',
        comment: 'first',
      });
      const cut = { ...(trend as StrategyBook), quantity: decimal('0.1') };
      await reopened.adopt({ positions: [], books: [cut], detail: 'cut', atMs: 7 });
      expect(await (await opened().reopen()).strategyBooks()).toEqual([nameless, cut]);
    });

    test('what a fill was divided into is read back, and a fill that is stored already stays as it is', async () => {
      const trade = await accepted(opened().journal, { order: { strategy: 'trend' } });
      await opened().journal.sending(sendingStep(trade, { givenUp: decimal('0.2'), netted: false }));
      const share = { quantity: decimal('0.5'), realizedPnl: decimal('1.25'), fee: decimal('0.01') };
      // Named as the next fill is, and as text that the column is searched for.
      const fill = {
        ...fillOf(trade),
        fillId: 'f1',
        shares: [
          { ...share, strategy: '["f2",' },
          { ...share, strategy: 'f2' },
        ],
      };
      const next = { ...fillOf(trade), fillId: 'f2' };
      await opened().journal.record(outcomeStep(trade.seq, 'partially_filled', { fills: [fill] }));
      await opened().journal.record(outcomeStep(trade.seq, 'filled', { fills: [fill, next] }));
      const found = await (await opened().reopen()).trade(trade.requestId);
      expect(found?.fills).toEqual([fill, next]);
      expect(found?.orders[0]).toMatchObject({ givenUp: decimal('0.2'), netted: false });
    });
  });
}
