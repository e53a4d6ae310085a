// Sends requests to one venue for one account, and tells apart what may have happened: not sent, unknown, refused.
//
// | what comes back                                   | means                                                     |
// |---------------------------------------------------|-----------------------------------------------------------|
// | no connection, no such host                       | not sent                                                  |
// | silence, a broken connection, an answer that is no JSON | unknown: it may have arrived                        |
// | the venue's own code                              | what its adapter says, see `RefusalMeaning`               |
// | "your clock is wrong"                             | refused unseen: the venue's time is read, and it is sent once more |

import { errorText } from '../../errors/error-text.ts';
import { VenueError } from '../../trading/venue.ts';
import { parseLossless } from './lossless-json.ts';
import type { RequestLimit, RequestLimits } from './request-limits.ts';
import type { SectionUrls, SignedRequest, Signer } from './signer.ts';
import { isRefusal, type VenueCall, type VenueRefusal } from './venue-call.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Numbers are texts, see lossless-json.ts. */
  readonly body: unknown;
}

/** How one venue speaks, as far as every request is concerned. */
export interface VenueDialect {
  /** As people write it: Binance. */
  readonly title: string;
  /** Where it is; some venues have no testnet. */
  readonly baseUrls: { readonly live: string; readonly testnet?: string };
  /** Of its private streams. */
  readonly streamUrls: { readonly live: string; readonly testnet?: string };
  /** Their path, where the venue is at another address than its own. */
  readonly streamPath: string;
  sectionUrls(baseUrl: string): SectionUrls;
  readonly limits: readonly RequestLimit[];
  /** A request that arrives later than this after its timestamp is refused: then it can never take effect. */
  readonly receiveWindowMs: number;
  /** Undefined for an answer that grants what was asked for. */
  refusalOf(answer: Answer): VenueRefusal | undefined;
  /** How long it wants silence after an answer that says "too many"; undefined where it does not say. */
  pauseMsAfter(answer: Answer, venueNowMs: number): number | undefined;
  /** Takes the venue's own counts of its limits from an answer. */
  learnLimits(answer: Answer, limits: RequestLimits, call: VenueCall): void;
  /** Its own time, asked for without a signature. */
  readonly clock: { readonly call: VenueCall; read(body: unknown): number };
}

export interface VenueClientOptions {
  readonly dialect: VenueDialect;
  readonly signer: Pick<Signer, 'sign'>;
  readonly limits: RequestLimits;
  readonly timeoutMs: number;
  readonly nowMs: () => number;
  readonly fetch?: typeof globalThis.fetch;
}

/** The request has not left this machine, or found nobody. Anything else may have arrived. */
const NOT_SENT_CODES = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);
/** Too many requests, and banned for it; the third is what a firewall before the venue says. */
const TOO_MANY_STATUSES = new Set([429, 418, 403]);
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
/** A venue that says "too many" without saying for how long. */
const DEFAULT_PAUSE_MS = 2_000;

export class VenueClient {
  readonly #options: VenueClientOptions;
  readonly #closing = new AbortController();
  /** The venue's clock minus ours; undefined until it was read. */
  #clockOffsetMs: number | undefined;
  #readingClock: Promise<number> | undefined;

  constructor(options: VenueClientOptions) {
    this.#options = options;
  }

  get title(): string {
    return this.#options.dialect.title;
  }

  /** Sends it and resolves with the body of the answer; rejects with a VenueError. */
  async send(call: VenueCall): Promise<unknown> {
    const offsetMs = this.#clockOffsetMs ?? (await this.readClock());
    try {
      return await this.#sendOnce(call, offsetMs);
    } catch (error) {
      if (!isRefusal(error, 'clock')) throw error;
      return this.#sendOnce(call, await this.readClock());
    }
  }

  /** How far the venue's clock is ahead of ours. One question at a time, whoever asks. */
  readClock(): Promise<number> {
    this.#readingClock ??= this.#askClock().finally(() => {
      this.#readingClock = undefined;
    });
    return this.#readingClock;
  }

  /** Ends every request under way. */
  close(): void {
    this.#closing.abort();
  }

  async #askClock(): Promise<number> {
    const { dialect, nowMs } = this.#options;
    const beganMs = nowMs();
    const venueMs = dialect.clock.read(await this.#sendOnce(dialect.clock.call, 0));
    const endedMs = nowMs();
    this.#clockOffsetMs = venueMs - Math.round((beganMs + endedMs) / 2);
    return this.#clockOffsetMs;
  }

  async #sendOnce(call: VenueCall, offsetMs: number): Promise<unknown> {
    const { dialect, limits, signer, nowMs } = this.#options;
    await limits.take(call.cost);
    // Signed after the wait: a request that has grown old in it would be refused.
    const answer = await this.#fetch(signer.sign(call, nowMs() + offsetMs));
    dialect.learnLimits(answer, limits, call);
    const refusal = dialect.refusalOf(answer);
    if (TOO_MANY_STATUSES.has(answer.status) || refusal?.meaning === 'busy') {
      const pauseMs = dialect.pauseMsAfter(answer, nowMs() + offsetMs) ?? DEFAULT_PAUSE_MS;
      limits.pause(pauseMs);
      throw new VenueError('not-sent', `${dialect.title} asks for fewer requests for ${Math.ceil(pauseMs / 1000)} s`);
    }
    if (refusal !== undefined) throw refusal;
    if (answer.status >= 500)
      throw new VenueError('unknown', `${dialect.title} has trouble of its own (HTTP ${answer.status})`);
    if (answer.status !== 200)
      throw new VenueError('rejected', `${dialect.title} answered HTTP ${answer.status} without a reason`);
    return answer.body;
  }

  async #fetch({ url, method, headers, body }: SignedRequest): Promise<Answer> {
    const { dialect, timeoutMs, fetch = globalThis.fetch } = this.#options;
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(timeoutMs)]);
    let response: Response;
    let text: string;
    try {
      response = await fetch(url, { method, headers, redirect: 'error', signal, ...(body !== undefined && { body }) });
      text = await readText(response);
    } catch (error) {
      throw lost(dialect.title, error, timeoutMs);
    }
    const { status, headers: answered } = response;
    try {
      return { status, headers: answered, body: parseLossless(text) };
    } catch {
      if (status === 200) throw new VenueError('unknown', `${dialect.title} gave an answer that is no JSON`);
      return { status, headers: answered, body: undefined };
    }
  }
}

function lost(title: string, error: unknown, timeoutMs: number): VenueError {
  const { name, cause } = error as { name?: unknown; cause?: { code?: unknown } };
  const code = typeof cause?.code === 'string' ? cause.code : undefined;
  if (code !== undefined && NOT_SENT_CODES.has(code))
    return new VenueError('not-sent', `${title} cannot be reached (${code})`, { cause: error });
  const why =
    name === 'TimeoutError' ? `did not answer within ${timeoutMs / 1000} s` : `broke off: ${code ?? errorText(error)}`;
  return new VenueError('unknown', `${title} ${why}`, { cause: error });
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`an answer of more than ${MAX_ANSWER_BYTES} bytes was cut off`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
