// The live runs that a thread keeps open, by id: each bar costs one bar, as long as it is the next one.
//
//   not open ──with its history──► open ──the next bar or tick──► open
//      ▲                            │
//      └── another place, an error of the script, or no memory for it
//
// Nothing is lost with a run: whoever wants the next bar is told that it is not open, and sends its history along.

import { getHeapStatistics } from 'node:v8';
import type { LiveDone } from '../../library/live-runner.ts';
import type { LiveRun, Program } from '../../pine/index.ts';
import type { LiveJob, NotOpen } from './messages.ts';
import { heldBytes } from './thread-memory.ts';

interface OpenRun {
  readonly run: LiveRun;
  readonly anchorMs: number;
}

/**
 * A live run keeps a ring of bars and of each plot, some two MiB. Beyond this the runs not used for the longest time
 * make room, well before the thread itself would be too large.
 */
const MAX_HELD_BYTES = 192 * 1024 * 1024;

export class LiveRuns {
  readonly #maxHeldBytes: number;
  /** In the order of use, the last one last. */
  readonly #open = new Map<string, OpenRun>();

  constructor(maxHeldBytes = MAX_HELD_BYTES) {
    this.#maxHeldBytes = maxHeldBytes;
  }

  get size(): number {
    return this.#open.size;
  }

  /** An error of the script goes on to the caller, and the run is gone. */
  advance(job: LiveJob, program: Program): LiveDone | NotOpen {
    const startedMs = performance.now();
    const found = this.#take(job);
    if (found === undefined && job.history === undefined) return { kind: 'not-open' };
    const { symbolBars = [] } = job;
    if (symbolBars.length > 0) found?.handIn(symbolBars);
    const run = found ?? this.#opened(job, program);
    const { barIndex, alerts, fills, position, awaitsTicks } = job.isClosed ? run.close(job.bar) : run.update(job.bar);
    this.#open.set(job.runId, { run, anchorMs: job.anchorMs });
    this.#makeRoom();
    const { scriptType } = program.checked;
    const told = { scriptType, bars: barIndex + 1, alerts, fills, position, awaitsTicks };
    return { kind: 'live', ...told, isReplayed: found === undefined, runMs: performance.now() - startedMs };
  }

  /** Out of the list until its bar is through: what an error leaves half done is never gone on with. */
  #take({ runId, anchorMs, afterMs }: LiveJob): LiveRun | undefined {
    const found = this.#open.get(runId);
    this.#open.delete(runId);
    return found?.anchorMs === anchorMs && found.run.lastTimeMs === afterMs ? found.run : undefined;
  }

  #opened({ history, ...options }: LiveJob, program: Program): LiveRun {
    const run = program.open(history as NonNullable<typeof history>, options);
    run.forgetHistory();
    return run;
  }

  #makeRoom(): void {
    if (heldBytes(getHeapStatistics()) <= this.#maxHeldBytes) return;
    // Half of them at once: much of what is held may be garbage that is not collected yet.
    // The one that was just used stays: alone it is not what fills the memory.
    const leaving = [...this.#open.keys()].slice(0, Math.floor(this.#open.size / 2));
    for (const runId of leaving) this.#open.delete(runId);
  }
}
