// Opens the trading database once and hands out every port it serves.

import { join } from 'node:path';
import type { AlertArrivals } from '../../../trading/books/alert-arrivals.ts';
import type { DeskEvents } from '../../../trading/books/desk-events.ts';
import type { EquityStore } from '../../../trading/books/equity-curves.ts';
import type { TradedFillHistory } from '../../../trading/books/fill-history.ts';
import type { FundingStore } from '../../../trading/books/funding-store.ts';
import type { Journal } from '../../../trading/books/journal.ts';
import type { OrderTimesHistory } from '../../../trading/books/order-times.ts';
import type { ChannelOutbox, Outbox } from '../../../trading/books/outbox.ts';
import type { PastTrades } from '../../../trading/books/past-trades.ts';
import type { SignalStore } from '../../../trading/books/signal-store.ts';
import type { TradeNotes } from '../../../trading/books/trade-notes.ts';
import type { RefusalStore } from '../../../trading/intake/refusals.ts';
import type { TwinMarks } from '../../../trading/twin/twin-marks.ts';
import type { Ledger } from '../../../wallet/ledger.ts';
import type { PaperLedger } from '../../venues/paper/ledger.ts';
import { createAlertArrivals } from './alert-arrivals.ts';
import { openDatabase } from './database.ts';
import { TRADING } from './database-files.ts';
import { createDeskEvents } from './desk-events.ts';
import { createEquityStore } from './equity-store.ts';
import { createFillHistory } from './fill-history.ts';
import { createFundingStore } from './funding-store.ts';
import { SqliteJournal } from './journal.ts';
import { createOrderTimes } from './order-times.ts';
import { createChannelOutbox, createOutbox } from './outbox.ts';
import { createPaperLedger } from './paper-ledger.ts';
import { createPastTrades } from './past-trades.ts';
import { createProtectionStores, type ProtectionStores } from './protection/protection.ts';
import { createReader } from './reader.ts';
import { createRefusalStore } from './refusal-store.ts';
import { createSignalStore } from './signal-store.ts';
import { createTradeNotes } from './trade-notes.ts';
import { createTwinMarks } from './twin-marks.ts';
import { createWalletLedger } from './wallet/ledger.ts';
import { openWriter } from './writer.ts';

export interface DataStorage {
  readonly journal: Journal;
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
  readonly path: string;
  /** Runs the work while the journal writes nothing. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  commits(): number;
  close(): Promise<void>;
}

export async function openDataStorage(options: {
  dataDir: string;
  nowMs: () => number;
  /** The writer thread cannot come back by itself: whoever runs the process must restart it. */
  onDeath: (error: Error) => void;
}): Promise<DataStorage> {
  const path = join(options.dataDir, TRADING.name);
  const writer = await openWriter(path, TRADING.migrations, options.onDeath);
  const reader = openDatabase({ path, readOnly: true });
  const searches = createReader(path);
  return {
    journal: new SqliteJournal({ writer, reader, searches, path, nowMs: options.nowMs }),
    history: createFillHistory(searches),
    pastTrades: createPastTrades(searches),
    events: createDeskEvents({ writer, reader, searches, path }),
    orderTimes: createOrderTimes(searches),
    notes: createTradeNotes({ writer, reader, path }),
    equity: createEquityStore({ writer, searches }),
    fundings: createFundingStore({ writer, searches }),
    signals: createSignalStore({ writer, reader, searches, path }),
    refusals: createRefusalStore({ writer, searches }),
    arrivals: createAlertArrivals(searches),
    outbox: createOutbox({ writer, reader, path }),
    channelOutbox: createChannelOutbox({ writer, reader, path }),
    paperLedger: createPaperLedger({ writer, reader, path }),
    protection: createProtectionStores({ writer, reader, path, nowMs: options.nowMs }),
    twinMarks: createTwinMarks({ writer, searches }),
    walletLedger: createWalletLedger({ writer, reader, path }),
    path,
    exclusively: (work) => writer.exclusively(work),
    commits: () => writer.commits(),
    async close() {
      await searches.close();
      reader.close();
      await writer.close();
    },
  };
}
