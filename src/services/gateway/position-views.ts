// Open positions as answers show them: our own books, with what the venue binds for them and the stops that guard them.

import { z } from 'zod';
import { EXCHANGES } from '../../exchanges/exchange.ts';
import { foregroundTimers } from '../../timing/timers.ts';
import { withTimeout } from '../../timing/with-timeout.ts';
import type { PricesOf, ShownPrices } from '../../trading/account-prices.ts';
import type { Accounts } from '../../trading/accounts.ts';
import type { Journal } from '../../trading/books/journal.ts';
import { openPositionsOf } from '../../trading/books/open-positions.ts';
import { keyInWords, type Position, unrealizedPnl } from '../../trading/books/position.ts';
import { shownAverage, shownMoney, shownStop, shownTarget, type TickOf } from '../../trading/books/shown-amounts.ts';
import { isShareOf, NAMELESS, type StrategyBook } from '../../trading/books/strategy-book.ts';
import { type Decimal, decimal, toNumber } from '../../trading/decimal.ts';
import { type Protection, statusOf, stopLossOf } from '../../trading/protection/protection.ts';
import { stopPriceOf } from '../../trading/protection/stop-rules.ts';
import type { VenuePosition } from '../../trading/venue.ts';
import { type ProtectionSights, type ProtectionView, protectionSchema, protectionViews } from './protection-views.ts';
import { described, shownAccount } from './schemas.ts';

const SIDES = ['LONG', 'SHORT'] as const;

/** In short, for a table. */
const shortProtectionSchema = z.object({
  status: described(
    z.enum(['waiting', 'active', 'closing']),
    'waiting for the activation price; watching; or reached, and the position is being closed',
  ),
  stopLoss: z.number().nullable(),
  takeProfit: z.number().nullable(),
  trailPercent: z.number().nullable(),
  trailAmount: z.number().nullable(),
  stopPrice: described(z.number().nullable(), 'Where the trailing stop stands now; null before it begins'),
});

export const positionSchema = z.object({
  key: described(z.string(), 'Its name, for POST /positions/close'),
  exchange: z.enum(EXCHANGES),
  mode: z.enum(['paper', 'testnet', 'live']),
  account: shownAccount,
  market: z.string(),
  side: z.enum(SIDES),
  quantity: described(
    z.number(),
    '0 where the shares of its strategies cancel each other out: each of them is still there',
  ),
  entryPrice: z.number(),
  markPrice: described(z.number().nullable(), 'The venue’s own where it tells one'),
  unrealizedPnl: described(
    z.number().nullable(),
    'As the venue counts it where it tells it, otherwise by the mark price',
  ),
  realizedPnl: z.number(),
  fees: z.number(),
  leverage: described(z.number().nullable(), 'As it is set for the market; null where the venue does not tell'),
  margin: described(z.number().nullable(), 'What the position binds, in USDT; null where the venue does not tell'),
  liquidationPrice: described(
    z.number().nullable(),
    'The price at which the account is liquidated while its other markets stand still; null where no price does it or the venue does not tell. On a tick of the market: the first one at which it happens',
  ),
  protection: described(
    shortProtectionSchema.nullable(),
    'The stops of signals without a strategy, or the only ones there are, in short; null where there are none',
  ),
  protections: described(
    z.array(protectionSchema),
    'What guards each share, whole; and what will when its entry has filled',
  ),
  prices: described(z.string(), 'Where the mark price comes from; "simulated" is not a real market'),
  strategies: described(
    z.array(
      z.object({
        strategy: described(z.string().nullable(), 'null is what signals without a strategy hold'),
        side: z.enum(SIDES),
        quantity: z.number(),
        entryPrice: z.number(),
        realizedPnl: z.number(),
        fees: z.number(),
      }),
    ),
    'The shares of strategies; empty where no signal has named one. On a netted account they may stand against each other',
  ),
  updatedAt: z.number().int(),
});

export interface PositionDeps {
  readonly journal: Pick<Journal, 'positions' | 'strategyBooks'>;
  readonly accounts: Pick<Accounts, 'find'>;
  readonly protections: ProtectionSights;
  readonly pricesOf: PricesOf<ShownPrices>;
  readonly tickOf: TickOf;
}

export async function openPositions(deps: PositionDeps): Promise<z.infer<typeof positionSchema>[]> {
  const books = await deps.journal.strategyBooks();
  const held = openPositionsOf(await deps.journal.positions(), books);
  const guards = deps.protections.list();
  const views = await protectionViews(deps.protections, deps.tickOf);
  return Promise.all(
    held.map(async (position) => {
      const [mark, there] = await Promise.all([markOf(position, deps), atVenue(position, deps)]);
      return {
        ...ownView(position, mark, deps),
        ...venueView(there, deps.tickOf(position.exchange, position.market)),
        protection: shortView(guardOf(position, guards), deps.tickOf),
        protections: views.filter((view) => isOf(view, position, held)),
        prices: deps.pricesOf(position).label,
        strategies: books.filter((book) => isShareOf(book, position, held)).map((book) => shareView(book, deps.tickOf)),
        updatedAt: position.updatedAtMs,
      };
    }),
  );
}

