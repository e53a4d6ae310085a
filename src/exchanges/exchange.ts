// The exchanges that can be traded, in one table: adding one is a row here and its folders of adapters (see CONTRIBUTING.md).

import { BINANCE } from './binance.ts';
import { BYBIT } from './bybit.ts';
import type { ExchangeRow } from './exchange-row.ts';
import { MEXC } from './mexc.ts';

/** By the name that signals, settings and routes use. */
const TABLE = { binance: BINANCE, bybit: BYBIT, mexc: MEXC } as const;

export type Exchange = keyof typeof TABLE;

export const EXCHANGE_ROWS: Readonly<Record<Exchange, ExchangeRow>> = TABLE;

/** In the order in which they are shown. */
export const EXCHANGES = Object.keys(TABLE) as [Exchange, ...Exchange[]];

/** For people: a, b or c. */
export const EXCHANGES_IN_WORDS = EXCHANGES.join(', ').replace(/, ([^,]+)$/, ' or $1');

/** The name of an account: it stands in order ids, and in the keys of positions. */
export const ACCOUNT_NAME = /^[a-z0-9][a-z0-9_-]{0,31}$/;

/** How API keys look, and their secrets: letters and digits, or a private key in PEM form. */
export const API_KEY_FORM = /^[\x21-\x7e]{8,500}$/;
export const API_SECRET_FORM =
  /^(?:[\x21-\x7e]{8,500}|-----BEGIN [A-Z ]{1,40}-----\n[\x21-\x7e\n]{8,4000}\n-----END [A-Z ]{1,40}-----\n?)$/;

/** What the names of an exchange's settings begin with. */
export type SettingPrefix = Uppercase<Exchange>;
export const settingPrefix = <E extends Exchange>(exchange: E) => exchange.toUpperCase() as Uppercase<E>;
