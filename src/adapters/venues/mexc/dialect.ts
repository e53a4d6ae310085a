// How MEXC's futures interface speaks: its address, its limits, its codes, its clock.
//
// Every answer has the HTTP status 200 and says with `success` and `code` what it means. MEXC has no testnet for futures.

import { fieldsOf, momentOf, wordsOf } from '../../read-json.ts';
import type { RequestLimit } from '../request-limits.ts';
import type { SectionUrls } from '../signer.ts';
import { type CodeMeanings, refusalOfCode, senselessAnswer } from '../venue-call.ts';
import type { VenueDialect } from '../venue-client.ts';

export const TITLE = 'MEXC';
const BASE_URLS = { live: 'https://api.mexc.com' } as const;
const STREAM_URLS = { live: 'wss://contract.mexc.com/edge' } as const;

/** A request that arrives later after its timestamp is refused; MEXC's own default. */
export const RECEIVE_WINDOW_MS = 10_000;

/** MEXC counts each kind of request by itself, and says so in no header: these are the smallest that it publishes. */
const LIMITS: readonly RequestLimit[] = [
  { name: 'orders', most: 20, windowMs: 2_000, pacedAfter: 2 },
  { name: 'order-reads', most: 20, windowMs: 2_000 },
  { name: 'open-orders', most: 20, windowMs: 2_000 },
  { name: 'cancels', most: 20, windowMs: 2_000 },
  { name: 'fills', most: 20, windowMs: 2_000 },
  { name: 'plans', most: 20, windowMs: 2_000 },
  { name: 'plan-cancels', most: 20, windowMs: 2_000 },
  { name: 'plan-reads', most: 20, windowMs: 2_000 },
  { name: 'positions', most: 20, windowMs: 2_000 },
  { name: 'leverages', most: 20, windowMs: 2_000, pacedAfter: 2 },
  { name: 'leverage-changes', most: 20, windowMs: 2_000 },
  { name: 'account', most: 20, windowMs: 2_000 },
  { name: 'contracts', most: 1, windowMs: 5_000 },
  // The rest is for the feed of last prices, which asks from this address too.
  { name: 'prices', most: 14, windowMs: 2_000 },
];

export const PUBLIC = ['contract', 'public'] as const;
export const PRIVATE = ['contract', 'private'] as const;

const sectionUrls = (baseUrl: string): SectionUrls => ({
  contract: { public: `${baseUrl}/api/v1/contract`, private: `${baseUrl}/api/v1/private` },
});

const MEANINGS: CodeMeanings = {
  '401': ['credentials', 'check the key of the account'],
  '402': ['credentials', 'the key has expired; make a new one'],
  '406': ['credentials', 'the key is locked to other addresses'],
  '500': ['unclear'],
  '501': ['unclear'],
  '510': ['busy'],
  '513': ['clock'],
  // What is wrong with a parameter MEXC does not say; a hedge account refuses the mark of a one-way account so.
  '600': ['position-mode'],
  '602': ['credentials', 'check the secret of the account'],
  '603': ['duplicate-id'],
  '701': ['credentials', 'the key lacks a permission; it needs to read the account'],
  '702': ['credentials', 'the key lacks a permission; it needs to change the account'],
  '703': ['credentials', 'the key lacks a permission; it needs to read orders'],
  '704': ['credentials', 'the key lacks a permission; it needs to trade futures'],
  '801': ['overloaded'],
  '1001': ['no-market', 'check the symbol'],
  '1002': ['other', 'MEXC does not let this market be traded through its interface'],
  '2005': ['other', 'the balance does not suffice; add margin or send a smaller quantity'],
  '2008': ['nothing-to-reduce'],
  '2009': ['nothing-to-reduce'],
  '2022': ['position-mode'],
  '2040': ['no-order'],
  '2041': ['no-order'],
  '3004': ['would-trigger'],
  '6001': ['other', 'MEXC has forbidden this account to trade'],
};

export const DIALECT: VenueDialect = {
  title: TITLE,
  ccxtClass: 'mexc',
  baseUrls: BASE_URLS,
  streamUrls: STREAM_URLS,
  streamPath: '/edge',
  sectionUrls,
  limits: LIMITS,
  receiveWindowMs: RECEIVE_WINDOW_MS,
  clock: {
    call: { method: 'GET', section: PUBLIC, path: 'ping', cost: {} },
    read: (body) => momentOf(fieldsOf(body).data) ?? Number.NaN,
  },
  refusalOf({ status, body }) {
    const { success, code, message } = fieldsOf(body);
    if (success === true) return undefined;
    if (typeof code !== 'string') return status === 200 ? senselessAnswer(TITLE) : undefined;
    const words = wordsOf(message);
    return refusalOfCode(TITLE, code, words, MEANINGS[code] ?? ['other']);
  },
  pauseMsAfter: () => undefined,
  learnLimits() {},
};
