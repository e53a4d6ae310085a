// The other ports of the trading database keep their promises, and all of them fail in words.

import { expect, test } from 'vitest';
import { describeChannelOutbox, describeOutbox } from '../../../../tests/ports/outbox-suite.ts';
import { describePaperLedger } from '../../../../tests/ports/paper-ledger-suite.ts';
import { newTrade } from '../../../../tests/ports/sample-trades.ts';
import { describeSignalStore } from '../../../../tests/ports/signal-store-suite.ts';
import { StorageError } from '../../../errors/storage-error.ts';
import { openTestData } from './testing/open-test-storage.ts';

const openOutbox = async () => {
  const { data, reopen, close } = await openTestData();
  return { outbox: data.outbox, channelOutbox: data.channelOutbox, journal: data.journal, reopen, close };
};
describeOutbox('the outbox on SQLite', openOutbox);
describeChannelOutbox('the outbox of the channels on SQLite', openOutbox);

describeSignalStore('the signal store on SQLite', async () => {
  const opened = await openTestData();
  return {
    signals: opened.data.signals,
    journal: opened.data.journal,
    reopen: async () => (await opened.reopen()).signals,
    close: opened.close,
  };
});

describePaperLedger('the paper ledger on SQLite', async () => {
  const opened = await openTestData();
  return {
    ledger: opened.data.paperLedger,
    reopen: async () => (await opened.reopen()).paperLedger,
    close: opened.close,
  };
});

test('after the storage is closed, every read and write is refused with a storage error', async () => {
  const opened = await openTestData();
  const { journal, outbox, channelOutbox, paperLedger, signals } = opened.data;
  await opened.close();
  const record = {
    signalId: 'x',
    timestampMs: 0,
    symbol: 'X',
    signalType: 'LONG',
    source: 'api',
    decision: 'accepted',
  };
  const calls = [
    () => journal.accept(newTrade(), 1),
    () => journal.trades({ limit: 1 }),
    () => journal.trade(newTrade().requestId),
    () => journal.unfinished(),
    () => journal.positions(),
    () => journal.probe(),
    () => outbox.due(0, 1),
    () => channelOutbox.oldest('discord', 1),
    () => channelOutbox.waiting('discord'),
    () => channelOutbox.add({ channels: ['ntfy'], message: { kind: 'notice', topic: 'alarms', summary: 'x' } }, 0),
    () => paperLedger.load({ exchange: 'binance', account: 'main' }),
    () => paperLedger.findOrder({ exchange: 'binance', account: 'main' }, 'sbx1'),
    () => signals.add(record),
    () => signals.list({ limit: 1 }),
    () => signals.list({ limit: 1, source: 'api' }),
  ];
  for (const call of calls) await expect(call()).rejects.toBeInstanceOf(StorageError);
});
