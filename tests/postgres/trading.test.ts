// Every port of the trading database keeps its promises on PostgreSQL too, written by the writer thread.

import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { openTradingStorage, type TradingStorage } from '../../src/adapters/storage/postgres/trading.ts';
import { StorageError } from '../../src/errors/storage-error.ts';
import { describeArchiveOrder } from '../ports/archive-order-suite.ts';
import { describeArchive } from '../ports/archive-suite.ts';
import { describeDeskEvents, type OpenDeskEvents } from '../ports/desk-events-suite.ts';
import { describeEquityStore } from '../ports/equity-store-suite.ts';
import { describeFundingStore } from '../ports/funding-store-suite.ts';
import { describeHistories } from '../ports/histories-suite.ts';
import { describeJournal } from '../ports/journal-suite.ts';
import { describeChannelOutbox, describeOutbox } from '../ports/outbox-suite.ts';
import { describePaperLedger } from '../ports/paper-ledger-suite.ts';
import { describeProtections } from '../ports/protection-suite.ts';
import { describeRefusalStore } from '../ports/refusal-store-suite.ts';
import { newTrade } from '../ports/sample-trades.ts';
import { describeSignalStore } from '../ports/signal-store-suite.ts';
import { describeTradeNotes } from '../ports/trade-notes-suite.ts';
import { describeTwinMarks } from '../ports/twin-marks-suite.ts';
import { describeWalletLedger } from '../ports/wallet-ledger-suite.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});

let schemas = 0;

interface Opened {
  readonly schema: string;
  readonly data: TradingStorage;
  readonly deaths: readonly Error[];
  reopen(): Promise<TradingStorage>;
  close(): Promise<void>;
}

function newSchema(): string {
  schemas += 1;
  return `trading_${schemas}`;
}

async function openTrading({ url = server.url, schema = newSchema() } = {}): Promise<Opened> {
  const deaths: Error[] = [];
  const open = (): Promise<TradingStorage> =>
    openTradingStorage({ url, schema, nowMs: Date.now, onDeath: (error) => void deaths.push(error) });
  let data = await open();
  return {
    schema,
    get data() {
      return data;
    },
    deaths,
    async reopen() {
      await data.close();
      data = await open();
      return data;
    },
    close: () => data.close(),
  };
}

describeJournal('the journal on PostgreSQL', async () => {
  const opened = await openTrading();
  return { journal: opened.data.journal, reopen: async () => (await opened.reopen()).journal, close: opened.close };
});

const openArchive = async () => {
  const { data, close } = await openTrading();
  return { ...data, close };
};
describeArchive('an archive of the journal on PostgreSQL', openArchive);
describeArchiveOrder('the order in which rows leave the journal on PostgreSQL', openArchive);

const openOutbox = async () => {
  const { data, reopen, close } = await openTrading();
  return { outbox: data.outbox, channelOutbox: data.channelOutbox, journal: data.journal, reopen, close };
};
describeOutbox('the outbox on PostgreSQL', openOutbox);
describeChannelOutbox('the outbox of the channels on PostgreSQL', openOutbox);

describeSignalStore('the signal store on PostgreSQL', async () => {
  const { data, reopen, close } = await openTrading();
  return { signals: data.signals, journal: data.journal, reopen: async () => (await reopen()).signals, close };
});

describePaperLedger('the paper ledger on PostgreSQL', async () => {
  const { data, reopen, close } = await openTrading();
  return { ledger: data.paperLedger, reopen: async () => (await reopen()).paperLedger, close };
});

describeEquityStore('the equity store on PostgreSQL', async () => {
  const { data, reopen, close } = await openTrading();
  return { store: data.equity, reopen: async () => (await reopen()).equity, close };
});

describeFundingStore('funding of venues on PostgreSQL', async () => {
  const { data, reopen, close } = await openTrading();
  return { store: data.fundings, reopen: async () => (await reopen()).fundings, close };
});

describeHistories('the past on PostgreSQL', async () => {
  const { data, close } = await openTrading();
  return { ...data, close };
});

describeRefusalStore('the refusal store on PostgreSQL', async () => {
  const { data, reopen, close } = await openTrading();
  return { store: data.refusals, reopen: async () => (await reopen()).refusals, close };
});

describeTradeNotes('trade notes on PostgreSQL', async () => {
  const { data, reopen, close } = await openTrading();
  return { notes: data.notes, journal: data.journal, reopen, close };
});

describeTwinMarks('twin marks on PostgreSQL', async () => {
  const { data, reopen, close } = await openTrading();
  return { marks: data.twinMarks, reopen: async () => (await reopen()).twinMarks, close };
});

describeWalletLedger("the wallet's ledger on PostgreSQL", async () => {
  const { data, reopen, close } = await openTrading();
  return { ledger: data.walletLedger, reopen: async () => (await reopen()).walletLedger, close };
});

