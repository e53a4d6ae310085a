// The exchanges that can be traded, in one table: adding one is a row here and its folders of adapters.

/** As people write them, by the name that signals, settings and routes use. */
export const EXCHANGE_TITLES = { binance: 'Binance', bybit: 'Bybit', mexc: 'MEXC' } as const;

export type Exchange = keyof typeof EXCHANGE_TITLES;

/** Where a futures account can be had whose money is not real. */
const TESTNETS: Readonly<Record<Exchange, boolean>> = { binance: true, bybit: true, mexc: false };
export const hasTestnet = (exchange: Exchange): boolean => TESTNETS[exchange];

/** The name of an account: it stands in order ids, and in the keys of positions. */
export const ACCOUNT_NAME = /^[a-z0-9][a-z0-9_-]{0,31}$/;

/** How API keys look, and their secrets: letters and digits, or a private key in PEM form. */
export const API_KEY_FORM = /^[\x21-\x7e]{8,500}$/;
export const API_SECRET_FORM =
  /^(?:[\x21-\x7e]{8,500}|-----BEGIN [A-Z ]{1,40}-----\n[\x21-\x7e\n]{8,4000}\n-----END [A-Z ]{1,40}-----\n?)$/;

/** In the order in which they are shown. */
export const EXCHANGES = Object.keys(EXCHANGE_TITLES) as [Exchange, ...Exchange[]];

/** What the names of an exchange's settings begin with. */
export type SettingPrefix = Uppercase<Exchange>;
export const settingPrefix = <E extends Exchange>(exchange: E) => exchange.toUpperCase() as Uppercase<E>;
