// A real process that lives several times on one folder: each life is cut off by kill -9 at a moment of its own, while requests
// are under way.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import { foregroundTimers } from '../../src/timing/timers.ts';
import { wait } from '../../src/timing/wait.ts';
import { prepareDiskFaults } from '../support/disk-faults/index.ts';
import type { Sent } from '../support/gateway.ts';
import { allSettled, compare } from '../support/nothing-lost.ts';
import { freshDataDir, type RunningProcess, startGatewayProcess } from '../support/process.ts';

/** With every sync of the disk this much longer, one request takes far longer than the last of these moments. */
const SYNC_DELAY_MS = 20;
export const MOMENTS_MS = [5, 35, 80, 150];

/** A folder, and the processes that live on it one after another. */
export async function openLives(settings: Readonly<Record<string, string>> = {}) {
  const dataDir = freshDataDir();
  const disk = await prepareDiskFaults(dataDir);
  const env = {
    ...disk.env,
    QUEUE_MODE: 'direct',
    WEBHOOK_RATE_PER_MINUTE: '0',
    PAPER_ACCOUNTS: 'binance:scalp=1000000',
    PAPER_BALANCE: '1000000',
    SIGNAL_MAX_AGE_S: '600',
    LOG_LEVEL: 'error',
    ...settings,
  };
  let running: RunningProcess = await startGatewayProcess({ dataDir, env });
  /** Undefined where the process died before it answered. */
  const ask = async (method: string, path: string, body?: object): Promise<Sent['body'] | undefined> => {
    try {
      const response = await fetch(`${running.url}${path}`, { method, ...(body && { body: JSON.stringify(body) }) });
      return (await response.json()) as Sent['body'];
    } catch {
      return undefined;
    }
  };
  let unanswered = 0;
  return {
    dataDir,
    ask,
    /** Kills the process so long after the requests have left, starts the next, and gives what was answered before. */
    async cutOff<T>(afterMs: number, requests: () => Promise<T>): Promise<T> {
      disk.delaySyncs(SYNC_DELAY_MS);
      const answers = requests();
      await wait(afterMs, { timers: foregroundTimers });
      await running.kill();
      disk.heal();
      const answered = await answers;
      unanswered += [answered].flat().filter((answer) => answer === undefined).length;
      running = await startGatewayProcess({ dataDir, env });
      await allSettled(running.url);
      return answered;
    },
    async end(): Promise<void> {
      expect(await running.stop()).toBe(0);
      disk.close();
      expect(compare(dataDir, [])).toEqual([]);
      // The run must have been a real one: something was cut off in the middle.
      expect(unanswered).toBeGreaterThan(0);
    },
  };
}

export const rowsOf = (dataDir: string, sql: string): Record<string, unknown>[] => {
  const db = new DatabaseSync(join(dataDir, 'signalbox.db'), { readOnly: true });
  try {
    return db.prepare(sql).all();
  } finally {
    db.close();
  }
};

/** Orders of which our books say something else than the venue. */
export const disagreeing = (dataDir: string): unknown[] =>
  rowsOf(
    dataDir,
    `SELECT orders.client_order_id, orders.state, paper_orders.status FROM orders LEFT JOIN paper_orders
      ON paper_orders.client_order_id = orders.client_order_id AND paper_orders.account = orders.account
      WHERE paper_orders.status IS NOT orders.state`,
  );
