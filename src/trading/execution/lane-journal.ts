// Writes the steps of each lane to the journal in the order in which the lane decided them.
//
// The invariant: an order leaves for its venue only when everything its lane decided before is on disk, and no outcome
// of a lane is on disk before the outcomes it decided earlier. So whatever a crash leaves behind, the trades of a lane
// that recovery has to execute are later than all that have reached the venue, and executing them in the order of
// their acceptance gives what an uninterrupted process would have given.
//
//   outcome A ──► writer at once ─────► on disk
//   sending B ──► writer at once, usually right behind A: one disk sync serves both
//                     └──► both on disk ──► order B leaves
//   outcome C, decided while A is on its way ──► writer as soon as A is on disk
//
// A `sending` may be on disk before the outcome that stands before it: its order has not left, the venue says so, and
// recovery asks before it executes anything. An outcome may not: if the earlier one failed and the later one did not,
// recovery would execute the earlier trade after the later one had ended.

import { StorageError, UnknownOutcomeError } from '../../errors/storage-error.ts';
import type { Timers } from '../../timing/timers.ts';
import type { Adoption, Journal, OutcomeStep, SendingStep } from '../books/journal.ts';
import { type DurableStep, untilDurable } from './persistence.ts';

type Recorded = Awaited<ReturnType<Journal['record']>>;

export interface LaneJournal {
  /**
   * Resolves when the step is on disk, however often it has to try: a venue's word is never dropped. Rejects only at a
   * stop, and with it everything of the lane that stands behind; recovery at the next start asks the venue again.
   */
  record(step: OutcomeStep, lane: string): Promise<Recorded>;
  /**
   * The same for a step that need not be. Rejects where it is certainly not on disk, or where an outcome before it had to be tried
   * again; nothing else of the lane may be written meanwhile.
   */
  recordAtOnce(step: OutcomeStep, lane: string): Promise<Recorded>;
  /**
   * Resolves when the step and all outcomes before it are on disk. `late` means that an outcome had to be tried again,
   * so that the facts the order was planned with are old.
   */
  sending(step: SendingStep, lane: string): Promise<'in-time' | 'late'>;
  /** Takes over the venue's word on a market; kept in order and tried again like an outcome. */
  adopt(adoption: Adoption, lane: string): Promise<void>;
  /** Resolves when every outcome that the lane has decided is on disk. */
  written(lane: string): Promise<void>;
}

/** The newest outcome of a lane that is not known to be on disk. */
interface Tail {
  readonly durable: Promise<unknown>;
  /** It, or one before it, had to be tried again. */
  hasFailed: boolean;
}

export function createLaneJournal(options: {
  journal: Pick<Journal, 'record' | 'sending' | 'adopt'>;
  stop: AbortSignal;
  timers: Timers;
  onFailure: (what: string, error: unknown) => void;
}): LaneJournal {
  const { journal, stop, timers, onFailure } = options;
  const tails = new Map<string, Tail>();

  const write = <T>(lane: string, what: string, step: DurableStep<T>): Promise<T> => {
    const before = tails.get(lane);
    const patience = {
      stop,
      timers,
      onFailure: (error: unknown, attempt: number): void => {
        tail.hasFailed = true;
        onFailure(`${what} is not on disk yet (attempt ${attempt})`, error);
      },
    };
    const behind = async (): Promise<T> => {
      await before?.durable;
      tail.hasFailed ||= before?.hasFailed ?? false;
      return untilDurable(step, patience);
    };
    // Without an earlier one it is handed over now, not in a later turn: what the lane does next stands behind it.
    const tail: Tail = { durable: Promise.resolve(), hasFailed: false };
    const durable = before ? behind() : untilDurable(step, patience);
    tails.set(lane, Object.assign(tail, { durable }));
    const forget = (): void => {
      if (tails.get(lane) === tail) tails.delete(lane);
    };
    durable.then(forget, forget);
    return durable;
  };

  const record: LaneJournal['record'] = (step, lane) =>
    write(lane, `a step of trade ${step.seq}`, (mayHold) => journal.record(step, mayHold));

  return {
    record,
    async recordAtOnce(step, lane) {
      const before = tails.get(lane);
      await before?.durable;
      if (before?.hasFailed) throw new StorageError('an outcome before it had to be stored again');
      try {
        return await journal.record(step);
      } catch (error) {
        if (!(error instanceof UnknownOutcomeError)) throw error;
        // It may be there, and nobody may say that it is not.
        return write(lane, `a step of trade ${step.seq}`, () => journal.record(step, true));
      }
    },
    adopt: (adoption, lane) =>
      write(lane, `the venue's word on ${lane}`, (mayHold) => journal.adopt(adoption, mayHold)),
    async written(lane) {
      await tails.get(lane)?.durable;
    },
    async sending(step, lane) {
      const before = tails.get(lane);
      await Promise.all([journal.sending(step), before?.durable]);
      return before?.hasFailed ? 'late' : 'in-time';
    },
  };
}
