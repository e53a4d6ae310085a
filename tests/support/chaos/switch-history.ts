// When the kill switch was on, as whoever threw it knows: for certain between two answers, possibly from the first question to the last
// answer. And whether every process went by it.

import { type Finding, finding } from '../nothing-lost.ts';
import type { TimedSignal } from '../senders.ts';

export type SwitchScope = 'all' | 'entries';

export interface SwitchSpan {
  readonly scope: SwitchScope;
  /** It was asked for; absent ends lie in the future. */
  readonly askedMs: number;
  onMs: number;
  liftedMs: number;
  offMs: number;
}

export class SwitchHistory {
  readonly #spans: SwitchSpan[] = [];
  readonly #nowMs: () => number;

  constructor(nowMs: () => number = Date.now) {
    this.#nowMs = nowMs;
  }

  asked(scope: SwitchScope): void {
    const never = Number.POSITIVE_INFINITY;
    this.#spans.push({ scope, askedMs: this.#nowMs(), onMs: never, liftedMs: never, offMs: never });
  }

  /** Every process must go by it from now on. */
  on(): void {
    this.#last.onMs = this.#nowMs();
  }

  /** Somebody asks for it to be lifted. */
  lifted(): void {
    this.#last.liftedMs = this.#nowMs();
  }

  off(): void {
    this.#last.offMs = this.#nowMs();
  }

  /** Whether it can have been on at that moment. */
  mayStopAt(realMs: number, isEntry: boolean): boolean {
    return this.#spans.some(
      ({ scope, askedMs, offMs }) => realMs >= askedMs && realMs <= offMs && (isEntry || scope === 'all'),
    );
  }

  /** Signals that were sent while it was on for certain, and answered before anybody lifted it: none of them may be taken. */
  check(sent: readonly TimedSignal[]): Finding[] {
    return sent.flatMap(({ body, idempotencyKey, answer, sentAtMs, answeredAtMs }) => {
      if (answer === undefined || answer.status >= 300) return [];
      const isEntry = !JSON.parse(body).action.startsWith('CLOSE_');
      const passed = this.#spans.some(
        ({ scope, onMs, liftedMs }) => sentAtMs >= onMs && answeredAtMs <= liftedMs && (isEntry || scope === 'all'),
      );
      return passed ? [finding('other', `${idempotencyKey} was taken while the kill switch was on`)] : [];
    });
  }

  get #last(): SwitchSpan {
    const span = this.#spans.at(-1);
    if (span === undefined) throw new Error('nobody has asked for a kill switch');
    return span;
  }
}
