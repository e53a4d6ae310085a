// What the rooms of one broker share: the bar it is on, its books and orders, and the rules that decide.

import type { CurrentBar } from './current-bar.ts';
import type { Grid } from './grid.ts';
import type { Ledger } from './ledger.ts';
import type { Margin } from './margin.ts';
import type { OrderBook } from './order-book.ts';
import type { QuietRange } from './quiet-range.ts';
import type { Risk } from './risk.ts';
import type { BrokerSettings } from './settings.ts';
import type { Sizing } from './sizing.ts';

export interface BrokerParts {
  readonly bar: CurrentBar;
  readonly book: OrderBook;
  readonly ledger: Ledger;
  readonly quiet: QuietRange;
  readonly margin: Margin;
  readonly risk: Risk;
  readonly sizing: Sizing;
  readonly grid: Grid;
  readonly settings: BrokerSettings;
}