/** A venue that takes connections and does not answer must not keep the books from whoever looks at them in an outage. */
const ANSWER_MS = 3_000;

const unlessLate = <T>(asked: Promise<T>): Promise<T | undefined> =>
  withTimeout(asked, ANSWER_MS, () => undefined, foregroundTimers);

/** A market without a price still has a position worth showing. */
const markOf = (position: Position, { pricesOf }: PositionDeps): Promise<Decimal | undefined> =>
  unlessLate(
    pricesOf(position)
      .lastPrice(position.market)
      .then(decimal, () => undefined),
  );

const money = (amount: Decimal): number => toNumber(shownMoney(amount));
const orNull = (value: Decimal | undefined): number | null => (value === undefined ? null : toNumber(value));

function ownView(position: Position, mark: Decimal | undefined, { tickOf }: PositionDeps) {
  return {
    key: keyInWords(position),
    exchange: position.exchange,
    mode: position.mode,
    account: position.account,
    market: position.market,
    side: position.side,
    quantity: toNumber(position.quantity),
    entryPrice: toNumber(shownAverage(position.entryPrice, tickOf(position.exchange, position.market))),
    markPrice: orNull(mark),
    unrealizedPnl: mark === undefined ? null : money(unrealizedPnl(position, mark)),
    realizedPnl: money(position.realizedPnl),
    fees: money(position.fees),
  };
}

/** Undefined where the account is not opened, or its venue cannot be asked now: our own books tell the rest. */
async function atVenue(position: Position, { accounts }: PositionDeps): Promise<VenuePosition | undefined> {
  const venue = accounts.find(position.exchange, position.account);
  if (venue?.mode !== position.mode) return undefined;
  const there = await unlessLate(venue.positions(position.market).catch(() => []));
  return there?.find(({ side }) => side === position.side);
}

const venueView = (there: VenuePosition | undefined, tick: Decimal | undefined) => ({
  leverage: there?.leverage ?? null,
  // The venue's own numbers, where it gives them: what we would count ourselves could say a gain where the venue says a loss.
  ...(there?.markPrice !== undefined && { markPrice: toNumber(there.markPrice) }),
  ...(there?.unrealizedPnl !== undefined && { unrealizedPnl: money(there.unrealizedPnl) }),
  margin: there?.margin === undefined ? null : money(there.margin),
  liquidationPrice:
    there?.liquidationPrice === undefined ? null : toNumber(shownStop(there.liquidationPrice, there.side, tick)),
});

/** Of one share: the nameless one, or the only one that has any. */
function guardOf(position: Position, guards: readonly Protection[]): Protection | undefined {
  const found = guards.filter((guard) => keyInWords(guard) === keyInWords(position));
  return found.find(({ strategy }) => strategy === NAMELESS) ?? (found.length === 1 ? found[0] : undefined);
}

/** Its own side, and what stands against it on a netted account, where that side has no position of its own. */
const isOf = (view: ProtectionView, position: Position, held: readonly Position[]): boolean => {
  const other = keyInWords({ ...position, side: position.side === 'LONG' ? 'SHORT' : 'LONG' });
  return view.key === keyInWords(position) || (view.key === other && !held.some((each) => keyInWords(each) === other));
};

function shortView(protection: Protection | undefined, tickOf: TickOf): z.infer<typeof shortProtectionSchema> | null {
  if (protection === undefined) return null;
  const { exchange, market, side, trail } = protection;
  const level = stopPriceOf(protection);
  const tick = tickOf(exchange, market);
  const { level: stopLoss } = stopLossOf(protection);
  const { takeProfit } = protection;
  return {
    status: statusOf(protection),
    stopLoss: orNull(stopLoss && shownStop(stopLoss, side, tick)),
    takeProfit: orNull(takeProfit && shownTarget(takeProfit, side, tick)),
    trailPercent: orNull(trail && 'percent' in trail ? trail.percent : undefined),
    trailAmount: orNull(trail && 'amount' in trail ? trail.amount : undefined),
    stopPrice: orNull(level && shownStop(level, side, tick)),
  };
}

const shareView = (book: StrategyBook, tickOf: TickOf) => ({
  strategy: book.strategy === NAMELESS ? null : book.strategy,
  side: book.side,
  quantity: toNumber(book.quantity),
  entryPrice: toNumber(shownAverage(book.entryPrice, tickOf(book.exchange, book.market))),
  realizedPnl: money(book.realizedPnl),
  fees: money(book.fees),
});
