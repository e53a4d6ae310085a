// What the settings say of each exchange: its mode, the credentials of its account main, and its address.

import { EXCHANGE_ROWS, EXCHANGES, type Exchange, settingPrefix } from '../exchanges/exchange.ts';
import type { Values } from './settings.ts';

export interface VenueSettings {
  readonly mode: 'paper' | 'testnet' | 'live';
  /** Whether its own setting says so (BINANCE_MODE), and not TRADING_MODE for all of them. */
  readonly hasOwnMode: boolean;
  /** Of the account main; undefined where the environment has none. */
  readonly credentials: { readonly apiKey: string; readonly secret: string } | undefined;
  /** In the place of the venue's own address. */
  readonly baseUrl: string | undefined;
}

export const venueSettings = (values: Values): Readonly<Record<Exchange, VenueSettings>> =>
  Object.fromEntries(EXCHANGES.map((exchange) => [exchange, settingsOf(exchange, values)])) as Record<
    Exchange,
    VenueSettings
  >;

function settingsOf(exchange: Exchange, values: Values): VenueSettings {
  const prefix = settingPrefix(exchange);
  const own = values[`${prefix}_MODE`];
  const apiKey = values[`${prefix}_API_KEY`];
  const secret = values[`${prefix}_API_SECRET`];
  return {
    mode: own ?? values.TRADING_MODE,
    hasOwnMode: own !== undefined,
    credentials: apiKey === undefined || secret === undefined ? undefined : { apiKey, secret },
    baseUrl: values[`${prefix}_BASE_URL`],
  };
}

/** Half of a pair opens no account; what was set and wrong has been told already. */
export function venueFaults(values: Partial<Values>): string[] {
  return EXCHANGES.flatMap((exchange) => {
    const prefix = settingPrefix(exchange);
    const names = [`${prefix}_API_KEY`, `${prefix}_API_SECRET`] as const;
    if (names.some((name) => !(name in values))) return [];
    const missing = names.filter((name) => values[name] === undefined);
    const [only] = missing;
    if (only === undefined || missing.length === 2) return [];
    const given = names.find((name) => name !== only) as string;
    return [`${only}: is not set, but ${given} is; a key and its secret belong together: set both, or neither.`];
  });
}

export function venueWarnings(values: Values): string[] {
  return EXCHANGES.flatMap((exchange) => {
    const { mode, credentials, baseUrl } = settingsOf(exchange, values);
    if (mode !== 'paper') return [];
    const prefix = settingPrefix(exchange);
    const unused = [
      ...(credentials === undefined ? [] : [`${prefix}_API_KEY`]),
      ...(baseUrl === undefined ? [] : [`${prefix}_BASE_URL`]),
    ];
    return unused.map((name) => `${name} is set but not used: ${EXCHANGE_ROWS[exchange].title} trades on paper.`);
  });
}
