// Limits in words, and whom they are about: a key, a strategy, an account or a market.

import type { Restriction, TradeLimits } from '../../server/setup-answers.ts';
import { plain } from '../../ui/numbers.ts';
import { linkTo } from '../../ui/places.ts';

export type Subject = Pick<Restriction, 'kind' | 'name'>;
export type SubjectKind = Subject['kind'];

/** As people call them; the server's word for a market is symbol. */
export const KINDS: readonly (readonly [kind: SubjectKind, words: string])[] = [
  ['key', 'Key'],
  ['strategy', 'Strategy'],
  ['account', 'Account'],
  ['symbol', 'Market'],
];
export const kindWords = (kind: string): string => (kind === 'symbol' ? 'market' : kind);
/** `key scalper`, `market BTCUSDT`. */
export const subjectWords = ({ kind, name }: { readonly kind: string; readonly name: string }): string =>
  `${kindWords(kind)} ${name}`;
export const subjectLink = ({ kind, name }: Subject): string => linkTo('limits', kind, name);

export const restrictionOf = (restrictions: readonly Restriction[], { kind, name }: Subject): Restriction | undefined =>
  restrictions.find((each) => each.kind === kind && each.name === name);

/** The limits that are numbers, with their names as people say them and what they count. */
export const NUMBER_LIMITS = [
  ['largestOrder', 'Largest order', 'USDT'],
  ['largestPosition', 'Largest position', 'USDT'],
  ['openPositions', 'Open positions', ''],
  ['leverage', 'Leverage', '×'],
  ['dailyLoss', 'Loss of a day', 'USDT'],
  ['entriesPerDay', 'Entries a day', ''],
  ['rate', 'Entries a minute', ''],
  ['cooldownSeconds', 'Pause after a close', 's'],
  ['priceDeviationPercent', 'Limit price from the market', '%'],
  ['spreadPercent', 'Widest spread', '%'],
] as const;
export type NumberLimit = (typeof NUMBER_LIMITS)[number][0];

/** The limits that are lists of what is allowed. */
export const LIST_LIMITS = ['symbols', 'venues', 'actions', 'accounts'] as const;
export type ListLimit = (typeof LIST_LIMITS)[number];

/** Without the markets and exchanges, which stand beside a key in a column of their own. */
export function limitWords(limits: TradeLimits): string {
  const numbers = NUMBER_LIMITS.flatMap(([limit, words, unit]) => {
    const value = limits[limit];
    return value === undefined
      ? []
      : [`${words.toLowerCase()} ${plain(value)}${unit === '' || unit === '×' ? unit : ` ${unit}`}`];
  });
  const { lockAfterStops: lock, tradingWindows = [] } = limits;
  const locks = lock === undefined ? [] : [`locked after ${lock.stops} stops in ${plain(lock.seconds)} s`];
  const others = (['actions', 'accounts'] as const).flatMap((list) => limits[list] ?? []);
  return [...numbers, ...locks, ...others, ...tradingWindows.map(windowWords)].join(', ') || 'none';
}

export function everyLimitWords(limits: TradeLimits): string {
  const only = [...(limits.symbols ?? []), ...(limits.venues ?? [])];
  const rest = limitWords(limits);
  if (only.length === 0) return rest;
  return `only ${only.join(', ')}${rest === 'none' ? '' : `; ${rest}`}`;
}

type Window = NonNullable<TradeLimits['tradingWindows']>[number];

/** `mon tue 09:30–16:00 Europe/Berlin`. */
export const windowWords = ({ days, from, to, zone }: Window): string =>
  `${days === undefined ? '' : `${days.join(' ')} `}${from}–${to}${zone === undefined ? '' : ` ${zone}`}`;
