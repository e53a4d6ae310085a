// Asks a venue's public HTTP interface: bounded in time, size and number, and silent for as long as the venue wants it.

import { FeedRefusal } from '../../market-data/bar-feed.ts';
import { backoffMs } from '../../timing/backoff.ts';
import { Semaphore } from '../../timing/semaphore.ts';
import { foregroundTimers } from '../../timing/timers.ts';
import { wait } from '../../timing/wait.ts';
import { HostSilences, type Silence } from '../host-silences.ts';
import { AnswerTooLong, readText, retryAfterMs } from '../read-response.ts';
import { type FeedOptions, type Pacing, pacingOf } from './feed-options.ts';
import { UpstreamError } from './upstream-error.ts';

/**
 * What a venue's JSON answer means. `busy`: too many requests, said in the body. `refusal`: asking again will not help.
 * `fault`: the venue's own words about anything else.
 */
export type Verdict = 'fine' | 'busy' | { readonly refusal: string } | { readonly fault: string };

export interface AskerOptions extends FeedOptions {
  readonly title: string;
  readonly restUrl: string;
  /** How long a ban that does not say so lasts. */
  readonly banMs?: number;
  judge(status: number, body: unknown): Verdict;
  /** How long to spare the venue after an answer, from its headers: 0 to go on. Urgent questions are asked all the same. */
  restAfter?(headers: Headers): number;
}

type Query = Readonly<Record<string, string | number>>;

export interface Asker {
  ask(path: string, query?: Query, urgency?: 'urgent'): Promise<unknown>;
  /** Ends every request under way. */
  close(): void;
}

const MAX_AT_ONCE = 6;
/** More callers than this are not helped by waiting. */
const MAX_WAITING = 500;
const MAX_TRIES = 3;
/** A venue that says "too many" without saying for how long. */
const DEFAULT_REST_MS = 2_000;
/** Of a ban that does not say for how long; no 403 does. */
const BANNED_REST_MS = 60_000;
/** Of a venue that has trouble of its own. */
const MAX_REST_MS = 3_600_000;
const MAX_WORDS_CHARS = 200;

/** Not a failure yet: another try may help. */
class Passing extends Error {
  readonly waitMs: number;
  constructor(message: string, waitMs = 0) {
    super(message);
    this.waitMs = waitMs;
  }
}

export const createAsker = (options: AskerOptions): Asker => new RestAsker(options);

class RestAsker implements Asker {
  readonly #options: AskerOptions;
  readonly #pacing: Pacing;
  readonly #turns: Semaphore;
  readonly #closing = new AbortController();
  /** Nothing at all is sent before the later of these: the venue has asked for silence, its address or these questions alone. */
  readonly #silence: Silence;
  #quietUntilMs = Number.NEGATIVE_INFINITY;
  /** Only urgent questions are asked before this: the venue's limit is nearly used up. */
  #spareUntilMs = Number.NEGATIVE_INFINITY;

  constructor(options: AskerOptions) {
    this.#options = options;
    this.#pacing = pacingOf(options);
    this.#silence = (options.silences ?? new HostSilences(options.monotonicMs)).of(options.restUrl);
    const maxWaitMs = this.#pacing.askBudgetMs;
    this.#turns = new Semaphore({ atOnce: MAX_AT_ONCE, maxWaiting: MAX_WAITING, maxWaitMs });
  }

