// What is known of an exchange before anybody asks it: its row in the table of exchanges.

/** Market, tick, step (also the least quantity), least notional of an opening order, greatest leverage. */
export type MarketRow = readonly [market: string, tick: string, step: string, minNotional: string, maxLeverage: number];

/** Shares of an order's worth. */
export interface FeeRates {
  /** Of an order that waits in the book. */
  readonly maker: string;
  /** Of one that trades at once. */
  readonly taker: string;
}

export interface ExchangeRow {
  /** As people write it. */
  readonly title: string;
  /** Whether a futures account can be had there whose money is not real. */
  readonly hasTestnet: boolean;
  /** Whether it says what an API key may do; otherwise nobody but the key's owner can see it there. */
  readonly tellsKeyRights: boolean;
  /** Of an account without any discount, as it publishes them. */
  readonly fees: FeeRates;
  /** On paper, for what the rows of its markets do not say. */
  readonly paper: {
    /** Until a signal sets another; never above the market's own maximum. */
    readonly defaultLeverage: number;
    /** Of markets that have no row. */
    readonly minNotional: string;
    readonly maxLeverage: number;
  };
  /**
   * Its large perpetual futures as it publishes them: on paper they are traded by these rules, and a backtest that only names
   * a market is described by them.
   */
  readonly markets: readonly MarketRow[];
}
