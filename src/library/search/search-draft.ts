// A search before the bars of its markets are there: some of them a request only names.

import type { SearchMarket, SearchPlan } from './search-plan.ts';

/** The newest final bars of a market. */
export interface WantedBars {
  readonly symbol: string;
  readonly timeframeMs: number;
  readonly count: number;
}

export interface DraftMarket extends SearchMarket {
  /** In place of its bars, of which there are none then. */
  readonly wanted?: WantedBars;
}

export interface SearchDraft extends Omit<SearchPlan, 'markets'> {
  readonly markets: readonly DraftMarket[];
}
