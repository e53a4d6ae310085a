// What guards a position, in words, for tables and lines.

import { cell, type Fields, fieldsOf, rowsOf } from './table.ts';

/** `loss 60000 (2%), target 61200 (2%) closes 0.5, closes at 2026-11-16 18:00:00`. */
export function guardsInWords(protection: Fields): string {
  const { stopLoss, takeProfit, trail, targets, breakEvenAfter, closesAt, maxHoldSeconds, atVenue } = protection;
  const of = (value: unknown): Fields | undefined =>
    value === null || value === undefined ? undefined : fieldsOf(value);
  const [loss, gain, trailing] = [of(stopLoss), of(takeProfit), of(trail)];
  const words = [
    ...(loss ? [`loss ${levelInWords(loss)}${loss.isBreakEven === true ? ', at the entry price' : ''}`] : []),
    ...(gain ? [`profit ${levelInWords(gain)}`] : []),
    ...(trailing ? [`trails ${askedInWords(trailing.asked)}${stateOf(trailing)}`] : []),
    ...rowsOf(targets).map(
      (target) => `target ${levelInWords(target)} ${target.isHit === true ? 'closed' : 'closes'} ${cell(target.share)}`,
    ),
    ...(typeof breakEvenAfter === 'number' ? [`break-even after target ${breakEvenAfter}`] : []),
    ...(typeof closesAt === 'number' ? [`closes ${new Date(closesAt).toISOString().slice(0, 19)}Z`] : []),
    ...(typeof closesAt !== 'number' && typeof maxHoldSeconds === 'number'
      ? [`closes ${maxHoldSeconds} s after its fill`]
      : []),
    ...(atVenue === undefined ? [] : [atVenueInWords(rowsOf(atVenue))]),
  ];
  return words.join(', ');
}

/** Which of them act at the exchange by themselves. */
function atVenueInWords(stops: readonly Fields[]): string {
  if (stops.length === 0) return 'guarded by Signalbox alone';
  const words = stops.map(
    ({ kind, price, isKnown }) =>
      `${cell(kind)} ${cell(price)}${isKnown === false ? ' (placed, not known yet whether it stands)' : ''}`,
  );
  return `at the exchange: ${words.join(' and ')}`;
}

/** Where it stands; before it begins, where it will. */
function stateOf({ stopPrice, activationPrice }: Fields): string {
  if (typeof stopPrice === 'number') return `, now ${stopPrice}`;
  return typeof activationPrice === 'number' ? ` from ${activationPrice} on` : '';
}

/** The price, with how it was asked for where that is something else. */
function levelInWords({ price, asked }: Fields): string {
  const words = askedInWords(asked);
  if (price === null || price === undefined) return words;
  return words === cell(price) || !/[%t]/.test(words) ? cell(price) : `${cell(price)} (${words})`;
}

function askedInWords(asked: unknown): string {
  const { price, percent, ticks } = fieldsOf(asked);
  if (typeof percent === 'number') return `${percent}%`;
  return typeof ticks === 'number' ? `${ticks} ticks` : cell(price);
}