  async ask(path: string, query: Query = {}, urgency?: 'urgent'): Promise<unknown> {
    const { title, restUrl } = this.#options;
    if (this.#closing.signal.aborted) throw stopping(title);
    const url = new URL(`${restUrl.replace(/\/+$/, '')}${path}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
    const leave = await this.#turns.enter();
    if (typeof leave === 'string')
      throw new UpstreamError(`too many questions wait for ${title}; try again in a moment`);
    try {
      return await this.#askWithRetries(url, urgency === 'urgent');
    } finally {
      leave();
    }
  }

  close(): void {
    this.#closing.abort();
  }

  async #askWithRetries(url: URL, isUrgent: boolean): Promise<unknown> {
    const { title, monotonicMs, random } = this.#options;
    const deadlineMs = monotonicMs() + this.#pacing.askBudgetMs;
    for (let tries = 1; ; tries += 1) {
      await this.#waitForQuiet(deadlineMs, isUrgent);
      try {
        return await this.#askOnce(url);
      } catch (error) {
        if (this.#closing.signal.aborted) throw stopping(title);
        if (!(error instanceof Passing)) throw error;
        const waitMs = Math.max(error.waitMs, backoffMs(this.#pacing.retry, tries, random));
        if (tries >= MAX_TRIES || monotonicMs() + waitMs > deadlineMs)
          throw new UpstreamError(`${title} ${error.message}; try again later`);
        await this.#rest(waitMs);
      }
    }
  }

  /** Nothing is sent while the venue wants silence; whoever cannot wait that long hears so at once. */
  async #waitForQuiet(deadlineMs: number, isUrgent: boolean): Promise<void> {
    const { title, monotonicMs } = this.#options;
    for (;;) {
      const quietUntilMs = Math.max(this.#quietUntilMs, this.#silence.untilMs());
      const untilMs = isUrgent ? quietUntilMs : Math.max(quietUntilMs, this.#spareUntilMs);
      const waitMs = untilMs - monotonicMs();
      if (waitMs <= 0) return;
      if (untilMs > deadlineMs)
        throw new UpstreamError(
          `${title} answers no requests from here for another ${Math.ceil(waitMs / 1000)} s: there were too many; try again then`,
        );
      await this.#rest(waitMs);
    }
  }

  async #rest(waitMs: number): Promise<void> {
    const { signal } = this.#closing;
    await wait(Math.ceil(waitMs), { stop: signal, timers: foregroundTimers });
    if (signal.aborted) throw stopping(this.#options.title);
  }

  async #askOnce(url: URL): Promise<unknown> {
    const { title, monotonicMs, nowMs, judge, restAfter, banMs = BANNED_REST_MS } = this.#options;
    const { status, body, headers } = await fetchJson(url, this.#options, this.#pacing, this.#closing.signal);
    this.#spareUntilMs = Math.max(this.#spareUntilMs, monotonicMs() + (restAfter?.(headers) ?? 0));
    const verdict = status === 429 || status === 418 ? 'busy' : judge(status, body);
    const askedMs = retryAfterMs(headers, nowMs());
    if (verdict === 'busy') {
      const restMs = askedMs ?? (status === 403 || status === 418 ? banMs : DEFAULT_REST_MS);
      this.#keepQuiet(restMs);
      throw new Passing('asks for fewer requests', restMs);
    }
    if (verdict === 'fine' && status === 200) return body;
    if (typeof verdict === 'object' && 'refusal' in verdict) throw new FeedRefusal(verdict.refusal);
    if (status >= 500) {
      this.#keepQuiet(Math.min(askedMs ?? 0, MAX_REST_MS));
      throw new Passing(`has trouble of its own (HTTP ${status})`, askedMs);
    }
    if (status === 403 || status === 451) {
      this.#keepQuiet(banMs);
      throw new UpstreamError(
        `${title} does not serve this address (HTTP ${status}): too many requests, or a country it does not serve`,
      );
    }
    const words = typeof verdict === 'object' ? `: ${verdict.fault.slice(0, MAX_WORDS_CHARS)}` : '';
    throw new UpstreamError(`${title} answered HTTP ${status}${words}`);
  }

  #keepQuiet(waitMs: number): void {
    this.#quietUntilMs = Math.max(this.#quietUntilMs, this.#options.monotonicMs() + waitMs);
  }
}

const stopping = (title: string): UpstreamError =>
  new UpstreamError(`the market data of ${title} is being closed: Signalbox is stopping`);

interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

/** Timeouts, broken connections and a 200 that is no JSON throw `Passing`: the same request is worth another try. */
async function fetchJson(url: URL, options: AskerOptions, pacing: Pacing, stop: AbortSignal): Promise<Answer> {
  const { fetch = globalThis.fetch } = options;
  const signal = AbortSignal.any([stop, AbortSignal.timeout(pacing.requestTimeoutMs)]);
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, { signal, redirect: 'error', headers: { accept: 'application/json' } });
    text = await readText(response);
  } catch (error) {
    if (error instanceof AnswerTooLong) throw new UpstreamError(`${options.title} sends too much: ${error.message}`);
    const isLate = error instanceof Error && error.name === 'TimeoutError';
    throw new Passing(isLate ? `did not answer within ${pacing.requestTimeoutMs / 1000} s` : reachFault(error));
  }
  const { status, headers } = response;
  try {
    return { status, headers, body: JSON.parse(text) };
  } catch {
    if (status === 200) throw new Passing('gave an answer that is no JSON');
    return { status, headers, body: undefined };
  }
}

function reachFault(error: unknown): string {
  const { code } = ((error as Error).cause ?? {}) as { code?: unknown };
  return typeof code === 'string' && /^[A-Z_]{1,40}$/.test(code) ? `cannot be reached (${code})` : 'cannot be reached';
}
