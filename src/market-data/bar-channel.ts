// One market in one timeframe: takes what an upstream says, in whatever order and with whatever holes, and passes on
// the forming bar and each closed bar exactly once, in order of time, without gaps.
//
//   connecting ──live──▶ live ◀──history has what was missed──┐
//                         │ the upstream is lost, or bars are  │
//                         ▼ missing and history fails          │
//                    reconnecting ─────────────────────────────┘
//
// `due` is the start of the first bar not yet passed on as closed. A bar before it came again and is dropped; a bar
// after it shows that others are missing: those are fetched first, while what comes meanwhile waits in the inbox.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { asError } from '../errors/error-text.ts';
import { backoffMs } from '../timing/backoff.ts';
import type { Timers } from '../timing/timers.ts';
import { wait } from '../timing/wait.ts';
import { MAX_BARS_A_REQUEST } from './bar-archive.ts';
import { type FeedListener, FeedRefusal, type FeedState, type LiveBar } from './bar-feed.ts';
import type { Bar } from './price-source.ts';

const PAUSE = { firstMs: 500, longestMs: 30_000 };
/** After so many tries a history that ends right before the live bar is taken at its word. */
const PATIENT_TRIES = 3;
/** After so many a live bar that history knows nothing of is thought an error and dropped. */
const LAST_TRY = 8;
/** Older ones are dropped: history has them. */
const MAX_INBOX = 100;
/** So many bars from history are passed on before other work has its turn. */
const BARS_A_TURN = 200;

export interface ChannelParts {
  readonly timeframeMs: number;
  readonly history: (fromMs: number, toMs: number) => Promise<readonly Bar[]>;
  readonly follow: (listener: FeedListener) => { close(): void };
  /** Called when a live bar has become final. */
  readonly keep: (bar: Bar) => void;
  readonly onState: (state: FeedState, reason: string | undefined) => void;
  readonly onBar: (bar: LiveBar) => void;
  /** Once, and then nothing more: a FeedRefusal, or the error with which the upstream could not be had at all. */
  readonly onRefused: (refusal: Error) => void;
  readonly warn: (fields: object, message: string) => void;
  readonly nowMs: () => number;
  readonly timers: Timers;
  /** Spreads the tries of many channels that failed at one moment. */
  readonly random: () => number;
}

/** What one look at history came to. `early`: it does not reach the live bar yet. */
type Look = 'done' | 'early';

export class BarChannel {
  state: FeedState = 'connecting';
  reason: string | undefined;
  /** The newest bar passed on, while it is forming. */
  forming: LiveBar | undefined;

  readonly #parts: ChannelParts;
  #upstream: { close(): void } | undefined;
  #upstreamState: FeedState = 'connecting';
  #upstreamReason: string | undefined;
  #due: number | undefined;
  #inbox: LiveBar[] = [];
  #fetching = false;
  #fetchAgain = false;
  /** Whether the upstream was lost and has not come back since. */
  #lost = false;
  /** Whether bars may be missing: at first, and from each loss until history was read. */
  #behind = true;
  #closed = false;
  #endPause: (() => void) | undefined;

  constructor(parts: ChannelParts) {
    this.#parts = parts;
  }

