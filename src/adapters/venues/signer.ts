// Signs requests with ccxt, which knows every venue's kinds of keys. It is 60 MB of code: it is loaded only when a testnet or live
// account is opened, and nothing but its signatures is used: what is sent, and how an answer is read, stands in our own adapters.

import { createHmac } from 'node:crypto';
import type { VenueCall } from './venue-call.ts';

export interface Credentials {
  readonly apiKey: string;
  readonly secret: string;
}

export interface SignedRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Signer {
  readonly apiKey: string;
  /** HMAC-SHA256 in hexadecimal digits, for what is no request: streams are signed in to with it. */
  signText(text: string): string;
  /** `venueNowMs` is the venue's own clock: a request whose time is too far from it is refused. */
  sign(call: VenueCall, venueNowMs: number): SignedRequest;
}

/** Addresses by section; sections may be nested. */
export type SectionUrls = { readonly [section: string]: string | SectionUrls };

export interface SignerOptions {
  /** What ccxt calls the venue. */
  readonly ccxtClass: string;
  readonly credentials: Credentials;
  readonly urls: SectionUrls;
  /** A request that arrives later than this after its timestamp is refused by the venue: then it can never take effect. */
  readonly receiveWindowMs: number;
}

/** ccxt says with them that it is the one who trades; these orders are their owner's. */
const REFERRALS = new Set(['referer', 'source']);

/** A large library; loaded by whoever opens the first account, or ahead of that. */
export const loadSigning = () => import('ccxt');

export async function openSigner({ ccxtClass, credentials, urls, receiveWindowMs }: SignerOptions): Promise<Signer> {
  const { default: classes } = await loadSigning();
  const Ccxt = classes[ccxtClass];
  if (Ccxt === undefined) throw new Error(`ccxt has no ${ccxtClass}; install the version that package.json names`);
  const instance = new Ccxt({ ...credentials, options: { recvWindow: receiveWindowMs } });
  instance.urls.api = urls;
  const { apiKey, secret } = credentials;
  return {
    apiKey,
    signText: (text) => createHmac('sha256', secret).update(text).digest('hex'),
    sign({ path, section, method, params = {}, list }, venueNowMs) {
      instance.nonce = () => venueNowMs;
      // A copy: ccxt adds its own to what it is given.
      const {
        url,
        headers = {},
        body,
      } = instance.sign(path, section, method, list === undefined ? { ...params } : [...list]);
      const own = Object.entries(headers).filter(([name]) => !REFERRALS.has(name.toLowerCase()));
      return { url, method, headers: Object.fromEntries(own), ...(body !== undefined && { body }) };
    },
  };
}
