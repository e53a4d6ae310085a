// A disk that fails at the steps of a signal's life, in the real process: everything answered is there after the next
// start, nothing that was refused trades, and no answer leaves before the disk has what it says.

import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { describe, expect, it } from 'vitest';
import { type FaultRound, runFaultRounds } from '../support/disk-faults/fault-rounds.ts';
import { prepareDiskFaults } from '../support/disk-faults/index.ts';
import { freshDataDir, runSignalbox, startProcess } from '../support/process.ts';
import { post } from '../support/senders.ts';

const WAL = 'signalbox.db-wal';

/** In direct mode a signal waits for four commits: accepted, sending, the venue's books, the outcome. */
const SYNCS: FaultRound[] = [1, 2, 3, 4].map((step) => ({
  mode: 'direct',
  kinds: ['sync'],
  file: WAL,
  step,
  error: 'EIO',
  forGood: true,
}));
const ONCE: FaultRound[] = [
  { mode: 'async', kinds: ['sync'], file: WAL, step: 1, error: 'EIO' },
  { mode: 'direct', kinds: ['write'], file: WAL, step: 3, error: 'ENOSPC' },
];
/** A commit writes a dozen pages, each in two pieces; the last piece of a commit is the one that makes it whole. */
const WRITES: FaultRound[] = [
  { mode: 'direct', kinds: ['write'], file: WAL, step: 1, error: 'ENOSPC', forGood: true },
  { mode: 'async', kinds: ['write'], file: WAL, step: 2, error: 'EIO', forGood: true },
  { mode: 'direct', kinds: ['write'], file: WAL, step: 40, error: 'EIO', forGood: true },
];

describe('a disk that fails', () => {
  it.each([
    ['the syncs of a commit, for good', SYNCS],
    ['once', ONCE],
    ['the writes of a commit, for good', WRITES],
  ])('%s loses nothing that was answered and trades nothing that was refused', async (_, rounds) => {
    const report = await runFaultRounds(rounds);
    expect(report.faults).toEqual([]);
    expect(report.failedSteps.every((count) => count > 0)).toBe(true);
  });

  it('during a start ends it with the reason, and the next start works', async () => {
    const dataDir = freshDataDir();
    const disk = await prepareDiskFaults(dataDir);
    for (const step of [1, 30]) {
      disk.fail({ step, error: 'ENOSPC', forGood: true, file: '.db-wal' });
      const { code, stderr } = await runSignalbox(['start'], { DATA_DIR: dataDir, ...disk.env });
      expect([code, stderr]).toEqual([1, expect.stringMatching(/is full; free some space|the disk failed/)]);
    }
    disk.heal();
    expect(await (await startProcess({ dataDir, env: disk.env })).stop()).toBe(0);
    disk.close();
  });
});

it('an answer waits until the disk has the commit', async () => {
  const dataDir = freshDataDir();
  const disk = await prepareDiskFaults(dataDir);
  const apiKey = `whk_${'d'.repeat(43)}`;
  const env = { ...disk.env, WEBHOOK_API_KEYS: apiKey, QUEUE_MODE: 'async' };
  const running = await startProcess({ dataDir, env });
  const agent = new Agent({ keepAlive: true });
  disk.delaySyncs(700);
  const signal = { exchange: 'binance', action: 'LONG', symbol: 'ETHUSDT', quantity: 0.05 };
  const beforeMs = performance.now();
  const answer = await post(running.url, agent, JSON.stringify({ apiKey, ...signal, idempotencyKey: randomUUID() }));
  expect(answer?.status).toBe(202);
  expect(performance.now() - beforeMs).toBeGreaterThanOrEqual(700);
  disk.heal();
  agent.destroy();
  await running.stop();
  disk.close();
});
