// The report of a round has every finding, whoever has made it: a form that is no gateway at all takes whatever is sent and trades nothing,
// so that each part of the harness has something to find.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openMigrated } from '../../src/adapters/storage/sqlite/database.ts';
import { TRADING } from '../../src/adapters/storage/sqlite/database-files.ts';
import { runRound } from '../support/chaos/chaos-round.ts';
import { ClockHistory } from '../support/chaos/clock-history.ts';
import type { Deployment, FormOptions } from '../support/chaos/form.ts';
import { SwitchHistory } from '../support/chaos/switch-history.ts';
import { closeAtEnd } from '../support/close-at-end.ts';
import { finding } from '../support/nothing-lost.ts';
import { freshDataDir } from '../support/process.ts';

/** A trade that expired although no clock has jumped, and a position that no venue has. */
const EXPIRED = `INSERT INTO trades (request_id, idempotency_key, state, error, exchange, quantity, executed_quantity, received_at, updated_at,
    source, key_label, mode, action, symbol, market)
  VALUES ('r', 'nobody sent it', 'expired', 'why', 'binance', '1', '0', 0, 0, 'webhook', 'static-1', 'paper', 'LONG', 'BTCUSDT', 'BTCUSDT')`;
const HELD = `INSERT INTO positions (exchange, mode, account, market, side, quantity, entry_price, realized_pnl, fees, updated_at)
  VALUES (?, 'live', 'main', 'BTCUSDT', 'LONG', '7', '1', '0', '0', 0)`;

function falsifiedJournal(live: readonly string[]): string {
  const dataDir = freshDataDir();
  const db = openMigrated(join(dataDir, TRADING.name), TRADING.migrations);
  db.exec(EXPIRED);
  for (const exchange of live) db.prepare(HELD).run(exchange);
  db.close();
  return dataDir;
}

async function openLiar({ live, onStart }: FormOptions): Promise<Deployment> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(202).end('taken'));
  });
  closeAtEnd(async () => server.close());
  const found = [finding('other', 'a process ended by itself')];
  return {
    faults: [{ name: 'a fault', weight: 1, strike: async () => 'something went wrong' }],
    clocks: new ClockHistory([]),
    dataDir: falsifiedJournal(live),
    async start() {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      onStart([`http://127.0.0.1:${(server.address() as AddressInfo).port}`]);
    },
    set: async () => true,
    heal: () => {},
    takeFindings: () => found.splice(0),
    comeToRest: async () => {},
    end: async () => [finding('lost', 'the journal has no signal')],
    count: () => ({ trades: 1, filled: 0 }),
    close: async () => {},
  };
}

it('the report of a round has what each part of the harness has found', async () => {
  const switches = new SwitchHistory(() => 0);
  switches.asked('all');
  switches.on();
  const report = await runRound({
    ...{ seed: 1, mode: 'async', signals: 3, connections: 1, livePermille: 0, faults: ['a fault'] },
    ...{ openForm: openLiar, switches },
  });
  // On a busy machine a sender may give up and come again, so that there are more of these.
  const words = report.findings.map((each) => each.words.replace(/^\S+ was taken/, 'a signal was taken'));
  expect([...new Set(words)]).toEqual([
    'a process ended by itself',
    'the journal has no signal',
    expect.stringMatching(/^positions differ: we have \w+ BTCUSDT LONG 7; the venues have none$/),
    expect.stringMatching(/^nobody sent it expired \(why\), and no clock that jumped explains it: /),
    'a signal was taken while the kill switch was on',
  ]);
  expect(report.story).toContain('something went wrong');
  expect(report.acknowledged).toBeGreaterThan(0);
});
