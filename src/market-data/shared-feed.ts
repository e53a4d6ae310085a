// One upstream for several processes: one holds each stream and tells the others, and each has its own while nobody can be asked.
//
//   following ── the stream is free ──▶ holding ── it is another's by now ──▶ following
//   following, holding ── nobody can be asked ──▶ alone
//   alone ── the stream is free ──▶ holding
//   alone ── another is heard ──▶ following
//
// Whatever may have been missed on the way is told as `reconnecting` before the next `live`: whoever listens then reads
// the history, as after any loss of an upstream (bar-channel.ts). So a word that is lost, or the death of a holder,
// costs nothing but time.

import { randomUUID } from 'node:crypto';
import { errorText } from '../errors/error-text.ts';
import { every } from '../timing/every.ts';
import type { Timers } from '../timing/timers.ts';
import type { BarFeed, FeedListener, FeedState, LiveBar } from './bar-feed.ts';
import type { BarRelay } from './bar-relay.ts';

/** How often a holder is heard at the least, and how often the others look whether a stream is free. */
const BEAT_MS = 1000;
/** Without a word for so long nothing is known of the market. */
const SILENCE_MS = 3000;

export interface SharedFeedOptions<F extends BarFeed> {
  readonly feed: F;
  readonly relay: BarRelay;
  /** Where the feed comes from: the same in every process that may share it, and in no other. */
  readonly source: string;
  readonly timers: Timers;
  /** Never jumps. */
  readonly monotonicMs: () => number;
}

/** The feed, but for its streams. */
export function shareFeed<F extends BarFeed>(options: SharedFeedOptions<F>): F {
  const { feed } = options;
  const open = new Set<SharedStream>();
  return {
    ...feed,
    follow(market, timeframeMs, listener) {
      // It says why.
      if (!feed.timeframesMs.includes(timeframeMs)) return feed.follow(market, timeframeMs, listener);
      const stream = new SharedStream(options, market, timeframeMs, listener);
      open.add(stream);
      return {
        close() {
          open.delete(stream);
          stream.close();
        },
      };
    },
    close() {
      for (const stream of open) stream.close();
      feed.close();
    },
  };
}

/** What a holder tells: the state of its stream, and a bar. */
interface Word {
  readonly holder: string;
  /** One more than the word before; so nobody misses one without knowing. */
  readonly number: number;
  readonly state: FeedState;
  readonly reason?: string | undefined;
  readonly bar?: LiveBar | undefined;
  /** Nothing new: the bar is the last that was told, for those who come late. */
  readonly isBeat: boolean;
}

class SharedStream {
  readonly #options: SharedFeedOptions<BarFeed>;
  readonly #market: string;
  readonly #timeframeMs: number;
  readonly #listener: FeedListener;
  readonly #name: string;
  readonly #endBeats: () => void;
  readonly #ear: { close(): void };
  #mode: 'following' | 'holding' | 'alone' = 'following';
  #upstream: { close(): void } | undefined;
  /** What was told last, here and to the others. */
  #state: FeedState = 'connecting';
  #reason: string | undefined;
  #lastBar: LiveBar | undefined;
  /** Our own name as a holder, another one each time, and how many words were told under it. */
  #holder = '';
  #told = 0;
  /** The last word of another holder, and when it came. */
  #heard: Pick<Word, 'holder' | 'number'> | undefined;
  #heardMs: number;
  #isLooking = false;
  #isClosed = false;

