// What the performance is narrowed to, read from behind the hash: money of one kind, an account, and a stretch of time or one day.

import type { Health } from '../../server/answers.ts';
import { MONEY } from '../../ui/money-chip.tsx';

const DAY_MS = 86_400_000;

export const SPANS = [
  ['1w', '7 days', 7],
  ['1m', '30 days', 30],
  ['3m', '90 days', 90],
  ['1y', 'a year', 365],
] as const;

export interface Chosen {
  readonly mode: Health['mode'];
  readonly exchange: string | undefined;
  readonly account: string | undefined;
  readonly symbol: string | undefined;
  readonly strategy: string | undefined;
  readonly key: string | undefined;
  readonly tag: string | undefined;
  /** One day of UTC. */
  readonly day: string | undefined;
  /** As the server takes them; everything without. */
  readonly from: string | undefined;
  readonly to: string | undefined;
}

const modeOf = (word: string | null): Health['mode'] | undefined => MONEY.find((mode) => mode === word);

export function chosenOf(query: URLSearchParams, modeInForce: Health['mode'], nowMs: number): Chosen {
  const given = (name: string): string | undefined => query.get(name) ?? undefined;
  const dayMs = Date.parse(`${query.get('day')}T00:00:00Z`);
  const days = SPANS.find(([word]) => word === query.get('span'))?.[2];
  const isDay = Number.isFinite(dayMs);
  // From the beginning of a day on, so that the same is asked for until tomorrow.
  const fromMs = isDay ? dayMs : days === undefined ? undefined : (Math.floor(nowMs / DAY_MS) - days + 1) * DAY_MS;
  return {
    ...{ mode: modeOf(query.get('mode')) ?? modeInForce, exchange: given('exchange'), account: given('account') },
    ...{ symbol: given('market'), strategy: given('strategy'), key: given('key'), tag: given('tag') },
    day: isDay ? given('day') : undefined,
    from: fromMs === undefined ? undefined : String(fromMs),
    to: isDay ? String(dayMs + DAY_MS) : undefined,
  };
}
