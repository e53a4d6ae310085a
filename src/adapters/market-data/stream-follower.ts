// Keeps one WebSocket to a venue: connects, notices when it is dead or dumb, and connects again with growing waits.
//
//   waiting ──slot──▶ connecting ──ready──▶ live
//      ▲                  │                   │
//      └───── lost ◀──────┴───── closed, dead, dumb, refused
//
// `close` ends it from any state. Everything a lost socket still says is ignored.

import { WebSocket } from 'ws';
import { FeedRefusal, type FeedState } from '../../market-data/bar-feed.ts';
import { backoffMs } from '../../timing/backoff.ts';
import type { FeedLog, Pacing } from './feed-options.ts';
import { UpstreamError } from './upstream-error.ts';
import type { StreamPlan, StreamWord } from './venue-protocol.ts';

export interface StreamFollowerOptions {
  readonly title: string;
  readonly pacing: Pacing;
  readonly monotonicMs: () => number;
  readonly random: () => number;
  readonly log: FeedLog;
  /** How long to wait for leave to connect; see ConnectGate. */
  readonly admitMs: () => number;
  readonly plan: () => Promise<StreamPlan>;
  onState(state: FeedState, reason?: string): void;
  onBars(word: Extract<StreamWord, { kind: 'bars' }>): void;
}

/** A kline message has a few hundred bytes. */
const MAX_MESSAGE_BYTES = 1024 * 1024;
const MAX_REASON_CHARS = 200;
/** Far beyond the longest wait: only keeps the power of two from growing for ever. */

export class StreamFollower {
  readonly #options: StreamFollowerOptions;
  readonly #timers = new Set<NodeJS.Timeout>();
  #socket: WebSocket | undefined;
  #closed = false;
  #failures = 0;
  #liveSinceMs: number | undefined;
  #lifeSignMs = 0;
  #lastBarMs = 0;
  #hasComplained = false;

  constructor(options: StreamFollowerOptions) {
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
      this.#lost((error as Error).message, error instanceof FeedRefusal);
    }
  }

  #open(plan: StreamPlan): void {
    const { pacing, title } = this.#options;
    const socket = new WebSocket(plan.url, {
      handshakeTimeout: pacing.connectTimeoutMs,
      maxPayload: MAX_MESSAGE_BYTES,
      perMessageDeflate: false,
      followRedirects: false,
    });
    this.#socket = socket;
    this.#lifeSign();
    this.#later(() => {
      if (this.#liveSinceMs === undefined) this.#lost(`${title} did not confirm the stream in time`);
    }, pacing.connectTimeoutMs);
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
    const { pacing, title, monotonicMs } = this.#options;
    this.#lastBarMs = monotonicMs();
    const check = (): void => {
      const nowMs = monotonicMs();
      if (nowMs - this.#lifeSignMs >= pacing.deadAfterMs) this.#lost(`${title} fell silent`);
      else if (nowMs - this.#lastBarMs >= pacing.barSilenceMs) this.#lost(`${title} sends no bars`);
      else {
        if (ping === undefined) socket.ping();
        else socket.send(ping);
        this.#later(check, pacing.pingEveryMs);
      }
    };
    this.#later(check, pacing.pingEveryMs);
  }

  #hear(plan: StreamPlan, text: string): void {
    let word: StreamWord;
    try {
      word = plan.read(JSON.parse(text));
    } catch (error) {
      this.#complain(error);
      return;
    }
    if (word.kind === 'refused' || word.kind === 'fault') this.#lost(word.reason, word.kind === 'refused');
    else if (word.kind !== 'nothing') this.#live();
    if (word.kind !== 'bars') return;
    this.#lastBarMs = this.#options.monotonicMs();
    this.#options.onBars(word);
  }

  /** Once for each connection: a venue that talks nonsense does so many times a second. */
  #complain(error: unknown): void {
    if (this.#hasComplained) return;
    this.#hasComplained = true;
    const { log, title } = this.#options;
    const why = error instanceof UpstreamError ? error.message : 'it is no JSON, or not in the known form';
    log.warn({ why }, `a message of ${title}'s stream was left out`);
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
    const { pacing, random, monotonicMs, log, title, onState } = this.#options;
    const livedMs = this.#liveSinceMs === undefined ? 0 : monotonicMs() - this.#liveSinceMs;
    this.#dropSocket();
    if (livedMs >= pacing.stableAfterMs) this.#failures = 0;
    this.#failures += 1;
    const { refusedRetryMs } = pacing;
    const backoff = isRefused ? { firstMs: refusedRetryMs, longestMs: refusedRetryMs } : pacing.reconnect;
    const waitMs = backoffMs(backoff, this.#failures, random);
    const words = reason.slice(0, MAX_REASON_CHARS);
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

/** Leave to connect: a number at once, then one every so often, over all streams of a venue. */
export class ConnectGate {
  readonly #burst: number;
  readonly #everyMs: number;
  readonly #monotonicMs: () => number;
  /** When the connections given leave so far would all have had their time. */
  #paidUntilMs = Number.NEGATIVE_INFINITY;

  constructor({ connectBurst, connectEveryMs }: Pacing, monotonicMs: () => number) {
    this.#burst = connectBurst;
    this.#everyMs = connectEveryMs;
    this.#monotonicMs = monotonicMs;
  }

  /** Takes the next place and says how long to wait for it. */
  admitMs(): number {
    const nowMs = this.#monotonicMs();
    const paidUntilMs = Math.max(this.#paidUntilMs, nowMs);
    this.#paidUntilMs = paidUntilMs + this.#everyMs;
    return Math.max(0, paidUntilMs - (this.#burst - 1) * this.#everyMs - nowMs);
  }
}
