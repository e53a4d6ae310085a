// Asks a venue's public HTTP interface: bounded in time, size and number, and silent for as long as the venue wants it.

import { FeedRefusal } from '../../market-data/bar-feed.ts';
import { backoffMs } from '../../timing/backoff.ts';
import { wait } from '../../timing/wait.ts';
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
  judge(status: number, body: unknown): Verdict;
  /** How long to spare the venue after an answer, from its headers: 0 to go on. Urgent questions are asked all the same. */
  restAfter?(headers: Headers): number;
}

export interface Asker {
  ask(path: string, query?: Readonly<Record<string, string | number>>, urgency?: 'urgent'): Promise<unknown>;
  /** Ends every request under way. */
  close(): void;
}

/** The longest answer, a list of all contracts, has about two. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
const MAX_AT_ONCE = 6;
/** More callers than this are not helped by waiting. */
const MAX_WAITING = 500;
const MAX_TRIES = 3;
/** A venue that says "too many" without saying for how long. */
const DEFAULT_REST_MS = 2_000;
/** Bans last minutes and grow with every request sent into them; no answer says how long a 403 lasts. */
const BANNED_REST_MS = 60_000;
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

export function createAsker(options: AskerOptions): Asker {
  const { title, restUrl, monotonicMs, random } = options;
  const pacing = pacingOf(options);
  const closing = new AbortController();
  const turns = createTurns(title, pacing.askBudgetMs);
  let quietUntilMs = Number.NEGATIVE_INFINITY;
  let spareUntilMs = Number.NEGATIVE_INFINITY;
  const keepQuiet = (waitMs: number): void => {
    quietUntilMs = Math.max(quietUntilMs, monotonicMs() + Math.min(waitMs, MAX_REST_MS));
  };

  /** Nothing is sent while the venue wants silence; who cannot wait that long hears so at once. */
  async function waitForQuiet(deadlineMs: number, isUrgent: boolean): Promise<void> {
    for (;;) {
      const untilMs = isUrgent ? quietUntilMs : Math.max(quietUntilMs, spareUntilMs);
      const waitMs = untilMs - monotonicMs();
      if (waitMs <= 0) return;
      if (untilMs > deadlineMs)
        throw new UpstreamError(
          `${title} answers no requests from here for another ${Math.ceil(waitMs / 1000)} s: there were too many; try again then`,
        );
      await rest(waitMs);
    }
  }

  const rest = async (waitMs: number): Promise<void> => {
    await wait(Math.ceil(waitMs), { stop: closing.signal });
    if (closing.signal.aborted) throw stopping(title);
  };

  async function askOnce(url: URL): Promise<unknown> {
    const { status, body, headers } = await fetchJson(url, options, pacing, closing.signal);
    spareUntilMs = Math.max(spareUntilMs, monotonicMs() + (options.restAfter?.(headers) ?? 0));
    const verdict = status === 429 || status === 418 ? 'busy' : options.judge(status, body);
    const askedMs = retryAfterMs(headers, options.nowMs());
    if (verdict === 'busy') {
      keepQuiet(askedMs ?? DEFAULT_REST_MS);
      throw new Passing('asks for fewer requests', askedMs ?? DEFAULT_REST_MS);
    }
    if (verdict === 'fine' && status === 200) return body;
    if (typeof verdict === 'object' && 'refusal' in verdict) throw new FeedRefusal(verdict.refusal);
    if (status >= 500) {
      keepQuiet(askedMs ?? 0);
      throw new Passing(`has trouble of its own (HTTP ${status})`, askedMs);
    }
    if (status === 403 || status === 451) {
      keepQuiet(BANNED_REST_MS);
      throw new UpstreamError(
        `${title} does not serve this address (HTTP ${status}): too many requests, or a country it does not serve`,
      );
    }
    const words = typeof verdict === 'object' ? `: ${verdict.fault.slice(0, MAX_WORDS_CHARS)}` : '';
    throw new UpstreamError(`${title} answered HTTP ${status}${words}`);
  }

  async function askWithRetries(url: URL, isUrgent: boolean): Promise<unknown> {
    const deadlineMs = monotonicMs() + pacing.askBudgetMs;
    for (let tries = 1; ; tries += 1) {
      await waitForQuiet(deadlineMs, isUrgent);
      try {
        return await askOnce(url);
      } catch (error) {
        if (closing.signal.aborted) throw stopping(title);
        if (!(error instanceof Passing)) throw error;
        const waitMs = Math.max(error.waitMs, backoffMs(pacing.retry, tries, random));
        if (tries >= MAX_TRIES || monotonicMs() + waitMs > deadlineMs)
          throw new UpstreamError(`${title} ${error.message}; try again later`);
        await rest(waitMs);
      }
    }
  }

  return {
    async ask(path, query = {}, urgency) {
      if (closing.signal.aborted) throw stopping(title);
      const url = new URL(`${restUrl.replace(/\/+$/, '')}${path}`);
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
      const leave = await turns();
      try {
        return await askWithRetries(url, urgency === 'urgent');
      } finally {
        leave();
      }
    },
    close: () => closing.abort(),
  };
}

const stopping = (title: string): UpstreamError =>
  new UpstreamError(`the market data of ${title} is being closed: Signalbox is stopping`);

/** At most so many at once, the others in the order they came; nobody waits longer than for an answer. */
function createTurns(title: string, longestMs: number): () => Promise<() => void> {
  const waiting = new Set<() => void>();
  let underWay = 0;
  const leave = (): void => {
    const [next] = waiting;
    if (next) next();
    else underWay -= 1;
  };
  const tooMany = (): UpstreamError => new UpstreamError(`too many questions wait for ${title}; try again in a moment`);
  const waitForTurn = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const go = (): void => {
        clearTimeout(timer);
        waiting.delete(go);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.delete(go);
        reject(tooMany());
      }, longestMs);
      waiting.add(go);
    });
  return async () => {
    if (underWay < MAX_AT_ONCE) underWay += 1;
    else if (waiting.size >= MAX_WAITING) throw tooMany();
    else await waitForTurn();
    return leave;
  };
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

/** Every way of not answering is Passing; an error page is no answer either. */
async function fetchJson(url: URL, options: AskerOptions, pacing: Pacing, stop: AbortSignal): Promise<Answer> {
  const { fetch = globalThis.fetch } = options;
  const signal = AbortSignal.any([stop, AbortSignal.timeout(pacing.requestTimeoutMs)]);
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, { signal, redirect: 'error', headers: { accept: 'application/json' } });
    text = await readText(response);
  } catch (error) {
    if (error instanceof UpstreamError) throw error;
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

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES)
      throw new UpstreamError(
        `an answer of more than ${MAX_ANSWER_BYTES / 1024 / 1024} MiB from ${response.url} was cut off`,
      );
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Seconds, or a date. */
function retryAfterMs(headers: Headers, nowMs: number): number | undefined {
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  const waitMs = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  return Number.isFinite(waitMs) ? Math.max(0, waitMs) : undefined;
}
