// Which stops the shares of one market should have at their venue: pure, from our books and the levels that count now.
//
// A venue knows positions, not shares. It reduces whatever is held when a stop acts, so these stops never ask for more than their
// shares hold, together never for more than the position, and there is never a second one that could act after the first has closed
// its share while another strategy still holds something: a take profit stands beside a stop only where the share is alone.
// What does not fit is guarded by us, like targets, time stops and a trail that has not begun.

import { shownStop, shownTarget } from '../books/shown-amounts.ts';
import { NAMELESS, type StrategyBook, sumOf } from '../books/strategy-book.ts';
import { absolute, type Decimal, floorTo, larger, minus, smaller, ZERO } from '../decimal.ts';
import type { ProtectionSource } from '../signal.ts';
import type { Market, PositionSide, StopKind } from '../venue.ts';
import { type Protection, stopLossOf } from './protection.ts';
import { stopPriceOf } from './stop-rules.ts';

export interface WantedStop {
  readonly protection: Protection;
  readonly kind: StopKind;
  readonly by: ProtectionSource;
  /** On the tick: the first price of the market at which our own guard would act, so neither acts before the other. */
  readonly triggerPrice: Decimal;
  /** On the step. */
  readonly quantity: Decimal;
  /** A stop that trails is moved when it is further behind than this, and not for less; zero for the others. */
  readonly leeway: Decimal;
  /** Nobody else holds anything that this stop could reduce. */
  readonly isAlone: boolean;
}

export interface StopFacts {
  readonly market: Pick<Market, 'tickSize' | 'stepSize' | 'minQuantity'>;
  readonly netted: boolean;
  /** Everything held in the market, of both sides. */
  readonly shares: readonly StrategyBook[];
  /** Whether the close of a share waits and is not at the venue: until it is, the share wants its stop as before. */
  readonly isCloseHeldUp?: ((protection: Protection) => boolean) | undefined;
}

/** A trail is followed in steps of this part of its distance. */
const TRAIL_STEPS = 10n;

/** Those that are being closed want none: their close takes them away, and asks for no take profit while it waits. */
export function wantedStops(protections: readonly Protection[], facts: StopFacts): readonly WantedStop[] {
  const { isCloseHeldUp = () => false } = facts;
  const inTurn = protections
    .filter((protection) => protection.fired === undefined || isCloseHeldUp(protection))
    .toSorted((a, b) => a.createdAtMs - b.createdAtMs || (a.strategy < b.strategy ? -1 : 1));
  const room = { LONG: roomOn('LONG', facts), SHORT: roomOn('SHORT', facts) };
  return inTurn.flatMap((protection) => {
    const { side } = protection;
    const quantity = floorTo(smaller(heldOf(protection, facts), room[side]), facts.market.stepSize);
    if (quantity === ZERO || quantity < facts.market.minQuantity) return [];
    const isAlone = isAloneIn(protection, facts);
    const takeProfit = isAlone && protection.fired === undefined ? takeProfitOf(protection) : undefined;
    const stops = [stopOf(protection), takeProfit].flatMap((stop) =>
      stop === undefined ? [] : (onTick(stop, protection, facts.market.tickSize) ?? []),
    );
    if (stops.length > 0) room[side] = minus(room[side], quantity);
    return stops.map((stop) => ({ protection, quantity, isAlone, ...stop }));
  });
}

type LevelAt = Pick<WantedStop, 'kind' | 'by' | 'triggerPrice' | 'leeway'>;

/** The level on the losing side that the market would meet first. */
function stopOf(protection: Protection): LevelAt | undefined {
  const { side, peak } = protection;
  const { level: stopLoss, isBreakEven } = stopLossOf(protection);
  const trailing = stopPriceOf(protection);
  const fixed = stopLoss !== undefined && {
    ...{ kind: 'stop' as const, by: isBreakEven ? ('break-even' as const) : ('stop-loss' as const) },
    ...{ triggerPrice: stopLoss, leeway: ZERO },
  };
  if (trailing === undefined || peak === undefined) return fixed || undefined;
  if (fixed && (side === 'LONG' ? larger : smaller)(fixed.triggerPrice, trailing) === fixed.triggerPrice) return fixed;
  const leeway = (absolute(minus(peak, trailing)) / TRAIL_STEPS) as Decimal;
  return { kind: 'stop', by: 'trailing-stop', triggerPrice: trailing, leeway };
}

const takeProfitOf = ({ takeProfit }: Protection): LevelAt | undefined =>
  takeProfit === undefined
    ? undefined
    : { kind: 'take-profit', by: 'take-profit', triggerPrice: takeProfit, leeway: ZERO };

/** Where the level of this kind stands now, on the tick. */
export function levelNow(protection: Protection, kind: StopKind, tick: Decimal): Decimal | undefined {
  const level = kind === 'stop' ? stopOf(protection) : takeProfitOf(protection);
  return level && onTick(level, protection, tick)?.triggerPrice;
}

function onTick(stop: LevelAt, { side }: Protection, tick: Decimal): LevelAt | undefined {
  const shown = stop.kind === 'stop' ? shownStop : shownTarget;
  const triggerPrice = shown(stop.triggerPrice, side, tick);
  return triggerPrice > ZERO ? { ...stop, triggerPrice } : undefined;
}

/** How much may be closed on a side: on a netted account only what all strategies together hold there. */
function roomOn(side: PositionSide, { netted, shares }: StopFacts): Decimal {
  const sum = sumOf(netted ? shares : shares.filter((share) => share.side === side));
  return (side === 'LONG') === sum > ZERO ? absolute(sum) : ZERO;
}

const heldOf = ({ side, strategy }: Protection, { shares }: StopFacts): Decimal =>
  shares.find((share) => share.side === side && share.strategy === strategy)?.quantity ?? ZERO;

/** Whether a strategy's share of one side is all that there is, so that a stop for it can reduce nothing else. */
export const isAloneIn = (
  { side, strategy }: Pick<Protection, 'side' | 'strategy'>,
  { netted, shares }: Pick<StopFacts, 'netted' | 'shares'>,
): boolean =>
  shares.every(
    (share) =>
      share.quantity === ZERO ||
      (!netted && share.side !== side) ||
      (share.side === side && share.strategy === (strategy ?? NAMELESS)),
  );

/** At the price or nearer to the market than the level, as seen from the position. */
export const isAsNear = (side: PositionSide, kind: StopKind, price: Decimal, level: Decimal): boolean =>
  (side === 'LONG') === (kind === 'stop') ? price >= level : price <= level;
