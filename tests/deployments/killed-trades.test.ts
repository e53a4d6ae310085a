// Alerts of deployed scripts that trade, while kill -9 ends the script process, the trading process or both in the middle of
// their delivery: every alert trades once, and none is lost.

import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { expect, it, vi } from 'vitest';
import { eventId } from '../../src/library/deployments/event-id.ts';
import { foregroundTimers } from '../../src/timing/timers.ts';
import { wait } from '../../src/timing/wait.ts';
import { prepareDiskFaults } from '../support/disk-faults/index.ts';
import { compare } from '../support/nothing-lost.ts';
import { freshDataDir, type RunningProcess, startProcess } from '../support/process.ts';
import { scriptProcessOf } from '../support/script-process-of.ts';

const ADMIN_TOKEN = 'an-admin-token-of-32-characters!';
/** With every sync of the disk this much longer, most of the time goes by between an alert's steps: there the kills meet it. */
const SYNC_DELAY_MS = 20;
const LONGEST_WAIT_MS = 150;
const KILLED = ['script', 'script', 'trading', 'both'] as const;
/** More than are delivered between two kills, so that each meets some. */
const ALERTS_OF_EACH = 16;
const QUANTITIES = { BTCUSDT: 0.002, ETHUSDT: 0.05 };
const MINUTE_MS = 60_000;

interface Deployed {
  readonly id: string;
  readonly symbol: keyof typeof QUANTITIES;
}
const messageFor = (symbol: Deployed['symbol']): string => `LONG ${QUANTITIES[symbol]} ${symbol} on binance`;

// biome-ignore lint/suspicious/noExplicitAny: a test reads any field
async function ask(url: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<any> {
  const response = await fetch(url + path, { ...(body && { method: 'POST', body: JSON.stringify(body) }), headers });
  return response.json();
}

/** A script for each market that raises an alert at every bar, deployed with the one target. */
async function deploy({ url, apiKey }: RunningProcess, headers: Record<string, string>): Promise<Deployed[]> {
  return Promise.all(
    (['BTCUSDT', 'ETHUSDT'] as const).map(async (symbol) => {
      const content = `//@version=6\nindicator("x")\nalert("${messageFor(symbol)}", alert.freq_once_per_bar_close)\nplot(close)`;
      const { script } = await ask(url, '/api/scripts', { name: symbol, content }, headers);
      const targets = [{ type: 'trade', apiKey }];
      const made = await ask(
        url,
        '/api/deployments',
        { scriptId: script.id, symbol, interval: '1m', targets },
        headers,
      );
      expect(made).toMatchObject({ status: 'success', deployment: { targets: [{ type: 'trade' }] } });
      return { id: made.deployment.id as string, symbol };
    }),
  );
}

/** Never with the right to write: whoever closes a database last takes its log in, which a start after a crash would miss. */
const rowsOf = (dataDir: string, file: string, sql: string) => {
  const db = new DatabaseSync(join(dataDir, file), { readOnly: true, timeout: 30_000 });
  try {
    return db.prepare(sql).all();
  } finally {
    db.close();
  }
};

/**
 * Alerts of bars of the past that are still to be delivered, as a run leaves them. And as if the newest bar had not been run
 * yet: the next start runs it if it has just closed, and otherwise the one that closes within half a minute.
 */
function addAlerts(dataDir: string, deployed: readonly Deployed[]): void {
  const db = new DatabaseSync(join(dataDir, 'scripts.db'), { timeout: 30_000 });
  const sql = (text: string, ...values: SQLInputValue[]) => db.prepare(text).run(...values);
  for (const { id, symbol } of deployed) {
    for (let bar = 1; bar <= ALERTS_OF_EACH; bar++) {
      const event = eventId(id, bar * MINUTE_MS, 0);
      sql(
        `INSERT INTO deployment_events (id, deployment_id, bar_time, ordinal, message, title, source, created_at)
          VALUES (?, ?, ?, 0, ?, NULL, 'alert', ?)`,
        ...[event, id, bar * MINUTE_MS, messageFor(symbol), Date.now()],
      );
      sql(
        `INSERT INTO deployment_outbox (event_id, deployment_id, target, attempts, next_attempt_at)
          VALUES (?, ?, 0, 0, ?)`,
        ...[event, id, Date.now()],
      );
    }
    sql('UPDATE deployments SET last_bar_time = last_bar_time - ? WHERE id = ?', MINUTE_MS, id);
  }
  db.close();
}

const undelivered = (dataDir: string): number =>
  Number(rowsOf(dataDir, 'scripts.db', 'SELECT count(*) AS n FROM deployment_outbox')[0]?.n);
const runs = (dataDir: string) => rowsOf(dataDir, 'scripts.db', 'SELECT runs FROM deployments').map((row) => row.runs);

it('an alert trades once, whichever process is killed while it is delivered', async () => {
  const dataDir = freshDataDir();
  const disk = await prepareDiskFaults(dataDir);
  const env = { ...disk.env, ADMIN_TOKEN, SIGNAL_MAX_AGE_S: '600', WEBHOOK_RATE_PER_MINUTE: '0', LOG_LEVEL: 'error' };
  let running = await startProcess({ dataDir, env });
  const { api_key: key } = await ask(running.url, '/api/keys', {}, { 'x-admin-token': ADMIN_TOKEN });
  const headers = { authorization: `Bearer ${key}` };
  const deployed = await deploy(running, headers);
  addAlerts(dataDir, deployed);
  const killScripts = (): void => {
    const pid = scriptProcessOf(running);
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  };
  killScripts();
  disk.delaySyncs(SYNC_DELAY_MS);
  for (const killed of KILLED) {
    const before = undelivered(dataDir);
    await vi.waitFor(() => expect(undelivered(dataDir)).toBeLessThan(before), { timeout: 60_000, interval: 5 });
    await wait(Math.random() * LONGEST_WAIT_MS, { timers: foregroundTimers });
    if (killed !== 'trading') killScripts();
    if (killed === 'script') continue;
    await running.kill();
    running = await startProcess({ dataDir, env });
  }
  disk.heal();
  // Each script has really run, and what it raised is among the alerts.
  await vi.waitFor(() => expect(runs(dataDir)).not.toContain(0), { timeout: 90_000, interval: 50 });
  for (const { id } of deployed) await ask(running.url, `/api/deployments/${id}/pause`, {}, headers);
  await vi.waitFor(() => expect(undelivered(dataDir)).toBe(0), { timeout: 60_000, interval: 50 });
  expect(await running.stop()).toBe(0);
  disk.close();
  const alerts = rowsOf(dataDir, 'scripts.db', 'SELECT id FROM deployment_events ORDER BY id').map(({ id }) => id);
  expect(alerts.length).toBeGreaterThanOrEqual(2 * (ALERTS_OF_EACH + 1));
  const trades = rowsOf(dataDir, 'signalbox.db', 'SELECT idempotency_key AS name, state FROM trades ORDER BY 1');
  const nameOf = (id: unknown) => expect.stringMatching(`^script/${id}/[0-9a-f]+$`);
  expect(trades).toEqual(alerts.map((id) => ({ name: nameOf(id), state: 'filled' })));
  expect(compare(dataDir, [])).toEqual([]);
});
