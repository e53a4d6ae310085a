// The exchanges that can be traded, in one table: adding one is a row here and its folders of adapters.

/** As people write them, by the name that signals, settings and routes use. */
export const EXCHANGE_TITLES = { binance: 'Binance', bybit: 'Bybit', mexc: 'MEXC' } as const;

export type Exchange = keyof typeof EXCHANGE_TITLES;

/** Where a futures account can be had whose money is not real. */
const TESTNETS: Readonly<Record<Exchange, boolean>> = { binance: true, bybit: true, mexc: false };
export const hasTestnet = (exchange: Exchange): boolean => TESTNETS[exchange];

/** In the order in which they are shown. */
export const EXCHANGES = Object.keys(EXCHANGE_TITLES) as [Exchange, ...Exchange[]];

/** What the names of an exchange's settings begin with. */
export type SettingPrefix = Uppercase<Exchange>;
export const settingPrefix = <E extends Exchange>(exchange: E) => exchange.toUpperCase() as Uppercase<E>;
