// What fills came to: each number by its definition, and sums that are the fills' own to the last digit, for any fills.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Decimal, decimal, minus, plus, toText, ZERO } from '../decimal.ts';
import type { HistoricFill } from './fill-history.ts';
import { GROUPINGS, type Grouping, performanceOf } from './performance.ts';
import { divideOwnFill, NAMELESS, type StrategyBook } from './strategy-book.ts';

const ALL = { fromMs: 0, toMs: Number.POSITIVE_INFINITY };
const DAY_MS = 86_400_000;

const fill = (changes: Partial<HistoricFill> & { pnl?: string; paid?: string; size?: string } = {}): HistoricFill => {
  const { pnl = '0', paid = '0', size = '1', ...rest } = changes;
  return {
    ...{ exchange: 'binance', mode: 'paper', account: 'main', market: 'BTCUSDT', keyLabel: 'tv', netted: true },
    ...{ side: 'BUY', positionSide: 'LONG', clientOrderId: 'o', fillId: 'f', price: decimal('1'), atMs: 1000 },
    ...{ quantity: decimal(size), realizedPnl: decimal(pnl), fee: decimal(paid) },
    ...rest,
  };
};
const opens = (size: string, paid: string, atMs: number): HistoricFill => fill({ size, paid, atMs });
const closes = (size: string, pnl: string, paid: string, atMs: number): HistoricFill =>
  fill({ side: 'SELL', size, pnl, paid, atMs });
const totalOf = (fills: readonly HistoricFill[], range = ALL) => performanceOf(fills, { by: 'symbol', ...range }).total;

describe('by key', () => {
  const byKey = (fills: readonly HistoricFill[]) =>
    performanceOf(fills, { by: 'key', ...ALL }).groups.map(({ group, trades, pnl, fees }) => [
      ...[group, trades, toText(pnl), toText(fees)],
    ]);

  test('a result belongs to who opened the position, whoever closed it', () => {
    const closer = { keyLabel: 'cli 127.0.0.1' };
    const fills = [opens('10', '1', 1000), { ...closes('10', '5', '0.5', 2000), ...closer }];
    expect(byKey(fills)).toEqual([['tv', 1, '5', '1.5']]);
  });

  test('several openers have it by what each of them holds, and the total counts the trade once', () => {
    const mail = { keyLabel: 'mail' };
    const fills = [
      opens('2', '0.2', 1000),
      { ...opens('1', '0.1', 1500), ...mail },
      { ...closes('1.5', '3', '0.3', 2000), keyLabel: 'stop' },
      { ...closes('1.5', '-1', '0', 3000), ...mail },
    ];
    expect(byKey(fills)).toEqual([
      ['mail', 2, '0.666666666666', '0.2'],
      ['tv', 2, '1.333333333334', '0.4'],
    ]);
    expect(performanceOf(fills, { by: 'key', ...ALL }).total).toEqual(totalOf(fills));
  });

  test('what no fill of ours opened counts for who closed it', () => {
    expect(byKey([closes('1', '2', '0', 1)])).toEqual([['tv', 1, '2', '0']]);
  });
});

describe('by tag', () => {
  type Tagged = HistoricFill & { readonly tags: readonly string[] };
  const tagged = (of: HistoricFill, ...tags: string[]): Tagged => ({ ...of, tags });
  const byTag = (fills: readonly Tagged[]) =>
    performanceOf(fills, { by: 'tag', ...ALL }, [], ({ tags }) => tags).groups;
  const figures = (fills: readonly Tagged[]) =>
    byTag(fills).map(({ group, trades, pnl, fees }) => [group, trades, toText(pnl), toText(fees)]);

  test('a result counts for the tags of the trade that opened the position, and for those of the one that closed it', () => {
    const fills = [tagged(opens('10', '1', 1000), 'breakout'), tagged(closes('10', '5', '0.5', 3000), 'too late')];
    expect(figures(fills)).toEqual([
      ['breakout', 1, '5', '1.5'],
      ['too late', 1, '5', '0.5'],
    ]);
    // Either way the result of the trade is after the fee of its opening, and it was held since then.
    for (const group of byTag(fills)) {
      expect([toText(group.gained), group.averageHoldingMs, group.funding]).toEqual(['3.5', 2000, undefined]);
    }
  });

  test('a trade with two tags counts for both, what has none is a group of its own, and the total counts it once', () => {
    const fills = [
      tagged(opens('1', '0.1', 1000), 'a', 'b'),
      tagged(closes('1', '2', '0', 2000)),
      tagged(opens('1', '0', 3000)),
      tagged(closes('1', '-1', '0', 4000)),
    ];
    expect(figures(fills)).toEqual([
      ['', 1, '-1', '0'],
      ['a', 1, '2', '0.1'],
      ['b', 1, '2', '0.1'],
    ]);
    expect(performanceOf(fills, { by: 'tag', ...ALL }, [], ({ tags }) => tags).total).toEqual(totalOf(fills));
  });

  test('one close of what several tagged trades opened is one closed trade of each tag', () => {
    const fills = [
      tagged(opens('1', '0.1', 1000), 'a'),
      tagged(opens('1', '0.1', 3000), 'a', 'b'),
      tagged(opens('2', '0', 3000)),
      tagged(closes('4', '8', '0.4', 5000)),
    ];
    expect(figures(fills)).toEqual([
      ['', 1, '4', '0.2'],
      ['a', 1, '4', '0.4'],
      ['b', 1, '2', '0.2'],
    ]);
    // Of the half that is a's: one part was held 4 s, the other 2 s.
    expect(byTag(fills).map(({ averageHoldingMs }) => averageHoldingMs)).toEqual([2000, 3000, 2000]);
    expect(toText(byTag(fills)[1]?.gained ?? ZERO)).toBe('3.6');
  });
});