describeProtections('protections on PostgreSQL', async () => {
  const { data, reopen, close } = await openTrading();
  const parts = ({ protection, journal }: TradingStorage) => ({ ...protection, journal });
  return { ...parts(data), reopen: async () => parts(await reopen()), close };
});

/** What a backup that is put back does. */
const copyOf = (from: string, to: string): string => `
  SET session_replication_role = replica;
  DO $$
  DECLARE name text;
  BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = '${from}' LOOP
      EXECUTE format('DELETE FROM ${to}.%I', name);
      EXECUTE format('INSERT INTO ${to}.%I SELECT * FROM ${from}.%I', name, name);
    END LOOP;
    PERFORM setval('${to}.desk_events_seq_seq', (SELECT coalesce(max(seq), 0) + 1 FROM ${to}.desk_events), false);
  END $$`;

const eventsIn = (opened: Opened): OpenDeskEvents => ({
  events: opened.data.events,
  journal: opened.data.journal,
  reopen: opened.reopen,
  async copy() {
    const copy = await openTrading();
    await server.query(copyOf(opened.schema, copy.schema));
    await copy.reopen();
    return eventsIn(copy);
  },
  close: opened.close,
});
describeDeskEvents('desk events on PostgreSQL', async () => eventsIn(await openTrading()));

describe('several writers of one database', () => {
  test('whoever follows the events by their numbers misses none', async () => {
    const first = await openTrading();
    const others = await Promise.all([1, 2].map(() => openTrading({ schema: first.schema })));
    const writers = [first, ...others];
    const [each, times] = [3, 40];
    let isDone = false;
    const seen: number[] = [];
    const follow = async (): Promise<void> => {
      for (let isLast = false; !isLast; ) {
        isLast = isDone;
        const found = await first.data.events.after(seen.at(-1) ?? 0, 100);
        seen.push(...found.map(({ seq }) => seq));
      }
    };
    const following = follow();
    const facts = { alarm: 'a', text: 't', state: 'raised' };
    await Promise.all(
      writers.map(async ({ data }) => {
        for (let time = 0; time < times; time += 1)
          await data.events.add(Array.from({ length: each }, () => ({ atMs: time, kind: 'alarm' as const, facts })));
      }),
    );
    isDone = true;
    await following;
    expect(seen).toHaveLength(writers.length * each * times);
    for (const { close } of writers) await close();
  });

  test('a key that comes to all of them at the same moment is accepted once', async () => {
    const first = await openTrading();
    const second = await openTrading({ schema: first.schema });
    for (let round = 0; round < 20; round += 1) {
      const idempotencyKey = randomUUID();
      const accepted = await Promise.all(
        [first, second].map(({ data }) => data.journal.accept(newTrade({ order: { idempotencyKey } }), 60_000)),
      );
      expect(accepted.filter((outcome) => outcome.accepted)).toHaveLength(1);
    }
    await first.close();
    await second.close();
  });
});

describe('the writer of PostgreSQL', () => {
  test('one bad write of a batch fails alone', async () => {
    const { data, close } = await openTrading();
    const [first, second, third] = [newTrade(), newTrade(), newTrade()];
    const outcomes = await Promise.allSettled([
      data.journal.accept(first, 0),
      // The same number of a trade twice, which no retry makes right.
      data.journal.accept({ ...second, requestId: first.requestId }, 0),
      data.journal.accept(third, 0),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await data.journal.trade(third.requestId)).toMatchObject({ trade: { requestId: third.requestId } });
    await close();
  });

  test('outlives a restart of the server: what comes meanwhile is refused, what comes later is stored', async () => {
    const own = await startPostgres();
    const { data, deaths, close } = await openTrading({ url: own.url });
    await data.journal.accept(newTrade(), 0);
    await own.kill();
    await expect(data.journal.accept(newTrade(), 0)).rejects.toThrow(/cannot be reached/);
    await expect(data.journal.probe()).rejects.toThrow(StorageError);
    await own.restart();
    const trade = newTrade();
    await data.journal.accept(trade, 0);
    expect(await data.journal.trade(trade.requestId)).toMatchObject({ trade: { requestId: trade.requestId } });
    expect(deaths).toEqual([]);
    await close();
  });

  test('that cannot be opened says why', async () => {
    const opening = openTradingStorage({
      ...{ url: server.urlOf('absent'), nowMs: Date.now, onDeath: () => {} },
    });
    await expect(opening).rejects.toThrow(/absent has no such database; create it/);
    await expect(opening).rejects.toBeInstanceOf(StorageError);
  });

  test('after it is closed, reads and writes are refused', async () => {
    const { data, close } = await openTrading();
    await close();
    for (const call of [
      () => data.journal.accept(newTrade(), 1),
      () => data.journal.trades({ limit: 1 }),
      () => data.journal.unfinished(),
      () => data.journal.probe(),
      () => data.signals.list({ limit: 1 }),
    ])
      await expect(call()).rejects.toBeInstanceOf(StorageError);
  });
});
