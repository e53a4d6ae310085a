// Closes the shares whose stops were reached: one closing trade at a time, looked up in the journal before it is made, so that
// no crash makes two of them, and tried again until the share is gone. A target closes its part once; then the rest is
// guarded on, also where the venue refuses that part for good: the stops behind it must not wait for it.

import type { Timers } from '../../timing/timers.ts';
import { withTimeout } from '../../timing/with-timeout.ts';
import { WorkUnderWay } from '../../timing/work-under-way.ts';
import { type Accounts, accountInWords } from '../accounts.ts';
import { isFinal } from '../books/journal.ts';
import type { Position } from '../books/position.ts';
import { shownStop, shownTarget } from '../books/shown-amounts.ts';
import { NAMELESS, type ShareName, shareInWords } from '../books/strategy-book.ts';
import { type Decimal, toText, ZERO } from '../decimal.ts';
import { retryPauseMs } from '../execution/retry-pauses.ts';
import type { OnAlarm } from '../notifications/alarm.ts';
import type { ProtectionSource } from '../signal.ts';
import type { Closer, FoundTrade } from './close-position.ts';
import { afterTarget } from './new-protection.ts';
import { type Protection, type Trigger, targetQuantity } from './protection.ts';
import type { ProtectionBook } from './protection-book.ts';
import type { StopAlarms } from './stop-alarms.ts';
import type { StoredStop } from './venue-stop-store.ts';

export interface ClosingParts {
  readonly book: ProtectionBook;
  readonly closer: Closer;
  readonly accounts: Pick<Accounts, 'find'>;
  readonly positionOf: (share: ShareName) => Position | undefined;
  readonly newRequestId: () => string;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  readonly timers: Timers;
  readonly onAlarm?: OnAlarm | undefined;
  readonly alarms: StopAlarms;
  readonly onTrouble: (what: string, error: unknown) => void;
}

export const CLOSES_UNPROTECTED = 'UNPROTECTED_POSITIONS=close';
/** A target that was refused so often is passed over: what it would have closed stays guarded. */
const MAX_TARGET_TRIES = 3;
export const STOP_WORDS: Readonly<Record<ProtectionSource, string>> = {
  'trailing-stop': 'trailing stop',
  'stop-loss': 'stop loss',
  'take-profit': 'take profit',
  target: 'target',
  'break-even': 'stop at the entry price',
  'time-stop': 'time stop',
};

export class Closings {
  readonly #parts: ClosingParts;
  readonly #underWay = new Map<string, Promise<void>>();
  /** Reached, and on their way to the disk. */
  readonly #firing = new WorkUnderWay();
  readonly #refused = new Map<string, { readonly times: number; readonly untilMs: number }>();

  constructor(parts: ClosingParts) {
    this.#parts = parts;
  }

  /** A level was reached, or what `words` say: from now on the position is being closed. */
  fire(protection: Protection, trigger: Trigger, words?: string): void {
    const { book, accounts, nowMs, alarms } = this.#parts;
    const fired: Protection = { ...protection, fired: { ...trigger, atMs: nowMs() } };
    this.#refused.delete(shareInWords(protection));
    book.put(fired);
    // On disk first: a stop that was reached must not be forgotten, whatever the market does next.
    void this.#firing.track(book.written().then(() => this.goOn(fired)));
    const { exchange, account, market } = protection;
    const what = words ?? reached(protection, trigger, accounts.find(exchange, account)?.tickOf(market));
    alarms.raise(protection, `${trigger.by} ${trigger.target ?? ''}`, what);
  }