describe('a closed trade', () => {
  test('is a fill that reduces a position, and its result is after its fee and its share of the opening fees', () => {
    // 0.6 of the opening fee of 1 belongs to the first close: 2 - 0.5 - 0.6 wins 0.9; the second loses 0.3 + 0.1 + 0.4.
    const fills = [opens('10', '1', 1000), closes('6', '2', '0.5', 3000), closes('4', '-0.3', '0.1', 5000)];
    const total = totalOf(fills);
    expect(total).toMatchObject({ trades: 2, wins: 1, losses: 1, averageHoldingMs: 3000 });
    expect([total.pnl, total.fees, total.gained, total.lost].map(toText)).toEqual(['1.7', '1.6', '0.9', '0.8']);
  });

  test('that comes out even neither wins nor loses', () => {
    expect(totalOf([opens('1', '0', 1), closes('1', '0', '0', 2)])).toMatchObject({ trades: 1, wins: 0, losses: 0 });
  });

  test('was held from the average moment of its opening', () => {
    const fills = [opens('1', '0', 0), opens('3', '0', 4000), closes('2', '1', '0', 5000), closes('2', '1', '0', 7000)];
    // Opened at 3000 on average: held 2000 and 4000.
    expect(totalOf(fills).averageHoldingMs).toBe(3000);
  });

  test('of what no fill of ours opened counts, and has no holding time', () => {
    expect(totalOf([closes('1', '5', '1', 2000)])).toMatchObject({ trades: 1, wins: 1, averageHoldingMs: undefined });
  });

  test('a position of the other side, market, account or mode has nothing to do with it', () => {
    const elsewhere = [
      { positionSide: 'SHORT' },
      { market: 'ETHUSDT' },
      { account: 'scalp' },
      { mode: 'live' },
    ] as const;
    for (const place of elsewhere) {
      const side = 'positionSide' in place ? 'SELL' : 'BUY';
      const fills = [fill({ ...place, side, paid: '7', atMs: 0 }), opens('1', '0', 1000), closes('1', '1', '0', 3000)];
      expect(totalOf(fills)).toMatchObject({ wins: 1, averageHoldingMs: 2000 });
    }
  });
});

test('the drawdown is the deepest fall of profits less fees, counted from 0', () => {
  const steps = [opens('9', '2', 1), closes('1', '10', '0', 2), closes('1', '-5', '1', 3), closes('1', '3', '0', 4)];
  expect(toText(totalOf(steps).maxDrawdown)).toBe('6');
  expect(toText(totalOf(steps.slice(0, 2)).maxDrawdown)).toBe('2');
  expect(toText(totalOf([...steps, closes('1', '-4.5', '0', 5)]).maxDrawdown)).toBe('7.5');
});

test('a range has its first moment and not its last, and knows what was opened before', () => {
  const fills = [opens('3', '3', 1000), closes('1', '5', '0', 2000), closes('1', '5', '0', 3000)];
  const total = totalOf(fills, { fromMs: 2000, toMs: 3000 });
  expect(total).toMatchObject({ trades: 1, averageHoldingMs: 1000 });
  expect([total.pnl, total.fees, total.gained].map(toText)).toEqual(['5', '0', '4']);
});

