// `npm run soak disk [minutes]`: every disk step of a signal's life fails with every error, once and for good, in every
// queue mode. The sweeps come in a random order, and again when all are done, until the time is over.

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

/** True when everything answered was there, and nothing that was refused had traded. */
export async function soakDisk(endMs: number, say: (line: string) => void): Promise<boolean> {
  let rounds = 0;
  while (performance.now() < endMs) {
    const jobs = MODES.flatMap((mode) => SWEEPS.map((sweep) => ({ mode, sweep, place: Math.random() })));
    for (const { mode, sweep } of jobs.sort((a, b) => a.place - b.place)) {
      const report = await runSweeps(mode, [sweep]);
      rounds += report.rounds;
      const { life, kind, errors, forGood } = sweep;
      const what = `${mode}, ${life}: every ${kind} ${errors} ${forGood ? 'for good' : 'once'}`;
      say(`${what}: ${report.steps} steps, ${report.starts} starts, ${report.sent} signals`);
      for (const fault of report.faults) say(`FAULT ${fault}`);
      if (report.faults.length > 0) return false;
      if (performance.now() >= endMs) break;
    }
  }
  say(`everything answered is there, and nothing that was refused: ${rounds} rounds`);
  return true;
}
