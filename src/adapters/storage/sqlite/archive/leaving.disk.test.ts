// Who leaves the journal is looked at again by the step that lets it leave, and a file keeps a claimed name only once.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { accepted, DAY_MS, outcomeStep, START_MS } from '../../../../../tests/ports/sample-trades.ts';
import { foregroundTimers } from '../../../../timing/timers.ts';
import { type ArchivableJournal, archiveJournal } from '../../../../trading/books/journal-archive.ts';
import { TRADING } from '../database-files.ts';
import { openTestData, type TestData } from '../testing/open-test-storage.ts';
import { ArchiveWriter } from './archive-file.ts';

const BEFORE_MS = START_MS + 100 * DAY_MS;

let opened: TestData;
/** The same file, for what nobody writes through a port at that moment. */
let db: DatabaseSync;
const writer = new ArchiveWriter();
beforeEach(async () => {
  opened = await openTestData();
  db = new DatabaseSync(join(opened.dataDir, TRADING.name));
});
afterEach(async () => {
  writer.close();
  db.close();
  await opened.close();
});

const folder = (): string => join(opened.dataDir, 'archive');

async function ended(day: number, idempotencyKey?: string) {
  const atMs = START_MS + day * DAY_MS;
  const { journal } = opened.data;
  const trade = await accepted(journal, { receivedAtMs: atMs, order: { ...(idempotencyKey && { idempotencyKey }) } });
  await journal.record(outcomeStep(trade.seq, 'expired', { atMs: atMs + 1 }));
  return trade;
}

async function archive(beforeMs: number, archivable: ArchivableJournal = opened.data.archivable): Promise<void> {
  const files = {
    write: (batch: Parameters<ArchiveWriter['write']>[1]) => writer.write(join(folder(), 'all.db'), batch),
  };
  const parts = { journal: archivable, files, timers: foregroundTimers };
  await archiveJournal(parts, { beforeMs, progress: { trades: 0, rows: 0, months: new Set() } });
}

const STOPPED = `exchange, mode, account, market, side, strategy`;
const SHARE = `'binance', 'paper', 'main', 'BTCUSDT', 'LONG', ''`;

describe('a trade that was found to have ended, and before it leaves', () => {
  test.each<[why: string, statement: (trade: { readonly seq: number; readonly requestId: string }) => string]>([
    [
      'gets a stop at its venue',
      ({ requestId }) => `INSERT INTO venue_stops
        (client_stop_id, ${STOPPED}, kind, source, quantity, trigger_price, created_at)
        VALUES ('${requestId}', ${SHARE}, 'stop', 'signal', '1', '1', 1)`,
    ],
    [
      'is to close what a stop guards',
      ({ requestId }) => `INSERT INTO protections (${STOPPED}, created_at, seen_until, close_request_id)
        VALUES (${SHARE}, 1, 1, '${requestId}')`,
    ],
    [
      'waits with stops',
      ({ requestId }) => `INSERT INTO pending_stops (request_id, created_at) VALUES ('${requestId}', 1)`,
    ],
    ['is opened again', ({ seq }) => `INSERT INTO open_trades (seq) VALUES (${seq})`],
    [
      'gets a message that waits',
      ({ seq }) => `INSERT INTO outbox (channel, trade_seq, kind, payload, attempts, next_attempt_at, created_at)
        VALUES ('chat', ${seq}, 'trade', '{}', 0, 1, 1)`,
    ],
  ])('%s stays, and one of which that is not so leaves', async (_, statement) => {
    const [stays, leaves] = [await ended(1), await ended(2)];
    await ended(3);
    const { archivable } = opened.data;
    await archive(BEFORE_MS, {
      ...archivable,
      beginLeaving(groups, beforeMs) {
        db.exec(statement(stays));
        return archivable.beginLeaving(groups, beforeMs);
      },
    });
    const left = (await opened.data.journal.trades({ limit: 10 })).map(({ requestId }) => requestId);
    expect(left).toContain(stays.requestId);
    expect(left).not.toContain(leaves.requestId);
  });
});

test('of two trades of one file that had claimed one name, the later one has it', async () => {
  const key = '11111111-1111-4111-8111-111111111111';
  const first = await ended(1, key);
  await ended(2);
  await archive(START_MS + 2 * DAY_MS);
  // The journal knows the name no more, and gives it to whoever comes.
  const second = await ended(3, key);
  await ended(4);
  await archive(BEFORE_MS);
  const file = new DatabaseSync(join(folder(), 'all.db'), { readOnly: true });
  const claims = file.prepare('SELECT request_id AS id FROM trades WHERE claim IS NOT NULL').all();
  const ids = file.prepare('SELECT request_id AS id FROM trades ORDER BY seq').all();
  file.close();
  expect(claims).toEqual([{ id: second.requestId }]);
  expect(ids).toContainEqual({ id: first.requestId });
});
