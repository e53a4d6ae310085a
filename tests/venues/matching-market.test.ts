// The market under every emulated venue, where no venue's words are needed to see it.

import { beforeEach, describe, expect, it } from 'vitest';
import { decimal, toText } from '../../src/trading/decimal.ts';
import { entryPriceOf } from '../support/emulated-venues/futures-account.ts';
import type { MarketEvent, NewOrder } from '../support/emulated-venues/futures-order.ts';
import { MatchingMarket } from '../support/emulated-venues/matching-market.ts';

let market: MatchingMarket;
let due: (() => void)[];

beforeEach(() => {
  due = [];
  const timers = {
    after(_: number, work: () => void) {
      due.push(work);
      return () => void due.splice(due.indexOf(work), 1);
    },
  };
  market = new MatchingMarket({ nowMs: () => 1_000, timers, wallet: '10000' });
  market.setPrice('BTCUSDT', { last: '50000', bid: '49999', ask: '50001' });
});

const order = (changes: Partial<NewOrder> = {}) =>
  market.place({
    clientOrderId: 'a',
    symbol: 'BTCUSDT',
    side: 'BUY',
    positionSide: 'BOTH',
    quantity: decimal('0.1'),
    timeInForce: 'IOC',
    reduceOnly: false,
    ...changes,
  });

const limit = (price: string, changes: Partial<NewOrder> = {}) =>
  order({ price: decimal(price), timeInForce: 'GTC', ...changes });

const position = () => market.account.position('BTCUSDT', 'BOTH');

describe('a delayed fill', () => {
  it('meets the price of its own moment, as a taker', () => {
    market.fillDelayMs = 50;
    const placed = order();
    market.setPrice('BTCUSDT', { last: '50100', ask: '50101' });
    market.setLiquidity('BTCUSDT', '5');
    expect(placed.status).toBe('NEW');
    due[0]!();
    expect(placed).toMatchObject({ status: 'FILLED', trades: [{ price: decimal('50101'), maker: false }] });
  });

  it('does not come to what was cancelled, nor to a market that was closed', () => {
    market.fillDelayMs = 50;
    const placed = limit('50001');
    market.cancel(placed);
    due[0]!();
    expect(placed).toMatchObject({ status: 'CANCELED', trades: [] });
    order();
    market.close();
    expect(due).toHaveLength(1);
  });
});

describe('trades', () => {
  it('take at bid and ask, and rest at their own price', () => {
    expect(order().trades[0]?.price).toBe(decimal('50001'));
    expect(order({ side: 'SELL' }).trades[0]?.price).toBe(decimal('49999'));
    expect(limit('50100').trades[0]).toMatchObject({ price: decimal('50001'), maker: false });
    const resting = limit('50200', { side: 'SELL' });
    market.setPrice('BTCUSDT', { last: '50300', bid: '50199.9' });
    expect(resting.status).toBe('NEW');
    market.setPrice('BTCUSDT', { last: '50300', bid: '50200' });
    expect(resting.trades).toMatchObject([{ price: decimal('50200'), maker: true }]);
  });

  it('share what there is to take, oldest order first', () => {
    const [first, second] = [limit('49000'), limit('49000')];
    market.setLiquidity('BTCUSDT', '0.15');
    market.setPrice('BTCUSDT', '48900');
    expect([first.status, second.status]).toEqual(['FILLED', 'PARTIALLY_FILLED']);
    expect(toText(second.executed)).toBe('0.05');
    market.setPrice('BTCUSDT', '48800');
    expect(second.status).toBe('PARTIALLY_FILLED');
  });

  it('turn a position around and realize exactly what was closed', () => {
    order({ quantity: decimal('0.3') });
    const sold = order({ side: 'SELL', quantity: decimal('0.5') });
    expect(sold.trades[0]?.realizedPnl).toBe(decimal('-0.6'));
    expect(toText(position().quantity)).toBe('-0.2');
    expect(toText(entryPriceOf(position()))).toBe('49999');
    market.setPrice('BTCUSDT', '49000');
    expect(toText(market.account.unrealizedPnl(position()))).toBe('199.8');
  });

  it('of a third keep the cost of the rest to the last digit', () => {
    order({ quantity: decimal('0.003') });
    market.setPrice('BTCUSDT', { last: '50000', ask: '50000.1' });
    order({ quantity: decimal('0.004') });
    order({ side: 'SELL', quantity: decimal('0.003'), reduceOnly: true });
    order({ side: 'SELL', quantity: decimal('0.004'), reduceOnly: true });
    expect(position()).toMatchObject({ quantity: 0n, cost: 0n });
    const paid = market.orders.flatMap(({ trades }) => trades).reduce((sum, { fee }) => sum + fee, 0n);
    const value = (n: number): bigint => market.orders[n]!.executedValue;
    const gained = (value(2) + value(3) - value(0) - value(1)) / 10n ** 12n;
    expect(market.account.wallet).toBe(decimal('10000') + gained - paid);
  });
});

describe('money', () => {
  it('of funding goes from long to short, and the other way where the rate is negative', () => {
    order({ side: 'SELL', quantity: decimal('0.2') });
    const before = market.account.wallet;
    market.payFunding('BTCUSDT', '0.0001');
    expect(toText((market.account.wallet - before) as never)).toBe('1');
    market.payFunding('BTCUSDT', '-0.0003');
    expect(toText((market.account.wallet - before) as never)).toBe('-2');
    market.payFunding('ETHUSDT', '0.0001');
    expect(market.account.income.filter(({ type }) => type === 'FUNDING_FEE')).toHaveLength(2);
  });

  it('that a resting order binds is free again when it ends', () => {
    const before = market.available();
    const resting = limit('40000', { quantity: decimal('1') });
    expect(toText((before - market.available()) as never)).toBe('2000');
    market.cancel(resting);
    expect(market.available()).toBe(before);
  });

  it('is not bound by what takes away from a position', () => {
    order({ quantity: decimal('1') });
    const before = market.available();
    limit('60000', { side: 'SELL', quantity: decimal('1') });
    expect(market.available()).toBe(before);
    limit('60000', { side: 'SELL', quantity: decimal('1.5') });
    expect(toText((before - market.available()) as never)).toBe('1500');
  });

  it('of a short position is liquidated above', () => {
    order({ side: 'SELL', quantity: decimal('1') });
    const price = market.account.liquidationPrice(position());
    expect(price > decimal('59000') && price < decimal('61000')).toBe(true);
    const resting = limit('40000');
    market.setPrice('BTCUSDT', toText((price - (price % decimal('0.1'))) as never));
    expect(toText(position().quantity)).toBe('-1');
    const forced: MarketEvent[] = [];
    market.listen((event) => void (event.type === 'order' && event.order.forced && forced.push(event)));
    market.setPrice('BTCUSDT', toText((price - (price % decimal('0.1')) + decimal('0.1')) as never));
    expect(toText(position().quantity)).toBe('0');
    expect(resting.status).toBe('CANCELED');
    expect(forced).toHaveLength(2);
  });

  it('of an isolated position is all that it can lose before it is liquidated', () => {
    market.account.settings('BTCUSDT').marginType = 'ISOLATED';
    order({ quantity: decimal('1') });
    expect(toText(position().isolatedWallet)).toBe('2500.05');
    order({ side: 'SELL', quantity: decimal('0.25'), reduceOnly: true });
    expect(toText(position().isolatedWallet)).toBe('1875.0375');
    market.setPrice('BTCUSDT', '47000');
    expect(toText(position().quantity)).toBe('0');
  });
});
