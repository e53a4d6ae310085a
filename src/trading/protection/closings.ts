// Closes the positions whose stops were reached: one closing trade at a time, looked up in the journal before it is made, so
// that no crash makes two of them, and tried again until the position is gone.

import type { Timers } from '../../timing/timers.ts';
import { withTimeout } from '../../timing/with-timeout.ts';
import { WorkUnderWay } from '../../timing/work-under-way.ts';
import { type Accounts, accountInWords } from '../accounts.ts';
import { isFinal } from '../books/journal.ts';
import { keyInWords, type Position, type PositionName } from '../books/position.ts';
import { shownStop, shownTarget } from '../books/shown-amounts.ts';
import { toText, ZERO } from '../decimal.ts';
import type { OnAlarm } from '../notifications/alarm.ts';
import type { Closer } from './close-position.ts';
import type { Protection, Trigger } from './protection.ts';
import type { ProtectionBook } from './protection-book.ts';

export interface ClosingParts {
  readonly book: ProtectionBook;
  readonly closer: Closer;
  readonly accounts: Pick<Accounts, 'find'>;
  readonly positionOf: (name: PositionName) => Position | undefined;
  readonly newRequestId: () => string;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  readonly timers: Timers;
  readonly onAlarm?: OnAlarm | undefined;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Between closes that the venue refused. */
const RETRY_PAUSES_MS = [1000, 2000, 5000, 15_000, 60_000];
const WORDS = { 'trailing-stop': 'trailing stop', 'stop-loss': 'stop loss', 'take-profit': 'take profit' } as const;

export class Closings {
  readonly #parts: ClosingParts;
  readonly #underWay = new Map<string, Promise<void>>();
  /** Reached, and on their way to the disk. */
  readonly #firing = new WorkUnderWay();
  readonly #refused = new Map<string, { readonly times: number; readonly untilMs: number }>();

  constructor(parts: ClosingParts) {
    this.#parts = parts;
  }

  /** A level was reached: from now on the position is being closed. */
  fire(protection: Protection, trigger: Trigger): void {
    const { book, accounts, nowMs, onAlarm } = this.#parts;
    const fired: Protection = { ...protection, fired: { ...trigger, atMs: nowMs() } };
    this.#refused.delete(keyInWords(protection));
    book.put(fired);
    // On disk first: a stop that was reached must not be forgotten, whatever the market does next.
    this.#firing.track(book.written().then(() => this.goOn(fired)));
    const { exchange, account, market, side } = protection;
    const tick = accounts.find(exchange, account)?.tickOf(market);
    const shown = trigger.by === 'take-profit' ? shownTarget : shownStop;
    onAlarm?.(
      `protection ${keyInWords(protection)} ${trigger.by}`,
      `${describe(protection)} reached its ${WORDS[trigger.by]} at ${toText(shown(trigger.level, side, tick))} and is being closed`,
    );
  }

  /** Takes the next step for a fired protection, unless one is being taken. */
  goOn(protection: Protection): void {
    const { book, monotonicMs, onTrouble } = this.#parts;
    const key = keyInWords(protection);
    const { fired } = protection;
    const isPausing = (this.#refused.get(key)?.untilMs ?? 0) > monotonicMs();
    if (fired === undefined || book.get(protection) !== protection || this.#underWay.has(key) || isPausing) return;
    const work = this.#step(protection, fired.by)
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

  async #step(protection: Protection, by: Trigger['by']): Promise<void> {
    const { book, closer, positionOf, newRequestId, onAlarm } = this.#parts;
    const trade = await closer.find(protection.closeRequestId);
    // Its lane has it, or the periodic look at orders without a clear outcome.
    if (trade && !isFinal(trade.state)) return;
    // In the meantime the position may have been closed, and another one opened.
    if (book.get(protection) !== protection) return;
    const quantity = positionOf(protection)?.quantity ?? ZERO;
    if (quantity === ZERO) return this.#forget(protection);
    if (!trade) return closer.close(protection, { requestId: protection.closeRequestId, by, quantity });
    if (trade.executedQuantity === ZERO) {
      if (!(await closer.isHeld(protection))) {
        onAlarm?.('protection', `${describe(protection)} has no position at the venue any more; its stop is removed`);
        return this.#forget(protection);
      }
      this.#pauseAfter(protection, trade.error);
    }
    // The trade ended and there is still a position: a new trade gets an id of its own, on disk before it is sent.
    if (book.get(protection) === protection) book.put({ ...protection, closeRequestId: newRequestId() });
  }

  #pauseAfter(protection: Protection, error: string | undefined): void {
    const key = keyInWords(protection);
    const times = (this.#refused.get(key)?.times ?? 0) + 1;
    const pauseMs = RETRY_PAUSES_MS[Math.min(times, RETRY_PAUSES_MS.length) - 1] as number;
    this.#refused.set(key, { times, untilMs: this.#parts.monotonicMs() + pauseMs });
    const reason = error === undefined ? '' : `: ${error}`;
    this.#parts.onAlarm?.(
      `protection ${key}`,
      `${describe(protection)} reached its stop but could NOT be closed${reason}. Trying again`,
    );
  }

  #forget(protection: Protection): void {
    this.#refused.delete(keyInWords(protection));
    this.#parts.book.remove(protection);
  }
}

const describe = (name: PositionName): string =>
  `${name.market} ${name.side} on ${accountInWords(name)} (${name.mode})`;
