// A disk that fails at the steps of a signal's life, in the real process: everything answered is there after the next
// start, nothing that was refused trades, and no answer leaves before the disk has what it says.
//
// A round sends five signals at the same instant: an entry with a stop loss and a take profit, a close of the whole
// position, a short, a limit order that rests, a close that cancels one; then the entry again, with the same key. They share
// commits, so each step of the disk belongs to all of them. How many steps there are is not written here: a sweep goes on
// until a round has no such step any more.
//
//   here             every sync once in direct and in async mode, with the errors in turns; for good every second one in
//                    direct mode, the others in async mode
//                    one write in eight once in direct mode, one in twenty-one in async mode, one in forty for good
//                    an order that fills later: every sync once or for good, with the errors in turns; one write in twenty
//                    a checkpoint, and the whole one of a stop: some writes, the sync, the truncation, the removal of the log
//                    that a signal's life has no other steps: no truncating, making, renaming or removing of files
//   npm run soak disk
//                    every step of all of them × EIO, ENOSPC × once, for good × direct, async, failover

import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { describe, expect, it } from 'vitest';
import { runSweeps, type Sweep } from '../support/disk-faults/fault-rounds.ts';
import type { Mode } from '../support/disk-faults/faulty-instance.ts';
import { prepareDiskFaults } from '../support/disk-faults/index.ts';
import { freshDataDir, runSignalbox, startGatewayProcess } from '../support/process.ts';
import { post } from '../support/senders.ts';

/** In direct mode an answer that waits for the disk leaves after 2.5 s all the same. */
const PATIENCE_MS = 3000;
const EIO_FIRST = { errors: ['EIO', 'ENOSPC'] } as const;
const ENOSPC_FIRST = { errors: ['ENOSPC', 'EIO'] } as const;

const SYNC = { life: 'everyday', kind: 'sync' } as const;
const WRITE = { life: 'everyday', kind: 'write' } as const;
const FOR_GOOD = { forGood: true, stride: 40 } as const;
const FILL = { life: 'filled-later', kind: 'sync' } as const;
/** The database itself is written by checkpoints only: those of the running process, and the whole one of a stop. */
const DATABASE = { file: 'signalbox.db' } as const;
const STOP = { life: 'stop', ...DATABASE } as const;

/** Each with the steps that every one of its sweeps must find at least: one that finds none has tried nothing. */
const PROMISES: readonly (readonly [string, Mode, readonly Sweep[], number])[] = [
  [
    ...(['at every sync, in direct mode', 'direct'] as const),
    [
      { ...SYNC, ...EIO_FIRST },
      { ...SYNC, errors: ['EIO'], forGood: true, stride: 2, patienceMs: PATIENCE_MS },
    ],
    3,
  ],
  [
    ...(['at every sync, in async mode', 'async'] as const),
    [
      { ...SYNC, ...ENOSPC_FIRST },
      { ...SYNC, errors: ['ENOSPC'], forGood: true, first: 2, stride: 2 },
    ],
    4,
  ],
  [
    ...(['at one write in eight, in direct mode', 'direct'] as const),
    [
      { ...WRITE, ...EIO_FIRST, stride: 8 },
      { ...WRITE, ...EIO_FIRST, ...FOR_GOOD },
    ],
    40,
  ],
  [
    ...(['at one write in twenty-one, in async mode', 'async'] as const),
    [
      { ...WRITE, ...ENOSPC_FIRST, stride: 21 },
      { ...WRITE, ...ENOSPC_FIRST, ...FOR_GOOD, first: 21 },
    ],
    40,
  ],
  [
    ...(['at every sync of an order that fills later', 'failover'] as const),
    [
      { ...FILL, ...EIO_FIRST, stride: 2 },
      { ...FILL, ...ENOSPC_FIRST, first: 2, stride: 2, forGood: true },
    ],
    1,
  ],
  [
    ...(['at writes of an order that fills later', 'async'] as const),
    [{ ...FILL, kind: 'write', ...EIO_FIRST, stride: 20 }],
    12,
  ],
  [
    ...(['when its log is brought into the database', 'direct'] as const),
    [
      { ...STOP, kind: 'sync', errors: ['EIO'], forGood: true },
      { ...STOP, kind: 'truncate', errors: ['ENOSPC'] },
      { ...STOP, kind: 'write', ...ENOSPC_FIRST, forGood: true, stride: 45 },
      { life: 'stop', kind: 'remove', file: 'signalbox.db-wal', errors: ['EIO'] },
      { ...DATABASE, life: 'checkpoint', kind: 'write', ...EIO_FIRST, stride: 24 },
    ],
    1,
  ],
];

describe('a disk that fails', () => {
  it.concurrent.each(PROMISES)(
    '%s loses nothing that was answered and trades nothing that was refused',
    async (...job) => {
      const [, mode, sweeps, least] = job;
      const report = await runSweeps(mode, sweeps);
      expect(report.faults).toEqual([]);
      expect(report.steps.filter((steps) => steps < least)).toEqual([]);
    },
  );

  it.concurrent('meets a signal only in writes and syncs', async () => {
    const kinds = ['truncate', 'create', 'rename', 'remove'] as const;
    const others = kinds.map((kind): Sweep => ({ life: 'everyday', kind, errors: ['EIO'] }));
    expect((await runSweeps('failover', others)).steps).toEqual([0, 0, 0, 0]);
  });

  it('during a start ends it with the reason, and the next start works', async () => {
    const dataDir = freshDataDir();
    const disk = await prepareDiskFaults(dataDir);
    for (const step of [1, 30]) {
      disk.fail({ step, error: 'ENOSPC', forGood: true, file: '.db-wal' });
      const { code, stderr } = await runSignalbox(['start'], { DATA_DIR: dataDir, SERVICES: 'gateway', ...disk.env });
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(/is full; free some space|the disk failed|cannot be opened/),
      ]);
    }
    disk.heal();
    expect(await (await startGatewayProcess({ dataDir, env: disk.env })).stop()).toBe(0);
    disk.close();
  });
});

it('an answer waits until the disk has the commit', async () => {
  const dataDir = freshDataDir();
  const disk = await prepareDiskFaults(dataDir);
  const apiKey = `whk_${'d'.repeat(43)}`;
  const env = { ...disk.env, WEBHOOK_API_KEYS: apiKey, QUEUE_MODE: 'async' };
  const running = await startGatewayProcess({ dataDir, env });
  const agent = new Agent({ keepAlive: true });
  disk.delaySyncs(700);
  const signal = { exchange: 'binance', action: 'LONG', symbol: 'ETHUSDT', quantity: 0.05 };
  // More than one: the first may have waited for a commit of the start instead of its own.
  for (let sent = 0; sent < 3; sent++) {
    const beforeMs = performance.now();
    const body = JSON.stringify({ apiKey, ...signal, idempotencyKey: randomUUID() });
    expect((await post(running.url, agent, body))?.status).toBe(202);
    expect(performance.now() - beforeMs).toBeGreaterThanOrEqual(700);
  }
  disk.heal();
  agent.destroy();
  await running.stop();
  disk.close();
});
