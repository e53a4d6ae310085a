// The gap between a live account and its twin: each part by its definition, and parts that sum to the gap, for any trades.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Decimal, decimal, minus, type Product, plus, product, toText, ZERO } from '../decimal.ts';
import {
  type Filled,
  GAP_PARTS,
  type LoneTrade,
  type Mark,
  NOTHING_FILLED,
  shownGap,
  type TradePair,
  twinGap,
} from './twin-gap.ts';

const filled = (quantity: string, price: string, fee = '0'): Filled => ({
  quantity: decimal(quantity),
  cost: product(decimal(quantity), decimal(price)),
  fee: decimal(fee),
});
const mark = (bid: string, ask: string): Mark => ({ bid: decimal(bid), ask: decimal(ask) });
const NO_FUNDING = { live: ZERO, twin: ZERO };

/** What is not 0, in cents. */
function gapOf(
  pairs: readonly (Omit<TradePair, 'lastPrice'> & { readonly last: string })[],
  { lone = [], funding = NO_FUNDING }: { lone?: readonly LoneTrade[]; funding?: typeof NO_FUNDING } = {},
) {
  const priced = pairs.map(({ last, ...pair }) => ({ ...pair, lastPrice: decimal(last) }));
  const { parts, ...rest } = shownGap(twinGap({ pairs: priced, lone, funding }));
  const texts = [...Object.entries(rest), ...Object.entries(parts).filter(([, amount]) => amount !== ZERO)];
  return Object.fromEntries(texts.map(([name, amount]) => [name, toText(amount)]));
}

describe('parts', () => {
  const still = mark('99', '101');

  test('the same trade at the same price has no gap', () => {
    const trade = { live: filled('2', '101', '0.1'), twin: filled('2', '101', '0.1'), accepted: still, sent: still };
    expect(gapOf([{ ...trade, last: '110' }])).toEqual({ live: '17.9', twin: '17.9', gap: '0' });
  });

  test.each([
    ['2', '-6'],
    ['-2', '6'],
  ])('a market that rose by 3 before %s were sent is a delay of %s', (quantity, delay) => {
    const isBuy = !quantity.startsWith('-');
    const moved = mark('102', '104');
    const live = filled(quantity, isBuy ? '104' : '102');
    const pair = { live, twin: filled(quantity, isBuy ? '101' : '99'), accepted: still, sent: moved };
    expect(gapOf([{ ...pair, last: '100' }])).toMatchObject({ gap: delay, delay });
    expect(Object.keys(gapOf([{ ...pair, last: '100' }]))).toEqual(['live', 'twin', 'gap', 'delay']);
  });

  test('a spread that widened, a fill beyond the best price, and a dearer fee are told apart', () => {
    const pair = { live: filled('2', '103.5', '0.2'), twin: filled('2', '101', '0.15'), accepted: still };
    expect(gapOf([{ ...pair, sent: mark('98', '102'), last: '100' }])).toEqual({
      ...{ live: '-7.2', twin: '-2.15', gap: '-5.05' },
      ...{ spread: '-2', impact: '-3', fees: '-0.05' },
    });
  });

  test('a live trade that was refused misses what the market did, and saves what its twin paid', () => {
    const pair = { live: NOTHING_FILLED, twin: filled('2', '101', '0.15'), accepted: still, last: '110' };
    expect(gapOf([pair])).toEqual({
      ...{ live: '0', twin: '17.85', gap: '-17.85' },
      ...{ refusal: '-20', spread: '2', fees: '0.15' },
    });
  });

  test('a twin that was refused counts the other way round', () => {
    const pair = { live: filled('2', '101'), twin: NOTHING_FILLED, accepted: still, sent: still, last: '110' };
    expect(gapOf([pair])).toEqual({ live: '18', twin: '0', gap: '18', refusal: '20', spread: '-2' });
  });

  test('where the live order was filled in part, the rest is what it did not gain', () => {
    const pair = { live: filled('0.5', '101'), twin: filled('2', '101'), accepted: still, sent: still, last: '110' };
    expect(gapOf([pair])).toEqual({ live: '4.5', twin: '18', gap: '-13.5', partialFill: '-15', spread: '1.5' });
  });

  test('what needs a mark that is missing is unmarked, and the rest is told', () => {
    const pair = { live: filled('1', '103', '0.2'), twin: filled('2', '101', '0.1'), last: '110' };
    expect(gapOf([{ ...pair, sent: still }])).toMatchObject({ gap: '-11.1', unmarked: '-11', fees: '-0.1' });
    expect(gapOf([{ ...pair, accepted: still }])).toMatchObject({
      ...{ gap: '-11.1', unmarked: '-1', partialFill: '-10', fees: '-0.1' },
    });
  });

  test('funding, and what only one of the two did', () => {
    const funding = { live: decimal('-1.5'), twin: decimal('-1') };
    const lone: LoneTrade[] = [
      { side: 'live', filled: filled('-1', '90', '0.1'), lastPrice: decimal('100') },
      { side: 'twin', filled: filled('-1', '91', '0.1'), lastPrice: decimal('100') },
    ];
    expect(gapOf([], { lone, funding })).toEqual({
      ...{ live: '-11.6', twin: '-10.1', gap: '-1.5', funding: '-0.5', other: '-1' },
    });
  });

  test('once both are flat, the last price has no say', () => {
    const opened = { live: filled('2', '102'), twin: filled('2', '101'), accepted: still, sent: still };
    const closed = { live: filled('-2', '98'), twin: filled('-2', '99'), accepted: still, sent: still };
    const at = (last: string) => gapOf([opened, closed].map((pair) => ({ ...pair, last })));
    expect(at('1')).toEqual(at('100000'));
    expect(at('1')).toEqual({ live: '-8', twin: '-4', gap: '-4', impact: '-4' });
  });
});