  /** Takes the next step for a fired protection, unless one is being taken. */
  goOn(protection: Protection): void {
    const { book, monotonicMs, onTrouble } = this.#parts;
    const key = shareInWords(protection);
    const { fired } = protection;
    const isPausing = (this.#refused.get(key)?.untilMs ?? 0) > monotonicMs();
    if (fired === undefined || book.get(protection) !== protection || this.#underWay.has(key) || isPausing) return;
    const work = this.#step(protection, fired)
      .catch((error) => onTrouble(`the position ${key} is not closed yet`, error))
      .finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, work);
  }

  /** Resolves when no step is being taken or about to be. */
  async idle(): Promise<void> {
    await this.#firing.idle();
    while (this.#underWay.size > 0) await Promise.all(this.#underWay.values());
  }

  /** Resolves when no step is being taken, or the time is up: what is not done is found again at the next start. */
  async settled(timeoutMs: number): Promise<void> {
    await withTimeout(Promise.all(this.#underWay.values()), timeoutMs, () => undefined, this.#parts.timers);
  }

  async #step(protection: Protection, fired: Trigger): Promise<void> {
    const { book, closer, positionOf } = this.#parts;
    const trade = await closer.find(protection.closeRequestId);
    // Its lane has it, or the periodic look at orders without a clear outcome.
    if (trade && !isFinal(trade.state)) return;
    // In the meantime the share may have been closed, and another one opened.
    if (book.get(protection) !== protection) return;
    const held = positionOf(protection)?.quantity ?? ZERO;
    if (held === ZERO) return this.#forgetUnlessToCome(protection);
    const quantity = fired.target === undefined ? held : targetQuantity(protection, fired.target, held);
    if (trade) return this.#afterTrade(protection, fired, trade);
    if (quantity === ZERO) return this.#targetDone(protection, ZERO);
    const { closeRequestId: requestId } = protection;
    await closer.close(protection, { requestId, by: fired.by, quantity, setting: settingOf(fired) });
    // What is left is guarded on as soon as the part is closed, not only at the next look.
    if (fired.target !== undefined) await this.#step(protection, fired);
  }

  /** The closing trade ended and something is still held: a target is done with that, a stop is not. */
  async #afterTrade(protection: Protection, fired: Trigger, trade: FoundTrade): Promise<void> {
    const { book, closer, newRequestId, onAlarm } = this.#parts;
    if (trade.executedQuantity > ZERO && fired.target !== undefined)
      return this.#targetDone(protection, trade.executedQuantity);
    if (trade.executedQuantity === ZERO) {
      if (!(await closer.isHeld(protection))) {
        onAlarm?.(
          'protection',
          `${describeShare(protection)} has no position at the venue any more; its stop is removed`,
        );
        return this.#forget(protection);
      }
      const tries = this.#pauseAfter(protection, trade.error);
      if (fired.target !== undefined && tries >= MAX_TARGET_TRIES) return this.#targetDone(protection, ZERO);
    }
    // A new trade gets an id of its own, on disk before it is sent.
    if (book.get(protection) === protection) book.put({ ...protection, closeRequestId: newRequestId() });
  }

  #targetDone(protection: Protection, closed: Decimal): void {
    const { book, newRequestId, alarms } = this.#parts;
    this.#refused.delete(shareInWords(protection));
    if (closed > ZERO) alarms.over(protection);
    if (book.get(protection) === protection) book.put(afterTarget(protection, closed, newRequestId()));
  }

  /** Returns how often it was refused. */
  #pauseAfter(protection: Protection, error: string | undefined): number {
    const key = shareInWords(protection);
    const times = (this.#refused.get(key)?.times ?? 0) + 1;
    this.#refused.set(key, { times, untilMs: this.#parts.monotonicMs() + retryPauseMs(times) });
    const reason = error === undefined ? '' : `: ${error}`;
    const isLast = protection.fired?.target !== undefined && times >= MAX_TARGET_TRIES;
    const then = isLast ? 'It is passed over; what it would have closed stays guarded' : 'Trying again';
    this.#parts.alarms.raise(
      protection,
      '',
      `${describeShare(protection)} reached its ${protection.fired?.target === undefined ? 'stop' : 'target'} but could NOT be closed${reason}. ${then}`,
    );
    return times;
  }

  /** After a crash its entry may have yet to tell its fill: then there is nothing to close, and it is not over either. */
  async #forgetUnlessToCome(protection: Protection): Promise<void> {
    const { book, closer } = this.#parts;
    const entry = protection.origin === undefined ? undefined : await closer.find(protection.origin);
    if ((!entry || isFinal(entry.state)) && book.get(protection) === protection) this.#forget(protection);
  }

  #forget(protection: Protection): void {
    this.#refused.delete(shareInWords(protection));
    this.#parts.book.remove(protection);
  }
}

/** A stop loss without a level was not reached: its share was without a stop at the venue for too long. */
const settingOf = ({ by, level }: Trigger): string | undefined =>
  by === 'stop-loss' && level === undefined ? CLOSES_UNPROTECTED : undefined;

export const describeShare = (name: ShareName): string =>
  `${name.market} ${name.side}${name.strategy === NAMELESS ? '' : ` of strategy ${JSON.stringify(name.strategy)}`} on ${accountInWords(name)} (${name.mode})`;

/** With its id, by which its venue shows it. */
export const stopInWords = ({ share, clientStopId }: Pick<StoredStop, 'share' | 'clientStopId'>): string =>
  `of ${describeShare(share)} (${clientStopId})`;

function reached(protection: Protection, { by, level, target }: Trigger, tick: Decimal | undefined): string {
  const who = describeShare(protection);
  if (level === undefined) return `${who} was held for ${protection.maxHoldSeconds} seconds and is being closed`;
  const shown = by === 'take-profit' || by === 'target' ? shownTarget : shownStop;
  const at = toText(shown(level, protection.side, tick));
  if (target === undefined) return `${who} reached its ${STOP_WORDS[by]} at ${at} and is being closed`;
  const { targets = [], breakEvenAfter } = protection;
  const then = target === breakEvenAfter ? '; its stop loss moves to the entry price' : '';
  return `${who} reached target ${target} of ${targets.length} at ${at}, and its part is being closed${then}`;
}