test('strategies are measured on their own shares, and what nobody named is the nameless one', () => {
  const share = (strategy: string, size: string, pnl: string, paid: string) => ({
    ...{ strategy, quantity: decimal(size), realizedPnl: decimal(pnl), fee: decimal(paid) },
  });
  const fills = [
    fill({ size: '5', atMs: 1000, shares: [share('trend', '5', '0', '1')] }),
    // On the account it reduces the long position; for `range` it opens a short one.
    fill({ side: 'SELL', size: '2', pnl: '9', atMs: 2000, shares: [share('range', '2', '0', '0.5')] }),
    fill({ side: 'BUY', size: '2', atMs: 4000, shares: [share('range', '2', '-3', '0.5')] }),
    fill({ side: 'SELL', size: '1', atMs: 5000, shares: [share('late', '1', '0', '0')] }),
    // A stop closes the position for everybody, also for who had sold.
    fill({
      ...{ side: 'SELL', size: '4', atMs: 6000 },
      shares: [share('', '1', '1', '0'), share('trend', '5', '20', '1'), share('late', '1', '0', '0')],
    }),
    fill({ market: 'ETHUSDT', side: 'SELL', pnl: '0.25', atMs: 7000 }),
  ];
  const { total, groups } = performanceOf(fills, { by: 'strategy', ...ALL });
  const told = groups.map(({ group, trades, pnl, fees, averageHoldingMs }) => [
    ...[group, trades, toText(pnl), toText(fees), averageHoldingMs],
  ]);
  expect(told).toEqual([
    ['', 2, '1.25', '0', undefined],
    ['late', 1, '0', '0', 1000],
    ['range', 1, '-3', '1', 2000],
    ['trend', 1, '20', '2', 5000],
  ]);
  expect([toText(total.pnl), toText(total.fees)]).toEqual(['18.25', '3']);
});

const amount = fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }).map((units) => units as Decimal);
const size = fc.bigInt({ min: 1n, max: 10n ** 18n }).map((units) => units as Decimal);
const strategies = fc.constantFrom('', 'trend', 'range');
const anyShare = fc.record({ strategy: strategies, quantity: size, realizedPnl: amount, fee: amount });
const anyFill: fc.Arbitrary<HistoricFill> = fc
  .record({
    exchange: fc.constantFrom('binance' as const, 'bybit' as const),
    account: fc.constantFrom('main', 'scalp'),
    market: fc.constantFrom('BTCUSDT', 'ETHUSDT'),
    keyLabel: fc.constantFrom('tv', 'mail'),
    side: fc.constantFrom('BUY' as const, 'SELL' as const),
    positionSide: fc.constantFrom('LONG' as const, 'SHORT' as const),
    netted: fc.boolean(),
    quantity: size,
    realizedPnl: amount,
    fee: amount,
    atMs: fc.integer({ min: 0, max: 5 * DAY_MS }),
    shares: fc.option(fc.array(anyShare, { minLength: 1, maxLength: 3 }), { nil: undefined }),
  })
  .map(({ shares, ...rest }) => fill({ ...rest, ...(shares && { shares }) }));

const add = (values: readonly Decimal[]): Decimal => values.reduce(plus, ZERO);
/** What a grouping adds up: the fills, or the shares of strategies where there are some. */
const summed = (fills: readonly HistoricFill[], by: Grouping): readonly Pick<HistoricFill, 'realizedPnl' | 'fee'>[] =>
  by === 'strategy'
    ? fills.flatMap((each): Pick<HistoricFill, 'realizedPnl' | 'fee'>[] => [...(each.shares ?? [each])])
    : fills;

test('for any fills, any grouping and any range, the groups add up to the total, and the total is the sum of the fills', () => {
  const range = fc.tuple(fc.integer({ min: 0, max: 5 * DAY_MS }), fc.integer({ min: 0, max: 5 * DAY_MS }));
  fc.assert(
    fc.property(fc.array(anyFill, { maxLength: 40 }), fc.constantFrom(...GROUPINGS), range, (fills, by, moments) => {
      const [fromMs, toMs] = moments.toSorted((a, b) => a - b) as [number, number];
      const { total, groups } = performanceOf(fills, { by, fromMs, toMs });
      const inside = summed(
        fills.filter(({ atMs }) => atMs >= fromMs && atMs < toMs),
        by,
      );
      expect(total.pnl).toBe(add(inside.map(({ realizedPnl }) => realizedPnl)));
      expect(total.fees).toBe(add(inside.map(({ fee }) => fee)));
      for (const sum of ['pnl', 'fees', 'gained', 'lost'] as const)
        expect(add(groups.map((group) => group[sum]))).toBe(total[sum]);
      for (const count of ['trades', 'wins', 'losses'] as const)
        expect(groups.reduce((sum, group) => sum + group[count], 0)).toBe(total[count]);
      expect(total.maxDrawdown).toBeGreaterThanOrEqual(0n);
      expect(total.maxDrawdown).toBeGreaterThanOrEqual(minus(total.fees, total.pnl));
    }),
  );
});

