// Which stops shares should have at their venue: the nearest level that counts, on the tick, and never more than there is.

import { describe, expect, test } from 'vitest';
import type { StrategyBook } from '../books/strategy-book.ts';
import { decimal, toText } from '../decimal.ts';
import type { PositionSide } from '../venue.ts';
import type { Protection } from './protection.ts';
import { wantedStops } from './wanted-stops.ts';

const MARKET = { tickSize: decimal('0.5'), stepSize: decimal('0.1'), minQuantity: decimal('0.2') };
const NAME = { exchange: 'binance', mode: 'live', account: 'main', market: 'BTCUSDT' } as const;
const protection = (side: PositionSide, levels: Partial<Protection>): Protection => ({
  ...{ ...NAME, side, strategy: '', createdAtMs: 1, seenUntilMs: 0, closeRequestId: 'c' },
  ...levels,
});
const share = (strategy: string, signed: string): StrategyBook =>
  ({
    ...NAME,
    strategy,
    side: signed.startsWith('-') ? 'SHORT' : 'LONG',
    quantity: decimal(signed.replace('-', '')),
  }) as StrategyBook;
const wanted = (
  protections: readonly Protection[],
  shares: readonly StrategyBook[],
  netted = true,
): readonly string[] =>
  wantedStops(protections, { market: MARKET, netted, shares }).map(
    ({ protection: { strategy }, by, kind, quantity, triggerPrice }) =>
      `${strategy}${strategy && ' '}${kind} ${by} ${toText(quantity)} at ${toText(triggerPrice)}`,
  );
const of = (side: PositionSide, levels: Partial<Protection>): readonly string[] =>
  wanted([protection(side, levels)], [share('', side === 'LONG' ? '2' : '-2')]);
const basis = { price: decimal(100), filled: decimal(2), quantity: decimal(2), tick: decimal('0.5'), sinceMs: 0 };

describe('the level', () => {
  test.each<[string, PositionSide, Partial<Protection>, readonly string[]]>([
    ['of a stop loss', 'LONG', { stopLoss: decimal(97) }, ['stop stop-loss 2 at 97']],
    [
      'below a tick: the first price at which a long is closed',
      'LONG',
      { stopLoss: decimal('97.4') },
      ['stop stop-loss 2 at 97'],
    ],
    [
      'above a tick: the first price at which a short is closed',
      'SHORT',
      { stopLoss: decimal('103.1') },
      ['stop stop-loss 2 at 103.5'],
    ],
    [
      'of a take profit, reached from the other side',
      'LONG',
      { takeProfit: decimal('110.1') },
      ['take-profit take-profit 2 at 110.5'],
    ],
    ['of a take profit of a short', 'SHORT', { takeProfit: decimal('90.4') }, ['take-profit take-profit 2 at 90']],
    [
      'of a trail that has begun',
      'LONG',
      { trail: { percent: decimal(10) }, peak: decimal(110) },
      ['stop trailing-stop 2 at 99'],
    ],
    ['of a trail that has not begun', 'LONG', { trail: { percent: decimal(10) }, activationPrice: decimal(120) }, []],
    [
      'of the nearer one: the trail',
      'LONG',
      { stopLoss: decimal(97), trail: { amount: decimal(2) }, peak: decimal(101) },
      ['stop trailing-stop 2 at 99'],
    ],
    [
      'of the nearer one: the stop loss',
      'SHORT',
      { stopLoss: decimal(103), trail: { amount: decimal(9) }, peak: decimal(95) },
      ['stop stop-loss 2 at 103'],
    ],
    [
      'of equals: the stop loss',
      'LONG',
      { stopLoss: decimal(99), trail: { amount: decimal(2) }, peak: decimal(101) },
      ['stop stop-loss 2 at 99'],
    ],
    [
      'at the entry price after its target',
      'LONG',
      {
        stopLoss: decimal(97),
        targets: [{ level: decimal(105), share: decimal('0.5') }],
        targetsHit: 1,
        breakEvenAfter: 1,
        basis,
      },
      ['stop break-even 2 at 100'],
    ],
    [
      'of targets and of time: ours',
      'LONG',
      { targets: [{ level: decimal(105), share: decimal(1) }], maxHoldSeconds: 60, basis },
      [],
    ],
    ['that is no price', 'LONG', { stopLoss: decimal('0.4') }, []],
    [
      'that was reached: its close does the rest',
      'LONG',
      { stopLoss: decimal(97), fired: { by: 'stop-loss', atMs: 1 } },
      [],
    ],
  ])('%s', (_, side, levels, stops) => {
    expect(of(side, levels)).toEqual(stops);
  });
});

describe('the quantity', () => {
  const stop = { stopLoss: decimal(97) };
  test.each([
    ['2.19', ['stop stop-loss 2.1 at 97']],
    ['0.2', ['stop stop-loss 0.2 at 97']],
    ['0.19', []],
  ])('is the share %s on the step, at least the smallest order', (held, stops) => {
    expect(wanted([protection('LONG', stop)], [share('', held)])).toEqual(stops);
  });

  const a = protection('LONG', { ...stop, strategy: 'a', createdAtMs: 2 });
  const b = protection('LONG', { ...stop, strategy: 'b', createdAtMs: 1 });
  test.each<[string, readonly StrategyBook[], readonly string[]]>([
    ['all of both', [share('a', '3'), share('b', '2')], ['b stop stop-loss 2 at 97', 'a stop stop-loss 3 at 97']],
    [
      'what the net position leaves, the older first',
      [share('a', '3'), share('b', '2'), share('c', '-1')],
      ['b stop stop-loss 2 at 97', 'a stop stop-loss 2 at 97'],
    ],
    ['nothing where the others hold as much', [share('a', '3'), share('c', '-3')], []],
    ['nothing on the side that the net position does not have', [share('a', '3'), share('c', '-4')], []],
  ])('on a netted account: %s', (_, shares, stops) => {
    expect(wanted([a, b], shares)).toEqual(stops);
  });

  test('on a hedge account: all of each side', () => {
    const short = protection('SHORT', { strategy: 'c', stopLoss: decimal(103) });
    const shares = [share('a', '3'), share('c', '-4')];
    expect(wanted([a, short], shares, false)).toEqual(['c stop stop-loss 4 at 103', 'a stop stop-loss 3 at 97']);
  });
});

describe('a take profit stands beside a stop', () => {
  const both = protection('LONG', { strategy: 'a', stopLoss: decimal(97), takeProfit: decimal(110) });
  test.each([
    ['where the share is alone', [share('a', '3')], true, 2],
    ['not where another strategy holds the same side', [share('a', '3'), share('b', '1')], true, 1],
    ['not where another one holds the other side of a netted account', [share('a', '3'), share('b', '-1')], true, 1],
    ['where another one holds the other side of a hedge account', [share('a', '3'), share('b', '-1')], false, 2],
  ])('%s', (_, shares, netted, count) => {
    expect(wanted([both], shares, netted)).toHaveLength(count);
  });
});
