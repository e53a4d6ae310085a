// How Binance's USDⓈ-M futures interface speaks: its addresses, its limits, its codes, its clock.

import { fieldsOf, momentOf, wordsOf } from '../../read-json.ts';
import { retryAfterMs } from '../../read-response.ts';
import type { RequestLimit } from '../request-limits.ts';
import type { SectionUrls } from '../signer.ts';
import { type CodeMeanings, refusalOfCode, VenueRefusal } from '../venue-call.ts';
import type { VenueDialect } from '../venue-client.ts';

export const TITLE = 'Binance';
const BASE_URLS = { live: 'https://fapi.binance.com', testnet: 'https://testnet.binancefuture.com' } as const;
const STREAM_URLS = {
  live: 'wss://fstream.binance.com/private/ws',
  testnet: 'wss://fstream.binancefuture.com/ws',
} as const;
/** Of the whole account, beside the futures: it tells what a key may do. The testnet has none. */
const ACCOUNT_URL = 'https://api.binance.com';

/** Assets that are worth a dollar each, near enough for a fee. Accounts in Europe pay in the credits that are called BNFCR. */
export const DOLLARS: ReadonlySet<string> = new Set(['USDT', 'USDC', 'BUSD', 'FDUSD', 'BFUSD', 'USD1', 'BNFCR']);

/** A request that arrives later after its timestamp is refused. */
export const RECEIVE_WINDOW_MS = 5_000;

const LIMITS: readonly RequestLimit[] = [
  { name: 'weight', most: 2_400, windowMs: 60_000, kept: 400 },
  { name: 'orders-10s', most: 300, windowMs: 10_000, kept: 15 },
  { name: 'orders-1m', most: 1_200, windowMs: 60_000, kept: 60 },
];
export const READ = (weight: number) => ({ weight }) as const;
/** New orders weigh nothing: they have limits of their own. */
export const ORDER = { 'orders-10s': 1, 'orders-1m': 1 } as const;

const sectionUrls = (baseUrl: string): SectionUrls => ({
  fapiPublic: `${baseUrl}/fapi/v1`,
  fapiPublicV2: `${baseUrl}/fapi/v2`,
  fapiPrivate: `${baseUrl}/fapi/v1`,
  fapiPrivateV2: `${baseUrl}/fapi/v2`,
  fapiPrivateV3: `${baseUrl}/fapi/v3`,
  sapi: `${baseUrl === BASE_URLS.live ? ACCOUNT_URL : baseUrl}/sapi/v1`,
});

const MEANINGS: CodeMeanings = {
  '-1000': ['unclear'],
  '-1001': ['unclear'],
  '-1003': ['busy'],
  '-1006': ['unclear'],
  '-1007': ['unclear'],
  '-1008': ['overloaded'],
  '-1015': ['busy'],
  '-1021': ['clock'],
  '-1022': ['credentials', 'check the secret of the account'],
  '-1121': ['no-market', 'check the symbol'],
  '-2011': ['no-order'],
  '-2013': ['no-order'],
  '-2014': ['credentials', 'check the key of the account'],
  '-2015': ['credentials', 'check the key, its permission for futures and the addresses it is locked to'],
  '-2018': ['other', 'the balance does not suffice; add margin or send a smaller quantity'],
  '-2019': ['other', 'the margin does not suffice; add margin, raise the leverage or send a smaller quantity'],
  '-2021': ['would-trigger'],
  '-2022': ['nothing-to-reduce'],
  '-2027': ['other', 'the position would be too large for its leverage; lower the leverage'],
  '-2028': ['other', 'the leverage is too small for the margin; lower the quantity'],
  '-4045': ['other', 'there are too many stops; cancel a stop of this market'],
  '-4046': ['not-modified'],
  '-4059': ['not-modified'],
  '-4061': ['position-mode', 'the market has another position mode than the account; set it to that of the account'],
  '-4116': ['duplicate-id'],
  '-4164': ['other', 'the order is worth too little; send a larger quantity'],
};

/** Two of 503 say that nothing was done; the third that nobody knows, and so does one without words. */
const NOTHING_DONE = /service unavailable|unable to process/i;

export const DIALECT: VenueDialect = {
  title: TITLE,
  ccxtClass: 'binanceusdm',
  baseUrls: BASE_URLS,
  streamUrls: STREAM_URLS,
  streamPath: '/private/ws',
  sectionUrls,
  limits: LIMITS,
  receiveWindowMs: RECEIVE_WINDOW_MS,
  clock: {
    call: { method: 'GET', section: 'fapiPublic', path: 'time', cost: READ(1) },
    read: (body) => momentOf(fieldsOf(body).serverTime) ?? Number.NaN,
  },
  refusalOf({ status, body }) {
    const { code, msg } = fieldsOf(body);
    // Some calls answer 200 with the code 200.
    if (status === 200 && (typeof code !== 'string' || !code.startsWith('-'))) return undefined;
    const words = wordsOf(msg);
    if (status === 503) {
      const meaning = NOTHING_DONE.test(words) ? 'overloaded' : 'unclear';
      return new VenueRefusal(meaning, '503', `${TITLE}: ${words} (HTTP 503)`);
    }
    if (typeof code !== 'string') return undefined;
    return refusalOfCode(TITLE, code, words, MEANINGS[code] ?? ['other']);
  },
  pauseMsAfter: ({ headers }, venueNowMs) => retryAfterMs(headers, venueNowMs),
  learnLimits({ headers }, limits) {
    limits.learn('weight', Number(headers.get('x-mbx-used-weight-1m') ?? Number.NaN));
    limits.learn('orders-10s', Number(headers.get('x-mbx-order-count-10s') ?? Number.NaN));
    limits.learn('orders-1m', Number(headers.get('x-mbx-order-count-1m') ?? Number.NaN));
  },
};