/** Who trades, in which market, whether he adds or gives up what he has, and how much. */
const anyStep = fc.record({
  strategy: strategies,
  market: fc.constantFrom('BTCUSDT', 'ETHUSDT'),
  closes: fc.boolean(),
  size: fc.bigInt({ min: 1n, max: 10n ** 10n }).map((units) => units as Decimal),
  price: fc.integer({ min: 50, max: 150 }).map((price) => decimal(String(price))),
});
type Step = typeof anyStep extends fc.Arbitrary<infer S> ? S : never;

/** The fills of long positions that are all closed in the end; a market is divided from the first strategy with a name on. */
function fillsOf(steps: readonly Step[], netted: boolean): readonly HistoricFill[] {
  const books = new Map<string, StrategyBook[]>();
  const divided = new Set<string>();
  const fills: HistoricFill[] = [];
  const place = (market: string) => ({ exchange: 'binance', mode: 'paper', account: 'main', market }) as const;
  const trade = (strategy: string, market: string, closing: boolean, quantity: Decimal, price: Decimal): void => {
    if (strategy !== NAMELESS) divided.add(market);
    const atMs = 1000 * (fills.length + 1);
    const side = closing ? 'SELL' : 'BUY';
    const booked = { fillId: `f${atMs}`, quantity, price, fee: decimal('0.5'), atMs };
    const own = { strategy, side, positionSide: 'LONG', netted, fill: booked } as const;
    const before = books.get(market) ?? [];
    const { changed, shares } = divideOwnFill(before, place(market), own);
    books.set(market, [
      ...before.filter((book) => !changed.some((each) => each.strategy === book.strategy)),
      ...changed,
    ]);
    const { realizedPnl = ZERO } = shares[0] ?? {};
    fills.push(
      fill({ ...booked, ...place(market), side, netted, realizedPnl, ...(divided.has(market) && { shares }) }),
    );
  };
  for (const { strategy, market, closes: closing, size: wanted, price } of steps) {
    const held = books.get(market)?.find((book) => book.strategy === strategy)?.quantity ?? ZERO;
    if (!closing) trade(strategy, market, false, wanted, price);
    else if (held > ZERO) trade(strategy, market, true, wanted < held ? wanted : held, price);
  }
  for (const [market, open] of [...books])
    for (const { strategy, quantity } of open)
      if (quantity > ZERO) trade(strategy, market, true, quantity, decimal('100'));
  return fills;
}

test('once everything is closed, gains less losses are profits less fees, however trades are grouped and whenever a market was divided', () => {
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 20 }), fc.boolean(), (steps, netted) => {
      const fills = fillsOf(steps, netted);
      for (const by of GROUPINGS) {
        const { gained, lost, pnl, fees, trades, averageHoldingMs } = performanceOf(fills, { by, ...ALL }).total;
        expect(minus(gained, lost)).toBe(minus(pnl, fees));
        expect(averageHoldingMs === undefined).toBe(trades === 0);
      }
    }),
  );
});

test('where no position is shared, trades come to the same by strategy as by symbol', () => {
  const alone = fc.tuple(strategies, strategies).chain(([bitcoin, ether]) =>
    fc.array(
      anyStep.map((step) => ({ ...step, strategy: step.market === 'BTCUSDT' ? bitcoin : ether })),
      { maxLength: 20 },
    ),
  );
  fc.assert(
    fc.property(alone, fc.boolean(), (steps, netted) => {
      const fills = fillsOf(steps, netted);
      expect(performanceOf(fills, { by: 'strategy', ...ALL }).total).toEqual(totalOf(fills));
    }),
  );
});

test('a position that ended beside us leaves no fee to the next one of the other side', () => {
  const short = { positionSide: 'SHORT' } as const;
  const fills = [
    fill({ paid: '7', atMs: 0 }),
    fill({ ...short, side: 'SELL', paid: '1', atMs: 1000 }),
    fill({ ...short, side: 'BUY', pnl: '5', atMs: 3000 }),
  ];
  const { total } = performanceOf(fills, { by: 'strategy', ...ALL });
  expect([toText(total.gained), total.averageHoldingMs]).toEqual(['4', 2000]);
});
