// Keeps one WebSocket to a venue: connects, notices when it is dead or dumb, and connects again with growing waits.
//
//   waiting ──slot──▶ connecting ──ready──▶ live
//      ▲                  │                   │
//      └───── lost ◀──────┴───── closed, dead, dumb, refused
//
// `close` ends it from any state. Everything a lost socket still says is ignored.

import { WebSocket } from 'ws';
import { errorText } from '../errors/error-text.ts';
import { type Backoff, backoffMs } from '../timing/backoff.ts';
import { plainWords } from './plain-words.ts';

/** What a text from the socket means. */
export type StreamWord<News> =
  | { readonly kind: 'ready' }
  | { readonly kind: 'news'; readonly news: News }
  /** The venue wants to be told this before it goes on. */
  | { readonly kind: 'answer'; readonly text: string }
  /** Asking again will not help, or not soon. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Something went wrong there: connect anew. */
  | { readonly kind: 'fault'; readonly reason: string }
  | { readonly kind: 'nothing' };

export interface StreamPlan<News> {
  readonly url: string;
  /** Sent once the socket is open; a venue that needs none is ready at once. */
  readonly subscribe?: string;
  /** Sent as a text every so often; else the protocol's own ping frame. */
  readonly ping?: string;
  /** Throws for a message that makes no sense. */
  read(message: unknown): StreamWord<News>;
}

export interface StreamPace {
  /** From opening the socket to the first word that news will come. */
  readonly connectTimeoutMs: number;
  /** MEXC hangs up after 60 s without one, Bybit asks for one every 20 s. */
  readonly pingEveryMs: number;
  /** No sign of life at all, two pings long: the connection is dead whatever the operating system believes. */
  readonly deadAfterMs: number;
  /** Between connections. */
  readonly reconnect: Backoff;
  /** A connection that lived this long was a good one: the waits start small again. */
  readonly stableAfterMs: number;
  /** What was refused is asked for again this seldom. */
  readonly refusedRetryMs: number;
}

export type StreamState = 'connecting' | 'live' | 'reconnecting';

export interface StreamFollowerOptions<News> {
  readonly title: string;
  readonly pace: StreamPace;
  /** Pings are answered but no news come: the subscription may be lost, so it is made anew. Absent where silence is usual. */
  readonly newsSilenceMs?: number;
  readonly monotonicMs: () => number;
  readonly random: () => number;
  readonly log: { warn(fields: object, message: string): void };
  /** How long to wait for leave to connect; see ConnectGate. */
  readonly admitMs: () => number;
  /** Asked before every connection. */
  readonly plan: () => Promise<StreamPlan<News>>;
  /** Of an error of `plan`: asking again soon will not help. */
  readonly isRefused?: (error: unknown) => boolean;
  onState(state: StreamState, reason?: string): void;
  onNews(news: News): void;
}

/** Most messages have a few hundred bytes. */
const MAX_MESSAGE_BYTES = 1024 * 1024;
const MAX_REASON_CHARS = 200;

export class StreamFollower<News> {
  readonly #options: StreamFollowerOptions<News>;
  readonly #timers = new Set<NodeJS.Timeout>();
  #socket: WebSocket | undefined;
  #closed = false;
  #failures = 0;
  #liveSinceMs: number | undefined;
  #lifeSignMs = 0;
  #lastNewsMs = 0;
  #hasComplained = false;

  constructor(options: StreamFollowerOptions<News>) {
    this.#options = options;
    queueMicrotask(() => {
      if (this.#closed) return;
      options.onState('connecting');
      this.#wait();
    });
  }

  close(): void {
    this.#closed = true;
    this.#dropSocket();
  }

  #wait(): void {
    this.#later(() => void this.#connect(), this.#options.admitMs());
  }

  async #connect(): Promise<void> {
    try {
      const plan = await this.#options.plan();
      if (!this.#closed) this.#open(plan);
    } catch (error) {
      this.#lost((error as Error).message, this.#options.isRefused?.(error) ?? false);
    }
  }

