// Outcomes of trades whose commit has no answer while PostgreSQL hangs: tried again until they are known to be on disk, and
// there once.

import { beforeAll, beforeEach, expect, test } from 'vitest';
import { openTradingStorage, type TradingStorage } from '../../src/adapters/storage/postgres/trading.ts';
import { UnknownOutcomeError } from '../../src/errors/storage-error.ts';
import { foregroundTimers } from '../../src/timing/timers.ts';
import { createLaneJournal, type LaneJournal } from '../../src/trading/execution/lane-journal.ts';
import { accepted, fillOf, outcomeStep, positionOf, sendingStep } from '../ports/sample-trades.ts';
import { closeAtEnd } from '../support/close-at-end.ts';
import { openPostgresProxy, type PostgresProxy } from '../support/postgres-proxy.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';

/** Longer than the outcome of a commit is looked for, so that nobody can tell it. */
const HANGS_MS = 9000;
const LANE = 'binance:BTCUSDT';

let server: PostgresServer;
let url = '';
let proxy: PostgresProxy;
let data: TradingStorage;
let laneJournal: LaneJournal;
let failures: unknown[];
/** Why the process would end. */
let ends: string[];
beforeAll(async () => {
  server = await startPostgres();
});
beforeEach(async () => {
  url = await server.newDatabase();
  proxy = await openPostgresProxy(server.port);
  ends = [];
  const onDeath = ({ message }: Error): void => void ends.push(message);
  data = await openTradingStorage({ url: proxy.urlOf(url), nowMs: Date.now, onDeath, settleMs: 4000 });
  closeAtEnd(() => data.close());
  failures = [];
  laneJournal = createLaneJournal({
    ...{ journal: data.journal, stop: new AbortController().signal, timers: foregroundTimers },
    onFailure: (_, error) => void failures.push(error),
  });
});

const rows = (query: string) => server.query(query, url);

/** The server carries the next commit out, hangs before it can say so, and goes on later. */
function hangBehindCommit(): void {
  void proxy.atNextCommit('carried out', () => {
    server.pause();
    setTimeout(() => server.resume(), HANGS_MS);
  });
}

test('an outcome that held at the first try has one event, one message, one notice and is told once', async () => {
  const trade = await accepted(data.journal);
  await data.journal.sending(sendingStep(trade));
  const step = outcomeStep(trade.seq, 'filled', {
    event: { kind: 'filled', detail: 'something to tell' },
    fills: [fillOf(trade)],
    positions: [positionOf()],
    words: 'Filled.',
    message: { kind: 'notify', notify: { chatId: '-100', message: 'filled', parseMode: 'Plain' }, summary: 'Filled' },
    notice: { channels: ['ntfy'], message: { kind: 'notice', topic: 'trades', summary: 'Filled' } },
  });
  hangBehindCommit();
  await laneJournal.record(step, LANE);
  expect(failures[0]).toBeInstanceOf(UnknownOutcomeError);
  expect(await rows('SELECT kind FROM trading.stored_events')).toEqual([{ kind: 'filled' }]);
  expect(await rows('SELECT kind FROM trading.outbox ORDER BY kind')).toEqual([{ kind: 'notice' }, { kind: 'notify' }]);
  expect((await rows('SELECT kind FROM trading.desk_events ORDER BY seq')).map(({ kind }) => kind)).toEqual([
    'accepted',
    'sending',
    'filled',
    'position',
  ]);
  expect((await data.journal.trade(trade.requestId))?.fills).toHaveLength(1);
});

test('an acceptance of which nobody knows ends the process, whose next start trades it in its turn', async () => {
  hangBehindCommit();
  await expect(accepted(data.journal)).rejects.toThrow(UnknownOutcomeError);
  expect(ends).toEqual([expect.stringContaining('start Signalbox again: it is traded then if it was')]);
  await expect.poll(() => rows('SELECT state FROM trading.trades')).toEqual([{ state: 'accepted' }]);
});

test('what the venue has is taken over once', async () => {
  hangBehindCommit();
  await laneJournal.adopt({ positions: [positionOf()], books: [], detail: 'taken over', atMs: 1 }, LANE);
  expect(failures[0]).toBeInstanceOf(UnknownOutcomeError);
  expect(await rows('SELECT detail FROM trading.stored_events')).toEqual([{ detail: 'taken over' }]);
  expect(await rows('SELECT kind FROM trading.desk_events')).toEqual([{ kind: 'position' }]);
});

test('an outcome whose commit never reached the server is written by the next try', async () => {
  const trade = await accepted(data.journal);
  void proxy.atNextCommit('lost', () => {
    server.pause();
    setTimeout(() => server.resume(), HANGS_MS);
  });
  await laneJournal.record(outcomeStep(trade.seq, 'rejected', { error: 'in words' }), LANE);
  expect(failures[0]).toBeInstanceOf(UnknownOutcomeError);
  expect(await rows('SELECT kind FROM trading.stored_events')).toEqual([{ kind: 'rejected' }]);
  expect((await data.journal.trade(trade.requestId))?.trade).toMatchObject({ state: 'rejected', error: 'in words' });
});
