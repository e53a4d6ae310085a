// Takes a protection through a stretch of market history, exactly as if every second of it had been looked at.
//
// Most stretches need one question: if nothing could fire in them even under the worst order of events, only the peak may
// have moved. Else the stretch is halved, and the halves are taken in order, down to single seconds. So a stretch gives
// the same result however it is cut, and a process that was away for an hour finds what it would have found.

import { type Decimal, larger, smaller } from '../decimal.ts';
import { type Protection, SECOND_MS, type Trigger } from './protection.ts';
import { bestOf, type Extremes, mayFire, peakAfter, triggerOf } from './stop-rules.ts';

/** Lowest and highest trade in [fromMs, toMs); undefined when there was none. Rejects when it cannot be known now. */
export type ReadRange = (fromMs: number, toMs: number) => Promise<Extremes | undefined>;

export interface Walked {
  readonly peak: Decimal | undefined;
  readonly trigger?: Trigger;
  /** The end of the cell in which it fired: what came after has not been looked at. */
  readonly untilMs?: number;
}

const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** A very tight trail over a long absence could ask without end, and each question may cost a request. */
const MAX_QUESTIONS = 2000;

export async function walkPrices(
  protection: Protection,
  fromMs: number,
  toMs: number,
  readRange: ReadRange,
): Promise<Walked> {
  let questions = 0;
  const ask: ReadRange = (from, to) => {
    questions++;
    return readRange(from, to);
  };

  async function walk(peak: Decimal | undefined, from: number, to: number, seen?: Extremes): Promise<Walked> {
    if (seen === undefined) return { peak };
    const guarded = { ...protection, peak };
    if (!mayFire(guarded, seen)) return { peak: peakAfter(guarded, bestOf(protection.side, seen)) };
    const middle = middleOf(from, to);
    if (middle === undefined || questions >= MAX_QUESTIONS) return cell(guarded, seen, to);
    const [early, late] = [await ask(from, middle), await ask(middle, to)];
    // A source that knows whole minutes only has nothing to say of their halves: then the whole is the cell.
    if (!isSame(joined(early, late), seen)) return cell(guarded, seen, to);
    const first = await walk(peak, from, middle, early);
    return first.trigger ? first : walk(first.peak, middle, to, late);
  }

  return walk(protection.peak, fromMs, toMs, await ask(fromMs, toMs));
}

/** The definition: levels first, then the peak. After a target the rest is guarded on, so the peak of its cell counts. */
function cell(guarded: Protection, seen: Extremes, untilMs: number): Walked {
  const trigger = triggerOf(guarded, seen);
  if (trigger && trigger.target === undefined) return { peak: guarded.peak, trigger, untilMs };
  const peak = peakAfter(guarded, bestOf(guarded.side, seen));
  return trigger ? { peak, trigger, untilMs } : { peak };
}

/** Long stretches are cut where bars begin, so that no bar lies on both sides of a cut. */
function middleOf(fromMs: number, toMs: number): number | undefined {
  const lengthMs = toMs - fromMs;
  if (lengthMs <= SECOND_MS) return undefined;
  const grain = lengthMs > 4 * HOUR_MS ? HOUR_MS : lengthMs > 2 * MINUTE_MS ? MINUTE_MS : SECOND_MS;
  return Math.floor((fromMs + Math.ceil(lengthMs / 2 / grain) * grain) / grain) * grain;
}

function joined(a: Extremes | undefined, b: Extremes | undefined): Extremes | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return { low: smaller(a.low, b.low), high: larger(a.high, b.high) };
}

const isSame = (a: Extremes | undefined, b: Extremes): boolean =>
  a !== undefined && a.low === b.low && a.high === b.high;