  open(): void {
    // First of all, so that whatever the upstream says at once waits until it is known where to begin.
    this.#fetchMissing();
    try {
      this.#upstream = this.#parts.follow({
        onState: (state, reason) => this.#upstreamSays(state, reason),
        onBar: (bar) => this.#receive(bar),
      });
    } catch (error) {
      queueMicrotask(() => this.#refuse(error as Error));
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#inbox = [];
    this.#endPause?.();
    this.#upstream?.close();
  }

  #upstreamSays(state: FeedState, reason: string | undefined): void {
    if (this.#closed) return;
    this.#upstreamState = state;
    this.#upstreamReason = reason;
    if (state === 'reconnecting') this.#lost = this.#behind = true;
    this.#tell();
    if (state !== 'live' || !this.#lost) return;
    this.#lost = false;
    this.#fetchMissing();
  }

  #tell(reason = this.#upstreamReason): void {
    const isLive = this.#upstreamState === 'live' && !this.#behind;
    const isFirst = this.state === 'connecting' && this.#upstreamState !== 'reconnecting';
    const state = isLive ? 'live' : isFirst ? 'connecting' : 'reconnecting';
    if (state === this.state) return;
    this.state = state;
    this.reason = isLive ? undefined : reason;
    this.#parts.onState(state, this.reason);
  }

  #receive(bar: LiveBar): void {
    if (this.#closed) return;
    if (!this.#fetching) {
      this.#take(bar);
      return;
    }
    const last = this.#inbox.at(-1);
    if (last?.time === bar.time && !last.closed) this.#inbox.pop();
    this.#inbox.push(bar);
    if (this.#inbox.length > MAX_INBOX) this.#inbox.shift();
    // A first bar is worth a look at once, however long history has been failing.
    if (this.#due === undefined) this.#endPause?.();
  }

  #take(bar: LiveBar): void {
    this.#due ??= bar.time;
    if (bar.time > this.#due) {
      this.#inbox.unshift(bar);
      this.#fetchMissing();
    } else if (bar.time === this.#due) {
      if (bar.closed) this.#parts.keep(bar);
      this.#pass(bar);
    }
  }

  #pass(bar: LiveBar): void {
    if (bar.closed) this.#due = bar.time + this.#parts.timeframeMs;
    this.forming = bar.closed ? undefined : bar;
    this.#parts.onBar(bar);
  }

  #fetchMissing(): void {
    if (this.#fetching) {
      this.#fetchAgain = true;
      return;
    }
    this.#fetching = true;
    this.#fetch().catch((error: unknown) => this.#refuse(error as Error));
  }

  /** Rejects with a refusal only. */
  async #fetch(): Promise<void> {
    for (let tries = 0; ; ) {
      this.#fetchAgain = false;
      const look = await this.#look(tries);
      if (this.#closed) return;
      if (look === 'done' && !this.#fetchAgain) break;
      if (look === 'done') continue;
      tries += 1;
      this.#behind = true;
      this.#tell(look === 'early' ? 'the history of the venue lags behind' : look.message);
      await this.#pause(tries);
      if (this.#closed) return;
    }
    this.#fetching = false;
    this.#behind = this.#lost;
    this.#tell();
    while (!this.#fetching && !this.#closed && this.#inbox.length > 0) this.#take(this.#inbox.shift() as LiveBar);
  }

  async #look(tries: number): Promise<Look | Error> {
    try {
      return this.#due === undefined ? await this.#findStart() : await this.#catchUp(this.#due, tries);
    } catch (error) {
      if (error instanceof FeedRefusal) throw error;
      // Live bars are here and history is not: they are shown. Nothing before them was promised to anybody.
      if (this.#due === undefined && this.#inbox.length > 0) return 'done';
      if (tries === 0) this.#parts.warn({ err: error }, 'bars are missing and cannot be fetched yet');
      return asError(error);
    }
  }

  /** The bar that is forming now, by the venue's word: from it on nothing will be missed. */
  async #findStart(): Promise<Look> {
    const { timeframeMs, history, nowMs } = this.#parts;
    const now = nowMs();
    const bars = await history(Math.max(0, now - 2 * timeframeMs), now + timeframeMs);
    const last = bars.at(-1);
    if (this.#closed || last === undefined) return 'done';
    this.#due = last.time;
    this.#pass({ ...last, closed: false });
    return 'done';
  }

  async #catchUp(due: number, tries: number): Promise<Look> {
    const { timeframeMs, history, nowMs, warn } = this.#parts;
    this.#inbox = this.#inbox.filter((bar) => bar.time >= due);
    const next = this.#inbox.find((bar) => bar.time > due)?.time;
    const end = (next ?? nowMs()) + timeframeMs;
    const from = Math.max(due, end - MAX_BARS_A_REQUEST * timeframeMs);
    if (from > due)
      warn({ from: due, to: from }, 'more bars were missed than one request holds; the oldest are left out');
    if (from >= end) return 'done';
    const bars = await history(from, end);
    const last = bars.at(-1);
    // The last bar of an answer may still be forming, unless a live bar after it is known.
    const isPatient = next !== undefined && last?.time === next - timeframeMs && tries >= PATIENT_TRIES;
    await this.#passHistory(bars, isPatient);
    if (next === undefined || isPatient || (last !== undefined && last.time >= next)) return 'done';
    if (tries < LAST_TRY) return 'early';
    warn({ time: next }, 'history knows nothing of a live bar; the bar was dropped');
    this.#inbox = this.#inbox.filter((bar) => bar.time !== next);
    return 'done';
  }

  async #passHistory(bars: readonly Bar[], isLastFinal: boolean): Promise<void> {
    for (const [index, bar] of bars.entries()) {
      if (index > 0 && index % BARS_A_TURN === 0) await nextTurn();
      if (this.#closed) return;
      // Also past a hole: the venue has shown a later bar, so the market was silent there.
      this.#due = bar.time;
      this.#pass({ ...bar, closed: index < bars.length - 1 || isLastFinal });
    }
  }

  #refuse(refusal: Error): void {
    if (this.#closed) return;
    this.close();
    this.#parts.onRefused(refusal);
  }

  #pause(tries: number): Promise<void> {
    const { timers, random } = this.#parts;
    const end = new AbortController();
    this.#endPause = () => end.abort();
    return wait(backoffMs(PAUSE, tries, random), { stop: end.signal, timers });
  }
}
