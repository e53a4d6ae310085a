// What a deployment does with its alerts and orders, from what was chosen.

import type { NewDeployment } from '../../server/deployments.ts';

type NewTarget = NewDeployment['targets'][number];
export type TargetType = NewTarget['type'];

export interface ChosenTarget {
  readonly type: TargetType;
  /** Of what trades, and of TradingView's alerts. */
  readonly webhookKey: string;
  readonly exchange: NonNullable<Extract<NewTarget, { type: 'trade' }>['exchange']>;
  /** Of a webhook. */
  readonly url: string;
  /** Signs what a webhook gets; empty: nothing is signed. */
  readonly secret: string;
  /** What a webhook gets: everything as JSON, or the alert's own message. */
  readonly body: 'event' | 'message';
  /** Of a second opinion: what becomes of an alert that TradingView has not sent. */
  readonly missing: 'tell' | 'dry-run' | 'send';
  /** Of a second opinion: the strategy that the alerts name; empty: none. */
  readonly strategy: string;
}

export const START_TARGET: ChosenTarget = {
  ...{ type: 'trade', webhookKey: '', exchange: 'binance', url: '', secret: '', body: 'event' },
  ...{ missing: 'tell', strategy: '' },
};

export function targetOf(target: ChosenTarget): NewDeployment['targets'][number] {
  const { type, exchange, body, missing } = target;
  const [apiKey, url, secret, strategy] = [target.webhookKey, target.url, target.secret, target.strategy].map((text) =>
    text.trim(),
  ) as [string, string, string, string];
  if (type === 'trade') return { type, apiKey, exchange };
  if (type === 'webhook') return { type, url, body, ...(secret !== '' && { secret }) };
  if (type === 'second-opinion')
    return {
      ...{ type, apiKey, exchange, sendMissing: missing !== 'tell' },
      ...(strategy !== '' && { strategy }),
    };
  return { type };
}

/** What trades begins as a dry run; a second opinion sends what is missing only where that was chosen. */
export const modeOf = ({ type, missing }: ChosenTarget): 'dry-run' | 'trade' =>
  type === 'second-opinion' && missing === 'send' ? 'trade' : 'dry-run';

export function isTargetWhole({ type, webhookKey, url }: ChosenTarget): boolean {
  if (type === 'trade' || type === 'second-opinion') return webhookKey.trim() !== '';
  return type !== 'webhook' || /^https?:\/\/[^\s]+$/.test(url.trim());
}