  constructor(options: SharedFeedOptions<BarFeed>, market: string, timeframeMs: number, listener: FeedListener) {
    const { source, relay, timers, monotonicMs } = options;
    this.#options = options;
    this.#market = market;
    this.#timeframeMs = timeframeMs;
    this.#listener = listener;
    this.#name = `${source} ${market} ${timeframeMs}`;
    this.#heardMs = monotonicMs();
    this.#ear = relay.listen(this.#name, (text) => {
      const word = readWord(text);
      if (word !== undefined) this.#hear(word);
    });
    this.#endBeats = every(BEAT_MS, () => this.#look(), timers);
    queueMicrotask(() => this.#look());
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#endBeats();
    this.#ear.close();
    this.#upstream?.close();
    if (this.#mode === 'holding') this.#options.relay.release(this.#name, this.#holder);
  }

  /** One after the other: an answer may take longer than a beat. */
  #look(): void {
    if (this.#isLooking || this.#isClosed) return;
    if (this.#mode === 'holding') {
      this.#tell({ isBeat: true, bar: this.#lastBar });
      return;
    }
    this.#isLooking = true;
    void this.#claim().finally(() => {
      this.#isLooking = false;
    });
  }

  async #claim(): Promise<void> {
    const { relay, monotonicMs } = this.#options;
    const holder = randomUUID();
    const isOurs = await relay.claim(this.#name, holder);
    if (this.#isClosed) {
      if (isOurs) relay.release(this.#name, holder);
    } else if (isOurs) this.#hold(holder);
    else if (isOurs === undefined) this.#goAlone();
    else if (this.#mode === 'following' && monotonicMs() - this.#heardMs >= SILENCE_MS)
      this.#say('reconnecting', 'nothing is heard from the process that has this stream');
  }

  #hold(holder: string): void {
    this.#mode = 'holding';
    this.#holder = holder;
    this.#told = 0;
    if (this.#openUpstream()) this.#tell({ isBeat: true, bar: this.#lastBar });
    else this.#leave();
  }

  #goAlone(): void {
    if (this.#mode === 'alone' && this.#upstream !== undefined) return;
    this.#mode = 'alone';
    this.#openUpstream();
  }

  /** False where there can be none now; it is tried again with the next beat. */
  #openUpstream(): boolean {
    if (this.#upstream !== undefined) return true;
    if (this.#state !== 'connecting') this.#say('reconnecting', 'another process had this stream');
    this.#heard = undefined;
    try {
      this.#upstream = this.#options.feed.follow(this.#market, this.#timeframeMs, {
        onState: (state, reason) => {
          this.#say(state, reason);
          this.#tell({ isBeat: false });
        },
        onBar: (bar) => {
          this.#lastBar = bar;
          this.#listener.onBar(bar);
          this.#tell({ isBeat: false, bar });
        },
      });
      return true;
    } catch (error) {
      this.#say('reconnecting', errorText(error));
      return false;
    }
  }

  /** Another process may have the stream. */
  #leave(): void {
    this.#options.relay.release(this.#name, this.#holder);
    this.#follow();
  }

  #follow(): void {
    this.#mode = 'following';
    this.#upstream?.close();
    this.#upstream = undefined;
    this.#lastBar = undefined;
    this.#heard = undefined;
    this.#heardMs = this.#options.monotonicMs();
  }

  #tell(word: Pick<Word, 'isBeat' | 'bar'>): void {
    if (this.#mode !== 'holding' || this.#isClosed) return;
    this.#told += 1;
    const holder = this.#holder;
    const whole: Word = { holder, number: this.#told, state: this.#state, reason: this.#reason, ...word };
    const told = this.#options.relay.tell(this.#name, holder, JSON.stringify(whole));
    void Promise.resolve(told).then((isOurs) => {
      if (this.#isClosed || this.#mode !== 'holding' || this.#holder !== holder || isOurs === true) return;
      if (isOurs === undefined) this.#goAlone();
      else {
        this.#follow();
        this.#say('reconnecting', 'another process has this stream now');
      }
    });
  }

  #hear(word: Word): void {
    if (this.#isClosed || this.#mode === 'holding') return;
    if (this.#mode === 'alone') this.#follow();
    const isNext = this.#heard?.holder === word.holder && this.#heard.number + 1 === word.number;
    this.#heard = { holder: word.holder, number: word.number };
    this.#heardMs = this.#options.monotonicMs();
    if (!isNext && this.#state === 'live') this.#say('reconnecting', 'words of another process were missed');
    this.#say(word.state, word.reason);
    if (word.bar !== undefined && !(word.isBeat && isNext)) this.#listener.onBar(word.bar);
  }

  #say(state: FeedState, reason: string | undefined): void {
    if (state === this.#state && reason === this.#reason) return;
    // To begin anew is no beginning for whoever has heard bars already.
    if (state === 'connecting') return;
    this.#state = state;
    this.#reason = reason;
    this.#listener.onState(state, reason);
  }
}

const STATES: readonly unknown[] = ['connecting', 'live', 'reconnecting'] satisfies FeedState[];

/** Undefined where it is none of ours. */
function readWord(text: string): Word | undefined {
  try {
    const word = JSON.parse(text) as Word;
    const { time, open, high, low, close, volume } = word.bar ?? NO_BAR;
    const isBar = [time, open, high, low, close, volume].every(Number.isFinite);
    return isBar && typeof word.holder === 'string' && Number.isInteger(word.number) && STATES.includes(word.state)
      ? word
      : undefined;
  } catch {
    return undefined;
  }
}

const NO_BAR: Omit<LiveBar, 'closed'> = { time: 0, open: 0, high: 0, low: 0, close: 0, volume: 0 };
