// What the owner's chat shows of stops: each protection, and each that waits for its fill, as one line of HTML.

import { accountOfRealMoney } from '../accounts.ts';
import { shownStop, shownTarget } from '../books/shown-amounts.ts';
import { NAMELESS, type ShareName } from '../books/strategy-book.ts';
import { type Decimal, toText } from '../decimal.ts';
import { levelText } from '../level.ts';
import { escapeHtml } from '../notifications/escape.ts';
import { closesAtMs, type Protection, stopLossOf } from '../protection/protection.ts';
import type { PendingStop } from '../protection/protection-store.ts';
import { stopPriceOf } from '../protection/stop-rules.ts';
import { KIND_WORDS } from '../protection/unprotected-shares.ts';
import type { ShownStop } from '../protection/venue-stop-store.ts';
import { timeOf } from './render.ts';

export const stopLine = (protection: Protection, tick: Decimal | undefined, atVenue?: AtVenue): string =>
  `${nameOf(protection)}: ${guardWords(protection, tick, atVenue)}`;

/** What stands at the exchange of it; undefined where that keeps no stops. */
type AtVenue = readonly ShownStop[] | undefined;

/** Everything that guards a share, without its name. */
export function guardWords(protection: Protection, tick: Decimal | undefined, atVenue?: AtVenue): string {
  const { side, fired, takeProfit, targets = [], targetsHit = 0 } = protection;
  const { level: stopLoss, isBreakEven } = stopLossOf(protection);
  const gain = (level: Decimal): string => toText(shownTarget(level, side, tick));
  const closesAt = closesAtMs(protection);
  const levels = [
    ...trailWords(protection, tick),
    ...(stopLoss === undefined
      ? []
      : [`stop loss ${toText(shownStop(stopLoss, side, tick))}${isBreakEven ? ' (the entry price)' : ''}`]),
    ...(takeProfit === undefined ? [] : [`take profit ${gain(takeProfit)}`]),
    ...targets.map(({ level, share }, index) =>
      index < targetsHit ? `target ${index + 1} hit` : `target ${index + 1} closes ${toText(share)} at ${gain(level)}`,
    ),
    ...(protection.breakEvenAfter === undefined || isBreakEven
      ? []
      : [`at the entry price after target ${protection.breakEvenAfter}`]),
    ...(closesAt === undefined ? [] : [`closes at ${timeOf(closesAt)} UTC`]),
    ...(atVenue === undefined ? [] : [venueWords(atVenue)]),
    ...(fired === undefined ? [] : ['<b>being closed</b>']),
  ];
  return levels.join(', ');
}

function venueWords(stops: readonly ShownStop[]): string {
  if (stops.length === 0) return 'guarded by Signalbox alone';
  const words = stops.map(
    ({ kind, triggerPrice, isKnown }) =>
      `${KIND_WORDS[kind]} ${toText(triggerPrice)}${isKnown ? '' : ' (placed, not known yet whether it stands)'}`,
  );
  return `at the exchange: ${words.join(' and ')}`;
}

export function pendingLine({ share, asked, requestId }: PendingStop): string {
  const { stopLoss, takeProfit, trail, activationPrice, targets = [], maxHoldSeconds } = asked;
  const begins = activationPrice === undefined ? '' : ` from ${toText(activationPrice)} on`;
  const levels = [
    ...(trail ? [`trails by ${levelText(trail)}${begins}`] : []),
    ...(stopLoss ? [`stop loss ${levelText(stopLoss)}`] : []),
    ...(takeProfit ? [`take profit ${levelText(takeProfit)}`] : []),
    ...targets.map(({ level, share: part }) => `target ${levelText(level)} closes ${toText(part)}`),
    ...(maxHoldSeconds === undefined ? [] : [`closes ${maxHoldSeconds} s after its fill`]),
  ];
  const what = share ? nameOf(share) : escapeHtml(requestId);
  return `${what}: ${levels.join(', ')}, <b>waiting for the fill</b>`;
}

export function nameOf(share: ShareName): string {
  const whose = share.strategy === NAMELESS ? '' : ` of ${escapeHtml(JSON.stringify(share.strategy))}`;
  return `<b>${escapeHtml(share.market)}</b> ${share.side}${whose} on ${accountOfRealMoney(share)}`;
}

function trailWords(protection: Protection, tick: Decimal | undefined): string[] {
  const { trail, side, activationPrice } = protection;
  if (trail === undefined) return [];
  const by = `trails by ${'percent' in trail ? `${toText(trail.percent)} %` : toText(trail.amount)}`;
  const stopPrice = stopPriceOf(protection);
  if (stopPrice !== undefined) return [by, `stop at ${toText(shownStop(stopPrice, side, tick))}`];
  return [by, activationPrice === undefined ? 'waits for a price' : `begins at ${toText(activationPrice)}`];
}
