// The port of all markets that a source of prices has, each with what it traded at last.

export interface QuotedMarket {
  readonly market: string;
  /** Decimal text; undefined where nobody has traded yet, or the source does not tell. */
  readonly lastPrice: string | undefined;
}

export interface MarketList {
  /** Rejects when the source cannot be reached just now. */
  markets(): Promise<readonly QuotedMarket[]>;
}
