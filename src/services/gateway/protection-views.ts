// A protection as answers show it: every level as a price, beside how it was asked for; and those that wait for their fill.

import { z } from 'zod';
import { EXCHANGES } from '../../exchanges/exchange.ts';
import { keyInWords } from '../../trading/books/position.ts';
import { shownAverage, shownStop, shownTarget, type TickOf } from '../../trading/books/shown-amounts.ts';
import { NAMELESS, type ShareName } from '../../trading/books/strategy-book.ts';
import { type Decimal, toNumber } from '../../trading/decimal.ts';
import { type Level, priceLevel } from '../../trading/level.ts';
import { askedFor, askedTrail } from '../../trading/protection/new-protection.ts';
import { closesAtMs, type Protection, statusOf, stopLossOf } from '../../trading/protection/protection.ts';
import type { PendingStop } from '../../trading/protection/protection-store.ts';
import { stopPriceOf } from '../../trading/protection/stop-rules.ts';
import type { ShownStop } from '../../trading/protection/venue-stop-store.ts';
import { described, shownAccount } from './schemas.ts';

export const WAITING_FOR_FILL = 'waiting for the fill';

const askedSchema = described(
  z.object({ price: z.number().optional(), percent: z.number().optional(), ticks: z.number().optional() }),
  'As it was asked for; percent and ticks count from entryPrice',
);
const price = described(z.number().nullable(), 'The price of the market at which it closes; null before the fill');

export const protectionSchema = z.object({
  key: described(z.string(), 'Of the position'),
  exchange: z.enum(EXCHANGES),
  mode: z.enum(['paper', 'testnet', 'live']),
  account: shownAccount,
  symbol: z.string(),
  side: z.enum(['LONG', 'SHORT']),
  strategy: described(z.string().nullable(), 'Whose share it guards; null is what signals without a strategy hold'),
  status: described(
    z.enum([WAITING_FOR_FILL, 'waiting', 'active', 'closing']),
    'waiting for the fill of its entry; waiting for the activation price; watching; or a level was reached and is being closed',
  ),
  requestId: described(z.string().nullable(), 'The entry that asked for it; null where the owner did'),
  entryPrice: described(z.number().nullable(), 'What percent and ticks count from: the average price of its fills'),
  stopLoss: z
    .object({ price, asked: askedSchema, isBreakEven: described(z.boolean(), 'It has moved to the entry price') })
    .nullable(),
  takeProfit: z.object({ price, asked: askedSchema }).nullable(),
  trail: z
    .object({
      asked: described(askedSchema, 'A price or ticks are a price difference, percent are of the best price'),
      activationPrice: z.number().nullable(),
      peak: described(z.number().nullable(), 'The best price since it began'),
      stopPrice: described(z.number().nullable(), 'Where it stands now; null before it begins'),
    })
    .nullable(),
  targets: z.array(z.object({ price, asked: askedSchema, share: z.number(), isHit: z.boolean() })),
  breakEvenAfter: z.number().int().nullable(),
  maxHoldSeconds: z.number().int().nullable(),
  closesAt: described(z.number().int().nullable(), 'When the time stop closes, ms since 1970 UTC'),
  closeRequestId: described(z.string().nullable(), 'The closing trade, while there is one: GET /trades/{requestId}'),
  createdAt: z.number().int(),
  atVenue: described(
    z
      .array(
        z.object({
          id: described(
            z.string(),
            'Its client order id at the exchange, and the request id of its trade when it has acted',
          ),
          kind: z.enum(['stop', 'take-profit']),
          price: z.number(),
          quantity: z.number(),
          isKnown: described(
            z.boolean(),
            'false: it was placed, and nobody knows yet whether it stands: its venue is away, or no instance runs',
          ),
        }),
      )
      .optional(),
    'What stands at the exchange and acts there by itself, also while Signalbox is down; the rest is guarded by Signalbox alone. Absent where the account keeps no stops, as on paper',
  ),
});
export type ProtectionView = z.infer<typeof protectionSchema>;

const orNull = (value: Decimal | undefined): number | null => (value === undefined ? null : toNumber(value));
const askedView = ({ unit, value }: Level) => ({ [unit]: toNumber(value) });

const nameView = (name: ShareName) => ({
  key: keyInWords(name),
  exchange: name.exchange,
  mode: name.mode,
  account: name.account,
  symbol: name.market,
  side: name.side,
  strategy: name.strategy === NAMELESS ? null : name.strategy,
});

