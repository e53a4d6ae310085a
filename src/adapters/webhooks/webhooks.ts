// Sends webhooks: one POST to the very address that was checked, no redirects, little time, little of the answer read.

import { lookup as systemLookup } from 'node:dns/promises';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { WebhookPort } from '../../library/deployments/index.ts';
import { untilAborted } from '../../timing/with-timeout.ts';
import { isPublicAddress } from './address-guard.ts';
import { signatureOf } from './signature.ts';
import { notPublic, readAllowEntry, readWebhookUrl, type WebhookUrl } from './webhook-url.ts';

export interface WebhookOptions {
  /** DEPLOYMENT_WEBHOOK_ALLOW: `host:port` of places that may be private. */
  readonly allowed: readonly string[];
  readonly nowMs: () => number;
  readonly timeoutMs?: number;
  /** All addresses of a name. */
  readonly resolve?: (host: string) => Promise<readonly Address[]>;
}

interface Address {
  readonly address: string;
  readonly family: number;
}

export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  /** False: sending it again will fail again. */
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  constructor(message: string, retryable: boolean, retryAfterMs?: number) {
    super(message);
    this.retryable = retryable;
    this.retryAfterMs = retryAfterMs;
  }
}

const TIMEOUT_MS = 10_000;
/** Of the answer only the status counts; the rest is read so that the receiver is not cut off in the middle of it. */
const MAX_ANSWER_BYTES = 65_536;
/** Passing troubles of a receiver: it may take the same thing later. */
const PASSING = new Set([408, 425, 429]);

const systemResolve = (host: string): Promise<readonly Address[]> => systemLookup(host, { all: true });

export function createWebhooks(options: WebhookOptions): WebhookPort {
  const { nowMs, timeoutMs = TIMEOUT_MS, resolve = systemResolve } = options;
  const allowed = new Set(options.allowed.map(openedPlace));
  return {
    faultOf(url) {
      const read = readWebhookUrl(url, allowed);
      return typeof read === 'string' ? read : undefined;
    },
    async post({ url, secret, idempotencyKey, body }) {
      const place = readWebhookUrl(url, allowed);
      if (typeof place === 'string') throw new WebhookError(place, false);
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const headers = {
        'content-type': isJson(body) ? 'application/json' : 'text/plain; charset=utf-8',
        'content-length': String(Buffer.byteLength(text)),
        'user-agent': 'Signalbox',
        'idempotency-key': idempotencyKey,
        ...(secret === undefined ? {} : { 'signalbox-signature': signatureOf(secret, nowMs(), text) }),
      };
      const signal = AbortSignal.timeout(timeoutMs);
      try {
        const addresses = await untilAborted(addressesOf(place, resolve), signal);
        return judged(await exchange(place, addresses, { headers, signal }, text));
      } catch (error) {
        throw inWords(error, signal, timeoutMs);
      }
    },
  };
}

/** A message goes as charting platforms send theirs: as JSON only where the whole of it is JSON. */
function isJson(body: object | string): boolean {
  if (typeof body !== 'string') return true;
  try {
    return typeof JSON.parse(body) === 'object';
  } catch {
    return false;
  }
}

function openedPlace(entry: string): string {
  const place = readAllowEntry(entry);
  if (place === undefined)
    throw new Error(`DEPLOYMENT_WEBHOOK_ALLOW: ${entry} is no host:port, such as 127.0.0.1:8787`);
  return place;
}

/** Every address of the name must be public: one that is not makes the others suspicious. */
async function addressesOf(
  { host, port, isOpened }: WebhookUrl,
  resolve: (host: string) => Promise<readonly Address[]>,
): Promise<readonly Address[]> {
  const family = isIP(host);
  const found = family === 0 ? await resolve(host) : [{ address: host, family }];
  if (found.length === 0) throw new WebhookError(`${host} has no address`, true);
  if (!isOpened && !found.every(({ address }) => isPublicAddress(address)))
    throw new WebhookError(notPublic(`${host}:${port}`), false);
  return found;
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

function exchange(
  { url }: WebhookUrl,
  addresses: readonly Address[],
  { headers, signal }: Pick<RequestOptions, 'headers' | 'signal'>,
  text: string,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const isTls = url.protocol === 'https:';
    // A fresh agent keeps no connection, and takes no proxy from the environment: a proxy would resolve the name again.
    const agent = isTls ? new HttpsAgent({ keepAlive: false }) : new HttpAgent({ keepAlive: false });
    const send = isTls ? httpsRequest : httpRequest;
    const options = { method: 'POST', headers, agent, signal, lookup: lookupOf(addresses) };
    let told: Answer | undefined;
    const request = send(url, options as RequestOptions, (answer) => {
      const known = { status: answer.statusCode ?? 0, retryAfter: answer.headers['retry-after'] };
      told = known;
      drain(answer, () => {
        resolve(known);
        request.destroy();
      });
    });
    // Once the status is known, that is the answer, however the rest of it ends.
    request.on('error', (error) => (told === undefined ? reject(error) : resolve(told)));
    request.on('close', () => (told === undefined ? reject(new Error('closed without an answer')) : resolve(told)));
    request.end(text);
  });
}

/** Answers with what was checked a moment ago: asking the name again could give another address. */
function lookupOf(addresses: readonly Address[]): LookupFunction {
  return (_host, { all }, callback) => {
    const [first] = addresses as [Address];
    if (all) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
}

function drain(answer: IncomingMessage, done: () => void): void {
  let bytes = 0;
  answer.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) done();
  });
  answer.on('end', done);
  answer.on('error', done);
  answer.on('close', done);
}

function judged({ status, retryAfter }: Answer): { status: number } {
  if (status >= 200 && status < 300) return { status };
  if (status >= 300 && status < 400)
    throw new WebhookError(`answered ${status}; redirects are not followed, use the address it leads to`, false);
  const isPassing = status >= 500 || PASSING.has(status);
  throw new WebhookError(`answered ${status}`, isPassing, isPassing ? secondsOf(retryAfter) : undefined);
}

function secondsOf(retryAfter: string | undefined): number | undefined {
  return retryAfter !== undefined && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) * 1000 : undefined;
}

function inWords(error: unknown, signal: AbortSignal, timeoutMs: number): WebhookError {
  if (error instanceof WebhookError) return error;
  if (signal.aborted) return new WebhookError(`no answer within ${timeoutMs / 1000} s`, true);
  const { code, message } = error as NodeJS.ErrnoException;
  return new WebhookError(`could not be reached (${code ?? message})`, true);
}
