// What the owner's chat shows of stops: each protection, and each that waits for its fill, as one line of HTML.

import { accountInWords } from '../accounts.ts';
import { shownStop, shownTarget } from '../books/shown-amounts.ts';
import { NAMELESS, type ShareName } from '../books/strategy-book.ts';
import { type Decimal, toText } from '../decimal.ts';
import { levelText } from '../level.ts';
import { escapeHtml } from '../notifications/escape.ts';
import { closesAtMs, type Protection, stopLossOf } from '../protection/protection.ts';
import type { PendingStop } from '../protection/protection-store.ts';
import { stopPriceOf } from '../protection/stop-rules.ts';
import { timeOf } from './render.ts';

export const stopLine = (protection: Protection, tick: Decimal | undefined): string =>
  `${nameOf(protection)}: ${guardWords(protection, tick)}`;

/** Everything that guards a share, without its name. */
export function guardWords(protection: Protection, tick: Decimal | undefined): string {
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
    ...(fired === undefined ? [] : ['<b>being closed</b>']),
  ];
  return levels.join(', ');
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

function nameOf(share: ShareName): string {
  const whose = share.strategy === NAMELESS ? '' : ` of ${escapeHtml(JSON.stringify(share.strategy))}`;
  return `<b>${escapeHtml(share.market)}</b> ${share.side}${whose} on ${accountInWords(share)}`;
}

function trailWords(protection: Protection, tick: Decimal | undefined): string[] {
  const { trail, side, activationPrice } = protection;
  if (trail === undefined) return [];
  const by = `trails by ${'percent' in trail ? `${toText(trail.percent)} %` : toText(trail.amount)}`;
  const stopPrice = stopPriceOf(protection);
  if (stopPrice !== undefined) return [by, `stop at ${toText(shownStop(stopPrice, side, tick))}`];
  return [by, activationPrice === undefined ? 'waits for a price' : `begins at ${toText(activationPrice)}`];
}
