// SQLite keeps the promises of every storage port: the suites that any other adapter runs too.

import { describeJournal } from '../../../../tests/ports/journal-suite.ts';
import { describeOutbox } from '../../../../tests/ports/outbox-suite.ts';
import { describePaperLedger } from '../../../../tests/ports/paper-ledger-suite.ts';
import { describeSettings } from '../../../../tests/ports/settings-suite.ts';
import { describeSignalStore } from '../../../../tests/ports/signal-store-suite.ts';
import { describeWebhookKeyStore } from '../../../../tests/ports/webhook-key-store-suite.ts';
import type { SignalRecord } from '../../../trading/signal-store.ts';
import { openDatabase } from './database.ts';
import { openTestData, openTestSettings } from './testing/open-test-storage.ts';

describeJournal('the journal on SQLite', async () => {
  const opened = await openTestData();
  return {
    journal: opened.data.journal,
    reopen: async () => (await opened.reopen()).journal,
    close: opened.close,
  };
});

describeOutbox('the outbox on SQLite', async () => {
  const opened = await openTestData();
  return { outbox: opened.data.outbox, journal: opened.data.journal, reopen: opened.reopen, close: opened.close };
});

describeSignalStore('the signal store on SQLite', async () => {
  const opened = await openTestData();
  const stored = async (): Promise<readonly SignalRecord[]> => {
    const db = openDatabase({ path: opened.data.path, readOnly: true });
    const rows = db.prepare(`SELECT signal_id AS signalId, timestamp AS timestampMs, symbol, signal_type AS signalType,
      source, decision FROM trade_signals ORDER BY seq`);
    const records = rows.all().map((row) => ({ ...row })) as unknown as SignalRecord[];
    db.close();
    return records;
  };
  return { signals: opened.data.signals, journal: opened.data.journal, stored, close: opened.close };
});

describePaperLedger('the paper ledger on SQLite', async () => {
  const opened = await openTestData();
  return {
    ledger: opened.data.paperLedger,
    reopen: async () => (await opened.reopen()).paperLedger,
    close: opened.close,
  };
});

describeSettings('the settings on SQLite', () => {
  const opened = openTestSettings();
  return { settings: opened.storage.settings, reopen: () => opened.reopen().settings, close: opened.close };
});

describeWebhookKeyStore('the webhook key store on SQLite', () => {
  const opened = openTestSettings();
  return { webhookKeys: opened.storage.webhookKeys, reopen: () => opened.reopen().webhookKeys, close: opened.close };
});