  #open(plan: StreamPlan<News>): void {
    const { pace, title } = this.#options;
    const socket = new WebSocket(plan.url, {
      handshakeTimeout: pace.connectTimeoutMs,
      maxPayload: MAX_MESSAGE_BYTES,
      perMessageDeflate: false,
      followRedirects: false,
    });
    this.#socket = socket;
    this.#lifeSign();
    this.#later(() => {
      if (this.#liveSinceMs === undefined) this.#lost(`${title} did not confirm the stream in time`);
    }, pace.connectTimeoutMs);
    socket.on('open', () => {
      if (plan.subscribe === undefined) this.#live();
      else socket.send(plan.subscribe);
      this.#keepAlive(socket, plan.ping);
    });
    socket.on('message', (data, isBinary) => {
      this.#lifeSign();
      if (!isBinary) this.#hear(plan, String(data));
    });
    socket.on('ping', () => this.#lifeSign());
    socket.on('pong', () => this.#lifeSign());
    socket.on('error', (error) => this.#lost(`${title} cannot be reached: ${error.message}`));
    socket.on('close', (code) => this.#lost(`${title} closed the stream (code ${code})`));
  }

  #keepAlive(socket: WebSocket, ping: string | undefined): void {
    const { pace, title, monotonicMs, newsSilenceMs = Number.POSITIVE_INFINITY } = this.#options;
    this.#lastNewsMs = monotonicMs();
    const check = (): void => {
      const nowMs = monotonicMs();
      if (nowMs - this.#lifeSignMs >= pace.deadAfterMs) this.#lost(`${title} fell silent`);
      else if (nowMs - this.#lastNewsMs >= newsSilenceMs) this.#lost(`${title} sends nothing any more`);
      else {
        if (ping === undefined) socket.ping();
        else socket.send(ping);
        this.#later(check, pace.pingEveryMs);
      }
    };
    this.#later(check, pace.pingEveryMs);
  }

  #hear(plan: StreamPlan<News>, text: string): void {
    let word: StreamWord<News>;
    try {
      word = plan.read(JSON.parse(text));
    } catch (error) {
      this.#complain(error);
      return;
    }
    if (word.kind === 'refused' || word.kind === 'fault') this.#lost(word.reason, word.kind === 'refused');
    else if (word.kind === 'answer') this.#socket?.send(word.text);
    else if (word.kind !== 'nothing') this.#live();
    if (word.kind !== 'news') return;
    this.#lastNewsMs = this.#options.monotonicMs();
    this.#options.onNews(word.news);
  }

  /** Once for each connection: a venue that talks nonsense does so many times a second. */
  #complain(error: unknown): void {
    if (this.#hasComplained) return;
    this.#hasComplained = true;
    const { log, title } = this.#options;
    log.warn({ why: errorText(error) }, `a message of ${title}'s stream was left out`);
  }

  #live(): void {
    if (this.#liveSinceMs !== undefined) return;
    this.#liveSinceMs = this.#options.monotonicMs();
    this.#options.onState('live');
  }

  #lifeSign(): void {
    this.#lifeSignMs = this.#options.monotonicMs();
  }

  #lost(reason: string, isRefused = false): void {
    if (this.#closed) return;
    const { pace, random, monotonicMs, log, title, onState } = this.#options;
    const livedMs = this.#liveSinceMs === undefined ? 0 : monotonicMs() - this.#liveSinceMs;
    this.#dropSocket();
    if (livedMs >= pace.stableAfterMs) this.#failures = 0;
    this.#failures += 1;
    const { refusedRetryMs } = pace;
    const backoff = isRefused ? { firstMs: refusedRetryMs, longestMs: refusedRetryMs } : pace.reconnect;
    const waitMs = backoffMs(backoff, this.#failures, random);
    const words = plainWords(reason).slice(0, MAX_REASON_CHARS);
    log.warn({ reason: words, failures: this.#failures, waitMs: Math.round(waitMs) }, `the stream of ${title} is lost`);
    onState('reconnecting', words);
    this.#later(() => this.#wait(), waitMs);
  }

  #dropSocket(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    this.#liveSinceMs = undefined;
    this.#hasComplained = false;
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.removeAllListeners();
    // Ending a socket that still connects is reported as an error of that socket.
    socket?.on('error', () => {});
    socket?.terminate();
  }

  #later(run: () => void, delayMs: number): void {
    if (this.#closed) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, delayMs);
    this.#timers.add(timer);
  }
}
