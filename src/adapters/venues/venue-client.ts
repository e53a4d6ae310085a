// Sends requests to one venue for one account, and tells apart what may have happened: not sent, unknown, refused.
//
// | what comes back                                   | means                                                     |
// |---------------------------------------------------|-----------------------------------------------------------|
// | no connection, no such host                       | not sent                                                  |
// | silence, a broken connection, an answer that is no JSON | unknown: it may have arrived                        |
// | the venue's own code                              | what its adapter says, see `RefusalMeaning`               |
// | a status that is not 200, without such a code     | unknown: a server before the venue may have said it, after the venue took it |
// | "your clock is wrong"                             | refused unseen: the venue's time is read, and it is sent once more |
//
// Where another process may take over (a lease), whatever changes something is signed while nobody else can have the desk, or not at
// all: it is looked in the same turn, behind every wait. So it arrives within its receive window after that, or is refused.

import { errorText } from '../../errors/error-text.ts';
import { type Lease, maySendUnder } from '../../trading/leases.ts';
import { VenueError } from '../../trading/venue.ts';
import { HIDDEN, plainWords } from '../plain-words.ts';
import { readText } from '../read-response.ts';
import { parseLossless } from './lossless-json.ts';
import type { RequestLimit, RequestLimits } from './request-limits.ts';
import type { SectionUrls, Signer } from './signer.ts';
import { beforeSending, isRefusal, type VenueCall, VenueRefusal } from './venue-call.ts';

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
  /** What ccxt calls it, which signs its requests. */
  readonly ccxtClass: string;
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
  readonly signer: Pick<Signer, 'apiKey' | 'sign'>;
  readonly limits: RequestLimits;
  readonly timeoutMs: number;
  readonly nowMs: () => number;
  readonly fetch?: typeof globalThis.fetch;
  /** Of whoever trades where others may take over; absent where there are none. */
  readonly lease?: Pick<Lease, 'remainingMs' | 'ended'> | undefined;
  /** The venue has refused the key of a request. */
  readonly onKeyRefused?: () => void;
}

const NOT_FOUND_NOW = 'its name cannot be looked up; is this machine online?';
const NO_WAY = 'there is no way to it from this machine';
const LATE_CONNECTION = 'it did not take the connection in time';
const NOT_TRUSTED =
  'its certificate is not trusted; is the clock of this machine right, and does something stand between?';
/**
 * The request has not left this machine, or found nobody: an exchange's certificate is looked at before anything is sent to it.
 * Anything else may have arrived.
 */
const NOT_SENT_CODES: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'it takes no connections'],
  ['ENOTFOUND', 'its name is not known; is this machine online?'],
  ['EAI_AGAIN', NOT_FOUND_NOW],
  ['EAI_FAIL', NOT_FOUND_NOW],
  ['EHOSTUNREACH', NO_WAY],
  ['EHOSTDOWN', NO_WAY],
  ['ENETUNREACH', NO_WAY],
  ['ENETDOWN', NO_WAY],
  ['EADDRNOTAVAIL', NO_WAY],
  ['UND_ERR_CONNECT_TIMEOUT', LATE_CONNECTION],
  ['ETIMEDOUT', LATE_CONNECTION],
  ['CERT_HAS_EXPIRED', NOT_TRUSTED],
  ['CERT_NOT_YET_VALID', NOT_TRUSTED],
  ['CERT_REVOKED', NOT_TRUSTED],
  ['CERT_UNTRUSTED', NOT_TRUSTED],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', NOT_TRUSTED],
  ['SELF_SIGNED_CERT_IN_CHAIN', NOT_TRUSTED],
  ['UNABLE_TO_GET_ISSUER_CERT', NOT_TRUSTED],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', NOT_TRUSTED],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', NOT_TRUSTED],
  ['ERR_TLS_CERT_ALTNAME_INVALID', NOT_TRUSTED],
]);
/** A connection that was there can end with some of them too, and then the request may have arrived. */
const CONNECTED_CALLS: ReadonlySet<unknown> = new Set(['read', 'write']);
/** The connection was there. */
const BROKEN_CODES: ReadonlyMap<string, string> = new Map([
  ['UND_ERR_SOCKET', 'closed the connection before it had answered'],
  ['ECONNRESET', 'closed the connection before it had answered'],
  ['EPIPE', 'closed the connection before it had answered'],
  ['UND_ERR_HEADERS_TIMEOUT', 'did not answer in time'],
  ['UND_ERR_BODY_TIMEOUT', 'did not end its answer in time'],
]);
/** Too many requests, and banned for it; the third is what a firewall before the venue says. */
const TOO_MANY_STATUSES = new Set([429, 418, 403]);
/** A venue that says "too many" without saying for how long. */
const DEFAULT_PAUSE_MS = 2_000;

