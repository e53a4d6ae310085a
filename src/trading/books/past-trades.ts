// The past trades port: the trades of the last days in short, for limits that count them.

import type { Action, SignalSource } from '../signal.ts';
import type { MarketName } from './strategy-book.ts';

export interface PastTrade extends MarketName {
  readonly seq: number;
  readonly receivedAtMs: number;
  readonly source: SignalSource;
  readonly keyLabel: string;
  readonly action: Action;
  readonly strategy: string;
  /** An order of it has or may have reached its venue. */
  readonly isPlaced: boolean;
}

export interface PastTrades {
  /** Those received since then, newest first, in pages that are small enough not to hold up a signal. */
  pages(sinceMs: number): AsyncIterable<readonly PastTrade[]>;
}
