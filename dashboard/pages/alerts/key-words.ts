// A webhook key in words: what it may trade, what limits it, and when it was last used.

import type { Refusal, Trade } from '../../server/answers.ts';
import type { Restriction, TradeLimits, WebhookKey } from '../../server/setup-answers.ts';
import { plain } from '../../ui/numbers.ts';

export function scopeWords({ exchanges, symbols, routes }: WebhookKey): string {
  const what = symbols === null ? 'every market' : symbols.join(', ');
  const where = exchanges === null ? 'every exchange' : exchanges.join(', ');
  const routed = (routes ?? []).map(({ account, multiplier }) =>
    multiplier === 1 ? account : `${account} ×${multiplier}`,
  );
  return `${what} on ${where}${routed.length === 0 ? '' : `, to ${routed.join(', ')}`}`;
}

export const restrictionOf = (restrictions: readonly Restriction[], label: string): Restriction | undefined =>
  restrictions.find(({ kind, name }) => kind === 'key' && name === label);

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
] as const;
export type NumberLimit = (typeof NUMBER_LIMITS)[number][0];

export function limitWords(limits: TradeLimits): string {
  const numbers = NUMBER_LIMITS.flatMap(([limit, words, unit]) => {
    const value = limits[limit];
    return value === undefined
      ? []
      : [`${words.toLowerCase()} ${plain(value)}${unit === '' || unit === '×' ? unit : ` ${unit}`}`];
  });
  const others = (['actions', 'accounts'] as const).flatMap((list) => limits[list] ?? []);
  const windows = limits.tradingWindows === undefined ? [] : ['trading hours'];
  return [...numbers, ...others, ...windows].join(', ') || 'none';
}

/** The newest of what came in under the key, among what is listed. */
export function lastUsed(label: string, trades: readonly Trade[], refusals: readonly Refusal[]): number | undefined {
  const times = [
    ...trades.filter(({ keyLabel }) => keyLabel === label).map(({ receivedAt }) => receivedAt),
    ...refusals.filter(({ key }) => key === label).map(({ receivedAt }) => receivedAt),
  ];
  return times.length === 0 ? undefined : Math.max(...times);
}