export class VenueClient {
  /** The same, but its requests go before all others where the venue's limits are short: for what closes and guards. */
  readonly urgent: VenueClient;
  readonly #options: VenueClientOptions;
  /** The one whose clock and end both share; itself, unless this is its urgent side. */
  readonly #ordinary: VenueClient;
  readonly #closing = new AbortController();
  /** The venue's clock minus ours; undefined until it was read. */
  #clockOffsetMs: number | undefined;
  #readingClock: Promise<number> | undefined;

  constructor(options: VenueClientOptions, ordinary?: VenueClient) {
    this.#options = options;
    this.#ordinary = ordinary ?? this;
    this.urgent = ordinary === undefined ? new VenueClient(options, this) : this;
    // Whoever closes in order gives it back afterwards.
    if (ordinary === undefined) void options.lease?.ended.then((end) => end !== 'released' && this.close());
  }

  get title(): string {
    return this.#options.dialect.title;
  }

  /** Sends it and resolves with the body of the answer; rejects with a VenueError. */
  async send(call: VenueCall): Promise<unknown> {
    const offsetMs = this.#ordinary.#clockOffsetMs ?? (await beforeSending(this.readClock()));
    try {
      return await this.#sendOnce(call, offsetMs);
    } catch (error) {
      if (!isRefusal(error, 'clock')) throw error;
      const readMs = await beforeSending(this.readClock());
      // A machine that stood still with its clocks does not know that its lease is over: who plans it again hears so from the database.
      if (this.#options.lease && call.method !== 'GET') throw error;
      return this.#sendOnce(call, readMs);
    }
  }

  /** How far the venue's clock is ahead of ours. One question at a time, whoever asks. */
  readClock(): Promise<number> {
    const ordinary = this.#ordinary;
    ordinary.#readingClock ??= this.#askClock().finally(() => {
      ordinary.#readingClock = undefined;
    });
    return ordinary.#readingClock;
  }

  /** A moment of the venue's clock on ours. */
  toOurMs(venueMs: number): number {
    return venueMs - (this.#ordinary.#clockOffsetMs ?? 0);
  }

  /** What its clock shows now. */
  async venueNowMs(): Promise<number> {
    const offsetMs = this.#ordinary.#clockOffsetMs ?? (await this.readClock());
    return this.#options.nowMs() + offsetMs;
  }

  /** Ends every request under way. */
  close(): void {
    this.#ordinary.#closing.abort();
  }

  async #askClock(): Promise<number> {
    const { dialect, nowMs } = this.#options;
    const beganMs = nowMs();
    const venueMs = dialect.clock.read(await this.#sendOnce(dialect.clock.call, 0));
    const endedMs = nowMs();
    if (!Number.isFinite(venueMs)) throw new VenueError('unknown', `${dialect.title} does not tell its time`);
    const offsetMs = venueMs - Math.round((beganMs + endedMs) / 2);
    this.#ordinary.#clockOffsetMs = offsetMs;
    return offsetMs;
  }

  async #sendOnce(call: VenueCall, offsetMs: number): Promise<unknown> {
    const { dialect, signer, limits, nowMs } = this.#options;
    this.#mustBeInTime(call);
    const { cost, notAfterMs = Number.POSITIVE_INFINITY } = call;
    const answered = await limits.take(cost, { isUrgent: this !== this.#ordinary, atMostMs: notAfterMs - nowMs() });
    // The venue has counted it when the first of its answer is there.
    const answer = await this.#read(await this.#fetch(call, offsetMs).finally(answered));
    dialect.learnLimits(answer, limits, call);
    const refusal = dialect.refusalOf(answer)?.without(signer.apiKey);
    if (TOO_MANY_STATUSES.has(answer.status) || refusal?.meaning === 'busy') {
      const pauseMs = dialect.pauseMsAfter(answer, nowMs() + offsetMs) ?? DEFAULT_PAUSE_MS;
      limits.pause(pauseMs);
      const words = `${dialect.title} asks for fewer requests for ${Math.ceil(pauseMs / 1000)} s`;
      const meaning = refusal === undefined && call.method !== 'GET' ? 'unclear' : 'busy';
      throw new VenueRefusal(meaning, refusal?.code ?? String(answer.status), words);
    }
    if (refusal?.meaning === 'credentials') this.#options.onKeyRefused?.();
    if (refusal !== undefined) throw refusal;
    if (answer.status >= 500)
      throw new VenueError('unknown', `${dialect.title} has trouble of its own (HTTP ${answer.status})`);
    if (answer.status !== 200)
      throw new VenueError('unknown', `${dialect.title} answered HTTP ${answer.status} without a reason`);
    return answer.body;
  }

  #mustBeInTime({ notAfterMs }: VenueCall): void {
    if (notAfterMs !== undefined && this.#options.nowMs() > notAfterMs)
      throw new VenueError('not-sent', 'the prices that it goes by have grown too old meanwhile; nothing was sent');
  }

  /** Signed now, after the wait for its turn: a request that has grown old in it would be refused. */
  async #fetch(call: VenueCall, offsetMs: number): Promise<Response> {
    const { signer, nowMs, timeoutMs, lease, fetch = globalThis.fetch } = this.#options;
    if (lease && call.method !== 'GET' && !maySendUnder(lease))
      throw new VenueError('not-sent', 'another process may be about to take over; nothing was sent');
    this.#mustBeInTime(call);
    const { url, method, headers, body } = signer.sign(call, nowMs() + offsetMs);
    const signal = AbortSignal.any([this.#ordinary.#closing.signal, AbortSignal.timeout(timeoutMs)]);
    try {
      return await fetch(url, { method, headers, redirect: 'error', signal, ...(body !== undefined && { body }) });
    } catch (error) {
      throw this.#lost(error);
    }
  }

  async #read(response: Response): Promise<Answer> {
    const { dialect } = this.#options;
    const { status, headers } = response;
    const text = await readText(response).catch((error: unknown) => {
      throw this.#lost(error);
    });
    try {
      return { status, headers, body: parseLossless(text) };
    } catch {
      if (status === 200) throw new VenueError('unknown', `${dialect.title} gave an answer that is no JSON`);
      return { status, headers, body: undefined };
    }
  }

  /** Its words and its cause hold nothing of the signed request: what reads an address or a header repeats what it cannot read. */
  #lost(error: unknown): VenueError {
    const { dialect, signer, timeoutMs } = this.#options;
    const { title } = dialect;
    const { name, cause } = error as { name?: unknown; cause?: { code?: unknown; syscall?: unknown } };
    const code = typeof cause?.code === 'string' ? cause.code : '';
    const absent = CONNECTED_CALLS.has(cause?.syscall) ? undefined : NOT_SENT_CODES.get(code);
    if (absent !== undefined)
      return new VenueError('not-sent', `${title} cannot be reached: ${absent} (${code})`, { cause: error });
    if (name === 'TimeoutError')
      return new VenueError('unknown', `${title} did not answer within ${timeoutMs / 1000} s`, { cause: error });
    const broken = BROKEN_CODES.get(code);
    if (broken !== undefined) return new VenueError('unknown', `${title} ${broken} (${code})`, { cause: error });
    const words = plainWords(errorText(error).replaceAll(signer.apiKey, HIDDEN));
    return new VenueError('unknown', `${title} could not be heard to the end: ${words}${code && ` (${code})`}`);
  }
}
