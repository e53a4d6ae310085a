// `npm run soak disk [minutes]`: every disk step of a signal's life fails with every error, once and for good, in every
// queue mode. Without minutes each of these sweeps comes once; with them they come in a random order, and again when all
// are done, until the time is over.

import { availableParallelism } from 'node:os';
import { everyFault, runSweeps, type Sweep } from '../../tests/support/disk-faults/fault-rounds.ts';

const MODES = ['direct', 'async', 'failover'] as const;
/** In direct mode the last answer comes after 2.5 s. */
const PATIENCE_MS = 3000;
/** Only checkpoints write the database itself. */
const DATABASE = 'signalbox.db';

const SWEEPS: readonly Sweep[] = [
  ...(['write', 'truncate', 'create', 'rename', 'remove'] as const).flatMap((kind) =>
    everyFault({ life: 'everyday', kind }),
  ),
  ...everyFault({ life: 'everyday', kind: 'sync', patienceMs: PATIENCE_MS }),
  ...(['write', 'sync'] as const).flatMap((kind) => everyFault({ life: 'filled-later', kind })),
  ...everyFault({ life: 'checkpoint', kind: 'write', file: DATABASE }),
  ...(['write', 'sync', 'truncate', 'remove'] as const).flatMap((kind) => everyFault({ life: 'stop', kind })),
];

/** Sweeps wait for the market and for answers more than they work; each has a process and a folder of its own. */
const SIDE_BY_SIDE = 2 * availableParallelism();

type Say = (line: string) => void;
type Job = { readonly mode: (typeof MODES)[number]; readonly sweep: Sweep };

/** True when everything answered was there, and nothing that was refused had traded. */
export async function soakDisk(endMs: number | undefined, say: Say): Promise<boolean> {
  const total = { sweeps: 0, rounds: 0, starts: 0, sent: 0, faults: 0 };
  /** One whole turn finds everything there is to find; what goes round and round ends at the first fault. */
  const isOver = (): boolean => endMs !== undefined && (total.faults > 0 || performance.now() >= endMs);

  /** A sweep that cannot be brought to its end is a fault as well, and keeps no other from being tried. */
  async function run(job: Job): Promise<void> {
    try {
      await runToItsEnd(job);
    } catch (error) {
      total.faults++;
      say(`FAULT ${job.mode}, ${JSON.stringify(job.sweep)} did not come to its end: ${error}`);
    }
  }

  async function runToItsEnd({ mode, sweep }: Job): Promise<void> {
    const report = await runSweeps(mode, [sweep]);
    total.sweeps++;
    total.rounds += report.rounds;
    total.starts += report.starts;
    total.sent += report.sent;
    total.faults += report.faults.length;
    const { life, kind, errors, forGood } = sweep;
    const what = `${mode}, ${life}: every ${kind} ${errors} ${forGood ? 'for good' : 'once'}`;
    say(`${what}: ${report.steps} steps, ${report.starts} starts, ${report.sent} signals`);
    for (const fault of report.faults) say(`FAULT ${what}: ${fault}`);
  }

  async function worker(queue: Job[]): Promise<void> {
    for (let job = queue.pop(); job !== undefined && !isOver(); job = queue.pop()) await run(job);
  }

  do {
    const queue = shuffled(MODES.flatMap((mode) => SWEEPS.map((sweep): Job => ({ mode, sweep }))));
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, () => worker(queue)));
  } while (endMs !== undefined && !isOver());
  say(`${total.sweeps} sweeps, ${total.rounds} rounds, ${total.starts} starts, ${total.sent} signals`);
  if (total.faults === 0) say('everything answered is there, and nothing that was refused');
  return total.faults === 0;
}

function shuffled(jobs: readonly Job[]): Job[] {
  const placed = jobs.map((job) => ({ job, place: Math.random() }));
  return placed.sort((a, b) => a.place - b.place).map(({ job }) => job);
}
