// Sweeps over the disk steps of a signal's life: the first step fails, then the second, and so on until a life has no such
// step any more. So the sweep is whole whatever the code makes of it, and says how many steps there are.

import { type FaultRound, type Life, type Mode, openFaultyInstance } from './faulty-instance.ts';
import type { DiskStep } from './index.ts';

export type DiskError = NonNullable<FaultRound['error']>;
const ERRORS: readonly DiskError[] = ['EIO', 'ENOSPC'];

export interface Sweep extends Pick<FaultRound, 'forGood' | 'file' | 'patienceMs'> {
  readonly life: Life;
  readonly kind: DiskStep;
  /** They take turns from step to step. */
  readonly errors: readonly DiskError[];
  /** The first step that fails, and how far it is to the next one. */
  readonly first?: number;
  readonly stride?: number;
}

export interface SweepReport {
  /** The last step that failed in each sweep: as many as a life has, where the stride is 1. */
  readonly steps: readonly number[];
  readonly rounds: number;
  readonly starts: number;
  readonly sent: number;
  /** Whatever was not as its sender was told. */
  readonly faults: readonly string[];
}

/** More than any life has; a sweep that gets there does not end by itself. */
const MAX_STEPS = 5000;

/** One after the other on one folder; what has become of all of them is compared at the end. */
export async function runSweeps(mode: Mode, sweeps: readonly Sweep[]): Promise<SweepReport> {
  const instance = await openFaultyInstance(mode);
  const steps: number[] = [];
  let rounds = 0;
  for (const { life, kind, errors, first = 1, stride = 1, ...fault } of sweeps) {
    let last = 0;
    for (let turn = 0; turn < MAX_STEPS; turn++) {
      const step = first + turn * stride;
      const error = errors[turn % errors.length] ?? 'EIO';
      rounds++;
      if (!(await instance.round(life, { ...fault, kinds: [kind], step, error }))) break;
      last = step;
    }
    steps.push(last);
  }
  const faults = await instance.end();
  return { steps, rounds, starts: instance.starts, sent: instance.sent.length, faults };
}

/** Every step of this kind with either error, once and for good. */
export const everyFault = (sweep: Pick<Sweep, 'life' | 'kind' | 'file' | 'patienceMs'>): Sweep[] =>
  ERRORS.flatMap((error) => [false, true].map((forGood) => ({ ...sweep, errors: [error], forGood })));
