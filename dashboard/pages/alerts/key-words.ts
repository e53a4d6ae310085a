// A webhook key in words: what it may trade, what limits it, and when it was last used.

import type { Refusal, Trade } from '../../server/answers.ts';
import type { WebhookKey } from '../../server/setup-answers.ts';

export function scopeWords({ exchanges, symbols, routes }: WebhookKey): string {
  const what = symbols === null ? 'every market' : symbols.join(', ');
  const where = exchanges === null ? 'every exchange' : exchanges.join(', ');
  const routed = (routes ?? []).map(({ account, multiplier }) =>
    multiplier === 1 ? account : `${account} ×${multiplier}`,
  );
  return `${what} on ${where}${routed.length === 0 ? '' : `, to ${routed.join(', ')}`}`;
}

/** The newest of what came in under the key, among what is listed. */
export function lastUsed(label: string, trades: readonly Trade[], refusals: readonly Refusal[]): number | undefined {
  const times = [
    ...trades.filter(({ keyLabel }) => keyLabel === label).map(({ receivedAt }) => receivedAt),
    ...refusals.filter(({ key }) => key === label).map(({ receivedAt }) => receivedAt),
  ];
  return times.length === 0 ? undefined : Math.max(...times);
}
