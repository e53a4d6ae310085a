// Runs a part of the fuzzer for so many inputs or minutes: counts, keeps its first faults, and looks whether memory grows.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Random } from '../random.ts';

/** What a part of the program is fuzzed with. Each batch depends on its seed alone, and on what the batches before it left. */
export interface FuzzPart {
  /** Tries the inputs of one batch. */
  batch(random: Random, seed: number): Promise<BatchReport> | BatchReport;
  /** What is in use once everything is gone that could go. */
  heapBytes(): Promise<number> | number;
  /** Faults that show only at the end are its answer. */
  close(): Promise<readonly string[]>;
}

export interface BatchReport {
  readonly inputs: number;
  readonly faults: readonly string[];
  /** How often each kind of end was met, such as a status. */
  readonly ends?: Readonly<Record<string, number>>;
}

export interface FuzzWish {
  /** Whichever comes first; at least one of them is said. */
  readonly inputs?: number | undefined;
  readonly minutes?: number | undefined;
  readonly seed: number;
  /** The number of faults after which it ends. */
  readonly maxFaults?: number;
  readonly log?: (line: string) => void;
}

export interface FuzzReport {
  readonly inputs: number;
  readonly seconds: number;
  readonly faults: readonly string[];
  readonly ends: Readonly<Record<string, number>>;
  /** Zero where the run is too short to say anything about memory. */
  readonly warmHeapBytes: number;
  readonly endHeapBytes: number;
}

/** Of the inputs or the time; what is loaded and kept once is there by then. */
const WARM_SHARE = 0.3;
/** What a heap may gain after that: ids, limits and tallies that have their own bounds, and the noise of the collector. */
const MAX_GROWTH_BYTES = 24 * 1024 * 1024;
/** Below this a run says nothing about memory: it is all warm-up. */
const LEAST_INPUTS_FOR_MEMORY = 20_000;
const LOG_EVERY_MS = 30_000;
const MAX_FAULTS = 5;

export async function fuzz(part: FuzzPart, wish: FuzzWish): Promise<FuzzReport> {
  const { inputs: most = Number.POSITIVE_INFINITY, minutes = Number.POSITIVE_INFINITY, maxFaults = MAX_FAULTS } = wish;
  const isMeasured = most >= LEAST_INPUTS_FOR_MEMORY;
  const startMs = performance.now();
  const elapsedMs = (): number => performance.now() - startMs;
  const shareDone = (): number => Math.max(inputs / most, elapsedMs() / (minutes * 60_000));
  const faults: string[] = [];
  const ends: Record<string, number> = {};
  const unhandled = (error: unknown): void => void faults.push(`an unhandled rejection: ${error}`);
  process.on('unhandledRejection', unhandled);
  let inputs = 0;
  let warmHeapBytes = 0;
  let toldMs = 0;
  try {
    for (let seed = wish.seed; shareDone() < 1 && faults.length < maxFaults; seed += 1) {
      const report = await part.batch(new Random(seed), seed);
      inputs += report.inputs;
      const found = report.faults.map((fault) => `seed ${seed}: ${fault}`);
      faults.push(...found);
      // At once: a long run may be ended by hand.
      for (const fault of found) wish.log?.(`FAULT ${fault}`);
      for (const [end, count] of Object.entries(report.ends ?? {})) ends[end] = (ends[end] ?? 0) + count;
      if (isMeasured && warmHeapBytes === 0 && shareDone() >= WARM_SHARE) warmHeapBytes = await part.heapBytes();
      if (elapsedMs() - toldMs < LOG_EVERY_MS) continue;
      toldMs = elapsedMs();
      wish.log?.(`${inputs} inputs, ${faults.length} faults, at seed ${seed}`);
    }
    const endHeapBytes = isMeasured ? await part.heapBytes() : 0;
    const growth = endHeapBytes - warmHeapBytes;
    if (inputs >= LEAST_INPUTS_FOR_MEMORY && warmHeapBytes > 0 && growth > MAX_GROWTH_BYTES)
      faults.push(`memory grew by ${mebibytes(growth)} MiB from ${mebibytes(warmHeapBytes)} MiB after the warm-up`);
    return { inputs, seconds: elapsedMs() / 1000, faults, ends, warmHeapBytes, endHeapBytes };
  } finally {
    faults.push(...(await part.close()));
    process.off('unhandledRejection', unhandled);
  }
}

export const mebibytes = (bytes: number): number => Math.round(bytes / 1024 / 1024);

/** Of this process. */
export function ownHeapBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // What the first round sets free may hold the last reference to something else.
  for (let round = 0; round < 3; round += 1) collect();
  return process.memoryUsage().heapUsed;
}

/** Counts by name. */
export class Tally {
  readonly counts: Record<string, number> = {};

  add(name: string): void {
    this.counts[name] = (this.counts[name] ?? 0) + 1;
  }
}
