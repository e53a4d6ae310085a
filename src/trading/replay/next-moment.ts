// When something happens by itself next: the first moment at which a stop is reached, a resting order is passed or its time
// is over. Between two such moments nothing can happen, so that a replay jumps over weeks in which nothing is held.

import { shareInWords } from '../books/strategy-book.ts';
import { type Decimal, decimal } from '../decimal.ts';
import { LONGEST_RETRY_PAUSE_MS } from '../execution/retry-pauses.ts';
import { lookAtMarket, type TradedPrices } from '../protection/look-at-market.ts';
import { type Protection, SECOND_MS, secondBefore } from '../protection/protection.ts';
import type { OrderSide } from '../venue.ts';

/** Stops are looked at so long after a full second (protection/watch.ts). */
const AFTER_SECOND_MS = 10;
/** Of a longer stretch a tight trail would ask more than a look may ask. */
export const LONGEST_LOOK_MS = 900_000;

export interface RestingLimit {
  readonly clientOrderId: string;
  readonly market: string;
  readonly side: OrderSide;
  readonly price: Decimal;
  /** When its time is over; infinite where none was named. */
  readonly cancelAtMs: number;
}

/** Something that happens by itself, and when. A stop without a share is only looked at. */
export type Moment = { readonly atMs: number } & (
  | { readonly kind: 'stop'; readonly share?: string }
  | { readonly kind: 'match' | 'due'; readonly clientOrderId: string }
  /** Whoever holds a position pays or gets what its market asks for. */
  | { readonly kind: 'funding' }
);

export interface Live {
  readonly protections: readonly Protection[];
  readonly limits: readonly RestingLimit[];
  /** Whether any account has a position. */
  readonly isHeld: boolean;
}

export interface Stretch {
  readonly prices: TradedPrices;
  readonly nowMs: number;
  readonly toMs: number;
  /** Whether the past has its own moment for it. */
  readonly isAwaited: (moment: Moment) => boolean;
}

/** What is looked at every second is seen about so long after its moment. */
const SWEEP_MS = 500;
/** Venues settle at 00, 08 and 16 o'clock UTC, and what an account holds then counts. */
const FUNDING_EVERY_MS = 8 * 3_600_000;

/** Undefined when nothing happens by itself until the end of the stretch. */
export async function nextMoment(live: Live, { prices, nowMs, toMs, isAwaited }: Stretch): Promise<Moment | undefined> {
  const isGuarded = live.protections.length > 0;
  const untilMs = isGuarded ? Math.min(toMs, nowMs + LONGEST_LOOK_MS) : toMs;
  const found: Moment[] = [];
  let isWaiting = false;
  const consider = (moment: Moment): void => {
    if (!isAwaited(moment)) found.push(moment);
    // Another look would find it reached before its time.
    else isWaiting ||= moment.kind === 'stop';
  };
  for (const protection of live.protections) {
    const share = shareInWords(protection);
    const again = protection.fired && nowMs + LONGEST_RETRY_PAUSE_MS;
    const atMs = again ?? (await reachedAt(protection, prices, nowMs, untilMs));
    if (atMs !== undefined && atMs <= untilMs) consider({ kind: 'stop', share, atMs });
  }
  // No look comes in between then, so that this stretch is not cut at one.
  const endMs = isWaiting ? toMs : untilMs;
  for (const limit of live.limits) {
    const { clientOrderId } = limit;
    const passedMs = await passedAt(limit, prices, nowMs, endMs);
    if (passedMs !== undefined) consider({ kind: 'match', clientOrderId, atMs: passedMs });
    const dueMs = limit.cancelAtMs + SWEEP_MS;
    if (dueMs > nowMs && dueMs <= endMs) consider({ kind: 'due', clientOrderId, atMs: dueMs });
  }
  const fundingMs = Math.ceil((nowMs + 1 - SWEEP_MS) / FUNDING_EVERY_MS) * FUNDING_EVERY_MS + SWEEP_MS;
  if (live.isHeld && fundingMs <= endMs) found.push({ kind: 'funding', atMs: fundingMs });
  // Before the next event too: what was traded until then met the levels as they stood.
  const lookMs = untilMs < toMs ? untilMs : toMs - AFTER_SECOND_MS;
  if (isGuarded && !isWaiting && lookMs > nowMs) found.push({ kind: 'stop', atMs: lookMs });
  return found.reduce<Moment | undefined>(
    (first, each) => (first && first.atMs <= each.atMs ? first : each),
    undefined,
  );
}

/** The first moment in (fromMs, toMs] at which a look finds the stop reached. */
export async function reachedAt(
  protection: Protection,
  prices: TradedPrices,
  fromMs: number,
  toMs: number,
): Promise<number | undefined> {
  let known = protection;
  for (let endMs = fromMs; endMs < toMs; ) {
    endMs = Math.min(toMs, endMs + LONGEST_LOOK_MS);
    const { after, trigger } = await lookAtMarket(known, prices, endMs);
    if (trigger === undefined) known = after;
    else return momentOfLook(known, prices, Math.max(fromMs, known.seenUntilMs), endMs);
  }
  return undefined;
}

/** A stretch gives the same result however it is cut, so that the first second can be found by halving. */
async function momentOfLook(
  protection: Protection,
  prices: TradedPrices,
  fromMs: number,
  toMs: number,
): Promise<number> {
  const second = await firstSecond(fromMs, toMs, async (endMs) => {
    return (await lookAtMarket(protection, prices, endMs)).trigger !== undefined;
  });
  return Math.max(fromMs, Math.min(toMs, second + AFTER_SECOND_MS));
}

/** The first moment in (fromMs, toMs] at which the market has traded beyond the price of the order. */
export async function passedAt(
  { market, side, price }: RestingLimit,
  prices: TradedPrices,
  fromMs: number,
  toMs: number,
): Promise<number | undefined> {
  const isPassed = async (endMs: number): Promise<boolean> => {
    const range = await prices.range(market, fromMs, endMs);
    if (range === undefined) return false;
    return side === 'BUY' ? decimal(range.low) < price : decimal(range.high) > price;
  };
  if (!(await isPassed(toMs))) return undefined;
  return Math.min(toMs, await firstSecond(fromMs, toMs, isPassed));
}

/** The first full second at which it holds, of those after `fromMs`; it holds at `toMs`. */
async function firstSecond(fromMs: number, toMs: number, holds: (endMs: number) => Promise<boolean>): Promise<number> {
  let before = secondBefore(fromMs) / SECOND_MS;
  let after = Math.ceil(toMs / SECOND_MS);
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (await holds(middle * SECOND_MS)) after = middle;
    else before = middle;
  }
  return after * SECOND_MS;
}
