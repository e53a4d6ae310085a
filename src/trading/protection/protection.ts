// A protection: the stops of one strategy's share of a position, and where they stand.
//
//   waiting ──► active ──► closing ──► gone
//      │          ▲ └──► a target ──┐     │
//      │          └─────────────────┘     │   a target closes a part; the rest is guarded on
//      └──────────┴───────────────────────┘   the share was closed by somebody else, or the owner took the stops away
//
// `waiting`: the activation price was not reached yet. `closing`: a level was reached; the share, or a target's part of it,
// is closed by an order whose request id was decided before, so that no crash can make two of them.

import type { ShareName } from '../books/strategy-book.ts';
import { type Decimal, larger, minus, plus, smaller, times, ZERO } from '../decimal.ts';
import type { Levels } from '../fixed-levels.ts';
import type { Level } from '../level.ts';
import type { ProtectionSource } from '../signal.ts';
import type { NamedParts } from './named-parts.ts';

export interface Trigger {
  readonly by: ProtectionSource;
  /** What was reached; a time stop has no price. */
  readonly level?: Decimal;
  /** The furthest target that was reached, counted from 1. */
  readonly target?: number;
}

/** The fills that levels are measured from: those of the entry that asked for them. */
export interface Basis {
  /** Their average price, and how much they were. */
  readonly price: Decimal;
  readonly filled: Decimal;
  /** What was held then: the shares of targets are shares of it. */
  readonly quantity: Decimal;
  readonly tick: Decimal;
  /** The first of them: the time stop counts from here. */
  readonly sinceMs: number;
}

/** How levels were asked for that are measured from the fill; what was asked for as a price is not here. */
export interface AskedDistances {
  readonly stopLoss?: Level;
  readonly takeProfit?: Level;
  readonly trail?: Level;
  /** Of every target, where one of them is measured. */
  readonly targets?: readonly Level[];
}

export interface Protection extends ShareName, Levels {
  readonly createdAtMs: number;
  /** The entry that asked for it; absent where the owner asked. */
  readonly origin?: string;
  /** Absent in rows of older versions, which know prices only. */
  readonly basis?: Basis;
  readonly asked?: AskedDistances;
  /** What the owner has named himself: entries that were sent before leave it as he put it. */
  readonly named?: NamedParts;
  /** So many targets were hit, and so much was closed by them. */
  readonly targetsHit?: number;
  readonly targetsClosed?: Decimal;
  /** The best price since the trail began; absent before that. */
  readonly peak?: Decimal;
  /** The market was looked at up to here: a full second, or the moment in which the stop was made. */
  readonly seenUntilMs: number;
  readonly closeRequestId: string;
  readonly fired?: Trigger & { readonly atMs: number };
}

export type ProtectionStatus = 'waiting' | 'active' | 'closing';

export function statusOf(protection: Protection): ProtectionStatus {
  if (protection.fired) return 'closing';
  const { trail, peak, stopLoss, takeProfit, targets, maxHoldSeconds } = protection;
  const others = [stopLoss, takeProfit, targets, maxHoldSeconds].some((part) => part !== undefined);
  return trail !== undefined && peak === undefined && !others ? 'waiting' : 'active';
}

/** Where the stop loss stands now: after its target was hit at the entry price, unless it stands better already. */
export function stopLossOf(
  protection: Pick<Protection, 'side' | 'stopLoss' | 'breakEvenAfter' | 'targetsHit' | 'basis'>,
): {
  readonly level: Decimal | undefined;
  readonly isBreakEven: boolean;
} {
  const { side, stopLoss, breakEvenAfter, targetsHit = 0, basis } = protection;
  if (breakEvenAfter === undefined || targetsHit < breakEvenAfter || basis === undefined)
    return { level: stopLoss, isBreakEven: false };
  const level = stopLoss === undefined ? basis.price : (side === 'LONG' ? larger : smaller)(stopLoss, basis.price);
  return { level, isBreakEven: level !== stopLoss };
}

/** When the time stop closes; undefined without one. */
export const closesAtMs = ({ maxHoldSeconds, basis }: Protection): number | undefined =>
  maxHoldSeconds === undefined || basis === undefined ? undefined : basis.sinceMs + maxHoldSeconds * SECOND_MS;

type Guards = { readonly [Part in 'trail' | 'stopLoss' | 'takeProfit' | 'targets' | 'maxHoldSeconds']?: unknown };

/** Without any of these there is nothing to watch. */
export const guardsNothing = ({ trail, stopLoss, takeProfit, targets, maxHoldSeconds }: Guards): boolean =>
  [trail, stopLoss, takeProfit, targets, maxHoldSeconds].every((part) => part === undefined);

/** How much a target that was reached closes: its share and those before it, less what targets have closed. */
export function targetQuantity(protection: Protection, target: number, held: Decimal): Decimal {
  const { targets = [], basis, targetsClosed = ZERO } = protection;
  const share = targets
    .slice(0, target)
    .map((each) => each.share)
    .reduce(plus, ZERO);
  const wanted = minus(times(basis?.quantity ?? ZERO, share), targetsClosed);
  return wanted <= ZERO ? ZERO : smaller(wanted, held);
}

/** Whole seconds are the grain of every look at the market. */
export const SECOND_MS = 1000;
export const secondBefore = (ms: number): number => Math.floor(ms / SECOND_MS) * SECOND_MS;