const venueStopView = ({ clientStopId: id, kind, triggerPrice, quantity, isKnown }: ShownStop) => ({
  ...{ id, kind, price: toNumber(triggerPrice), quantity: toNumber(quantity), isKnown },
});

export function protectionView(
  protection: Protection,
  tickOf: TickOf,
  protections: Pick<ProtectionSights, 'stopsAtVenue'>,
): ProtectionView {
  const atVenue = protections.stopsAtVenue?.(protection);
  const { exchange, market, side, fired, basis, targets = [], targetsHit = 0, asked } = protection;
  const tick = tickOf(exchange, market);
  const loss = (level: Decimal | undefined): number | null => orNull(level && shownStop(level, side, tick));
  const gain = (level: Decimal): number => toNumber(shownTarget(level, side, tick));
  const [stop, profitAsked, trail] = [
    stopLossOf(protection),
    askedFor(protection, 'takeProfit'),
    askedTrail(protection),
  ];
  const stopAsked = askedFor(protection, 'stopLoss') ?? (stop.level && priceLevel(stop.level));
  return {
    ...nameView(protection),
    status: statusOf(protection),
    requestId: protection.origin ?? null,
    entryPrice: orNull(basis && shownAverage(basis.price, tick)),
    stopLoss: stopAsked
      ? { price: loss(stop.level), asked: askedView(stopAsked), isBreakEven: stop.isBreakEven }
      : null,
    takeProfit: profitAsked ? { price: gain(protection.takeProfit as Decimal), asked: askedView(profitAsked) } : null,
    trail: trail
      ? {
          asked: askedView(trail),
          activationPrice: orNull(protection.activationPrice),
          peak: orNull(protection.peak),
          stopPrice: loss(stopPriceOf(protection)),
        }
      : null,
    targets: targets.map(({ level, share }, index) => ({
      price: gain(level),
      asked: askedView(asked?.targets?.[index] ?? priceLevel(level)),
      share: toNumber(share),
      isHit: index < targetsHit,
    })),
    breakEvenAfter: protection.breakEvenAfter ?? null,
    maxHoldSeconds: protection.maxHoldSeconds ?? null,
    closesAt: closesAtMs(protection) ?? null,
    closeRequestId: fired ? protection.closeRequestId : null,
    createdAt: protection.createdAtMs,
    ...(atVenue && { atVenue: atVenue.map(venueStopView) }),
  };
}

/** What was asked for as a price is one already; the rest has none before there is a fill. */
export function pendingView(stop: PendingStop & { readonly share: ShareName }): ProtectionView {
  const { stopLoss, takeProfit, trail, activationPrice, targets = [], breakEvenAfter, maxHoldSeconds } = stop.asked;
  const level = (asked: Level) => ({
    price: asked.unit === 'price' ? toNumber(asked.value) : null,
    asked: askedView(asked),
  });
  return {
    ...nameView(stop.share),
    status: WAITING_FOR_FILL,
    requestId: stop.requestId,
    entryPrice: null,
    stopLoss: stopLoss ? { ...level(stopLoss), isBreakEven: false } : null,
    takeProfit: takeProfit ? level(takeProfit) : null,
    trail: trail
      ? { asked: askedView(trail), activationPrice: orNull(activationPrice), peak: null, stopPrice: null }
      : null,
    targets: targets.map((target) => ({ ...level(target.level), share: toNumber(target.share), isHit: false })),
    breakEvenAfter: breakEvenAfter ?? null,
    maxHoldSeconds: maxHoldSeconds ?? null,
    closesAt: null,
    closeRequestId: null,
    createdAt: stop.createdAtMs,
  };
}

export interface ProtectionSights {
  list(): readonly Protection[];
  waiting(): Promise<readonly PendingStop[]>;
  waitingOf(requestId: string): PendingStop | undefined;
  stopsAtVenue?(share: ShareName): readonly ShownStop[] | undefined;
}

/** Everything that guards something or will: those in force first, each sorted by key. */
export async function protectionViews(protections: ProtectionSights, tickOf: TickOf): Promise<ProtectionView[]> {
  const stops = await protections.waiting();
  const waiting = stops.flatMap((stop) => (stop.share ? [pendingView({ ...stop, share: stop.share })] : []));
  return [...protections.list().map((protection) => protectionView(protection, tickOf, protections)), ...waiting];
}
