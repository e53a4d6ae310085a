// How Bybit's v5 interface speaks: its addresses, its limits, its codes, its clock.

import { fieldsOf, momentOf, wordsOf } from '../../read-json.ts';
import type { RequestLimit } from '../request-limits.ts';
import type { SectionUrls } from '../signer.ts';
import { type CodeMeaning, type CodeMeanings, refusalOfCode, senselessAnswer } from '../venue-call.ts';
import type { VenueDialect } from '../venue-client.ts';

export const TITLE = 'Bybit';
const BASE_URLS = { live: 'https://api.bybit.com', testnet: 'https://api-testnet.bybit.com' } as const;
const STREAM_URLS = {
  live: 'wss://stream.bybit.com/v5/private',
  testnet: 'wss://stream-testnet.bybit.com/v5/private',
} as const;

/** What linear contracts settle in: what an account has in all markets is listed by these. */
export const SETTLE_COINS = ['USDT', 'USDC'];

/** A request that arrives later after its timestamp is refused. */
export const RECEIVE_WINDOW_MS = 5_000;

/** An address with too many requests is shut out for this long. */
const BAN_MS = 600_000;

/** Each kind of request has a limit of its own; those of an address count all of them. */
const LIMITS: readonly RequestLimit[] = [
  { name: 'requests', most: 600, windowMs: 5_000 },
  { name: 'orders', most: 10, windowMs: 1_000, pacedAfter: 5 },
  { name: 'cancels', most: 10, windowMs: 1_000 },
  { name: 'leverages', most: 10, windowMs: 1_000 },
  { name: 'order-reads', most: 50, windowMs: 1_000 },
  { name: 'position-reads', most: 50, windowMs: 1_000 },
];
export const READ = { requests: 1 } as const;
export const ORDER_READ = { requests: 1, 'order-reads': 1 } as const;
export const POSITION_READ = { requests: 1, 'position-reads': 1 } as const;

const sectionUrls = (baseUrl: string): SectionUrls => ({ public: baseUrl, private: baseUrl });

const MEANINGS: CodeMeanings = {
  '10000': ['unclear'],
  '10002': ['clock'],
  '10003': ['credentials', 'check the key of the account, and whether it is of the testnet'],
  '10004': ['credentials', 'check the secret of the account'],
  '10005': ['credentials', 'the key lacks a permission; it needs to read and trade contracts'],
  '10006': ['busy'],
  '10009': ['busy'],
  '10010': ['credentials', 'the key is locked to other addresses'],
  '10016': ['unclear'],
  '10018': ['busy'],
  '10019': ['overloaded'],
  '10429': ['busy'],
  '33004': ['credentials', 'the key has expired; make a new one'],
  '34040': ['not-modified'],
  '110001': ['no-order'],
  '110004': ['other', 'the balance does not suffice; add margin or send a smaller quantity'],
  '110007': ['other', 'the balance does not suffice; add margin or send a smaller quantity'],
  '110009': ['other', 'there are too many stops; cancel a stop of this market'],
  '110012': ['other', 'the balance does not suffice; add margin or send a smaller quantity'],
  '110017': ['nothing-to-reduce'],
  '110025': ['not-modified'],
  '110026': ['not-modified'],
  '110043': ['not-modified'],
  '110072': ['duplicate-id'],
  '110092': ['would-trigger'],
  '110093': ['would-trigger'],
  '110094': ['other', 'the order is worth too little; send a larger quantity'],
};
/** The code for wrong parameters; its words tell which. */
const WRONG_PARAMETER = '10001';
const MODE_WORDS = /position idx not match position mode/i;
const NO_MARKET_WORDS = /symbol (invalid|is invalid|not (exist|found))/i;

export const DIALECT: VenueDialect = {
  title: TITLE,
  ccxtClass: 'bybit',
  baseUrls: BASE_URLS,
  streamUrls: STREAM_URLS,
  streamPath: '/v5/private',
  sectionUrls,
  limits: LIMITS,
  receiveWindowMs: RECEIVE_WINDOW_MS,
  clock: {
    call: { method: 'GET', section: 'public', path: 'v5/market/time', cost: READ },
    read: (body) => momentOf(fieldsOf(body).time) ?? Number.NaN,
  },
  refusalOf({ status, body }) {
    const { retCode, retMsg } = fieldsOf(body);
    if (retCode === '0') return undefined;
    if (typeof retCode !== 'string') return status === 200 ? senselessAnswer(TITLE) : undefined;
    const words = wordsOf(retMsg);
    return refusalOfCode(TITLE, retCode, words, MEANINGS[retCode] ?? meaningInWords(retCode, words));
  },
  pauseMsAfter({ status, headers }, venueNowMs) {
    if (status === 403) return BAN_MS;
    const leftMs = (momentOf(headers.get('x-bapi-limit-reset-timestamp')) ?? 0) - venueNowMs;
    return leftMs > 0 ? Math.min(leftMs, BAN_MS) : undefined;
  },
  learnLimits({ headers }, limits, { cost }) {
    const counted = Number(headers.get('x-bapi-limit') ?? Number.NaN) - Number(headers.get('x-bapi-limit-status') ?? 0);
    // They are of the kind of request that was sent.
    for (const name of Object.keys(cost)) if (name !== 'requests') limits.learn(name, counted);
  },
};

function meaningInWords(code: string, words: string): CodeMeaning {
  if (code !== WRONG_PARAMETER) return ['other'];
  if (MODE_WORDS.test(words))
    return ['position-mode', 'the market has another position mode than the account; set it to that of the account'];
  return NO_MARKET_WORDS.test(words) ? ['no-market', 'check the symbol'] : ['other'];
}
