// The settings that every form under load has: large accounts on paper, no limit that is ever reached, no signal that is too old.

import { EXCHANGES } from '../../../src/exchanges/exchange.ts';
import type { FormOptions } from './form.ts';

/** Of every paper account, when it begins. */
export const BALANCE = '1000000000';
/** A restart must not be late: what is acknowledged has to be executed, not expired. */
export const MAX_AGE_S = 600;

export function formSettings({ mode, apiKeys, accounts, live, settings }: FormOptions): Record<string, string> {
  const paper = EXCHANGES.filter((exchange) => !live.includes(exchange));
  const named = paper.flatMap((exchange) => accounts.map((name) => `${exchange}:${name}=${BALANCE}`));
  return {
    QUEUE_MODE: mode,
    WEBHOOK_API_KEYS: apiKeys.join(),
    WEBHOOK_RATE_PER_MINUTE: '0',
    PAPER_BALANCE: BALANCE,
    PAPER_ACCOUNTS: named.join(),
    SIGNAL_MAX_AGE_S: String(MAX_AGE_S),
    LOG_LEVEL: 'error',
    ...settings,
  };
}
