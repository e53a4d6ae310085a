// Every port that the trading database serves, on whichever engine.

import type { AlertArrivals } from '../../../../trading/books/alert-arrivals.ts';
import type { DeskEvents } from '../../../../trading/books/desk-events.ts';
import type { EquityStore } from '../../../../trading/books/equity-curves.ts';
import type { TradedFillHistory } from '../../../../trading/books/fill-history.ts';
import type { FundingStore } from '../../../../trading/books/funding-store.ts';
import type { Journal } from '../../../../trading/books/journal.ts';
import type { ArchivableJournal } from '../../../../trading/books/journal-archive.ts';
import type { OrderTimesHistory } from '../../../../trading/books/order-times.ts';
import type { ChannelOutbox, Outbox } from '../../../../trading/books/outbox.ts';
import type { PastTrades } from '../../../../trading/books/past-trades.ts';
import type { SignalStore } from '../../../../trading/books/signal-store.ts';
import type { TradeNotes } from '../../../../trading/books/trade-notes.ts';
import type { RefusalStore } from '../../../../trading/intake/refusals.ts';
import type { TwinMarks } from '../../../../trading/twin/twin-marks.ts';
import type { Ledger } from '../../../../wallet/ledger.ts';
import type { PaperLedger } from '../../../venues/paper/ledger.ts';
import type { Searches, SqlReads } from '../sql.ts';
import { createAlertArrivals } from './alert-arrivals.ts';
import { createArchivableJournal } from './archive/archivable-journal.ts';
import { createDeskEvents } from './desk-events.ts';
import { createEquityStore } from './equity-store.ts';
import { createFillHistory } from './fill-history.ts';
import { createFundingStore } from './funding-store.ts';
import { SqlJournal } from './journal.ts';
import { createOrderTimes } from './order-times.ts';
import { createChannelOutbox, createOutbox } from './outbox.ts';
import { createPaperLedger } from './paper-ledger.ts';
import { createPastTrades } from './past-trades.ts';
import { createProtectionStores, type ProtectionStores } from './protection/protection.ts';
import { createRefusalStore } from './refusal-store.ts';
import { createSignalStore } from './signal-store.ts';
import { createTradeNotes } from './trade-notes.ts';
import { createTwinMarks } from './twin-marks.ts';
import { createWalletLedger } from './wallet/ledger.ts';
import type { Writer } from './writer.ts';

export interface TradingStores {
  readonly journal: Journal;
  readonly archivable: ArchivableJournal;
  readonly history: TradedFillHistory;
  readonly pastTrades: PastTrades;
  readonly events: DeskEvents;
  readonly notes: TradeNotes;
  readonly orderTimes: OrderTimesHistory;
  readonly equity: EquityStore;
  readonly fundings: FundingStore;
  readonly signals: SignalStore;
  readonly refusals: RefusalStore;
  readonly arrivals: AlertArrivals;
  readonly outbox: Outbox;
  readonly channelOutbox: ChannelOutbox;
  readonly paperLedger: PaperLedger;
  readonly protection: ProtectionStores;
  readonly twinMarks: TwinMarks;
  readonly walletLedger: Ledger;
}

export interface TradingDatabase {
  readonly writer: Writer;
  readonly reads: SqlReads;
  readonly searches: Searches;
  readonly nowMs: () => number;
  /**
   * Nobody knows whether a signal was accepted, and it may be there. Left out for an engine whose next commit takes away what was not
   * known to hold.
   */
  readonly onUnclearAcceptance?: (error: Error) => void;
}

export async function tradingStoresOn(database: TradingDatabase): Promise<TradingStores> {
  const { writer, reads, searches, nowMs } = database;
  return {
    journal: new SqlJournal(database),
    archivable: createArchivableJournal({ writer, searches }),
    history: createFillHistory({ reads, searches }),
    pastTrades: createPastTrades(searches),
    events: await createDeskEvents({ writer, reads, searches }),
    orderTimes: createOrderTimes(searches),
    notes: createTradeNotes({ writer, reads }),
    equity: createEquityStore({ writer, searches }),
    fundings: createFundingStore({ writer, searches }),
    signals: createSignalStore({ writer, reads, searches }),
    refusals: createRefusalStore({ writer, searches }),
    arrivals: createAlertArrivals(searches),
    outbox: createOutbox({ writer, reads }),
    channelOutbox: createChannelOutbox({ writer, reads }),
    paperLedger: createPaperLedger({ writer, reads }),
    protection: createProtectionStores({ writer, reads, nowMs }),
    twinMarks: createTwinMarks({ writer, searches }),
    walletLedger: createWalletLedger({ writer, reads }),
  };
}