describe('any trades', () => {
  const amount = (min: number, max: number) => fc.integer({ min, max }).map((n) => decimal(`${n}e-4`));
  const price = amount(1, 1_000_000_000);
  const fills = fc
    .record({ quantity: amount(-1_000_000, 1_000_000), price, fee: amount(-10_000, 100_000) })
    .map(({ quantity, price: at, fee }): Filled => ({ quantity, cost: product(quantity, at), fee }));
  const orNothing = fc.oneof({ weight: 3, arbitrary: fills }, fc.constant(NOTHING_FILLED));
  const marks = fc.option(
    fc.tuple(price, amount(0, 10_000)).map(([bid, width]): Mark => ({ bid, ask: plus(bid, width) })),
    { nil: undefined },
  );
  const pair = fc.record({ live: orNothing, twin: orNothing, accepted: marks, sent: marks, lastPrice: price });
  const lone = fc.record({ side: fc.constantFrom('live', 'twin'), filled: fills, lastPrice: price });
  const funding = fc.record({ live: amount(-100_000, 100_000), twin: amount(-100_000, 100_000) });
  const trades = fc.record({
    pairs: fc.array(pair, { maxLength: 8 }),
    lone: fc.array(lone, { maxLength: 3 }),
    funding,
  });
  const worth = ({ quantity, cost, fee }: Filled, last: Decimal): bigint => quantity * last - cost - fee * decimal('1');

  test('live and twin are the worths of their trades, and the parts sum to the difference to the last digit', () => {
    fc.assert(
      fc.property(trades, (all) => {
        const { live, twin, parts } = twinGap(all);
        const own = (side: 'live' | 'twin'): bigint =>
          [
            ...all.pairs.map((each) => worth(each[side], each.lastPrice)),
            ...all.lone.filter((each) => each.side === side).map((each) => worth(each.filled, each.lastPrice)),
          ].reduce((a, b) => a + b, all.funding[side] * decimal('1'));
        expect([live, twin]).toEqual([own('live'), own('twin')]);
        expect(GAP_PARTS.reduce((total, part) => total + parts[part], 0n)).toBe(live - twin);
      }),
    );
  });

  test('what is shown sums to the cent, each part within two cents of what it is, and nothing stays nothing', () => {
    fc.assert(
      fc.property(trades, (all) => {
        const gap = twinGap(all);
        const shown = shownGap(gap);
        expect(minus(shown.live, shown.twin)).toBe(shown.gap);
        expect(Object.values(shown.parts).reduce(plus, ZERO)).toBe(shown.gap);
        for (const part of GAP_PARTS) {
          expect(shown.parts[part] % decimal('0.01')).toBe(0n);
          if (gap.parts[part] === (0n as Product)) expect(shown.parts[part]).toBe(ZERO);
          const off = gap.parts[part] - product(shown.parts[part], decimal('1'));
          expect((off < 0n ? -off : off) <= product(decimal('0.02'), decimal('1'))).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });
});
