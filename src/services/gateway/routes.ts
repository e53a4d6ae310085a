// Every route of the gateway, described once for /openapi.json and /docs.

import { z } from 'zod';
import type { RouteDoc } from '../../http/openapi.ts';
import { QUERY_ROUTE } from './query.ts';
import { emailSchema } from './read-email.ts';
import {
  allowlistSchema,
  answerOf,
  auditQuerySchema,
  auditSchema,
  enqueuedSchema,
  errorSchema,
  issuedKeySchema,
  keySchema,
  killSwitchSchema,
  limitsSchema,
  newKeySchema,
  newSignalSchema,
  notificationResultSchema,
  positionSchema,
  queueModeSchema,
  rotateKeySchema,
  signalRecordSchema,
  signalSchema,
  signalsQuerySchema,
  storedSignalSchema,
  tradeDetailSchema,
  tradeResultSchema,
  tradeSchema,
  tradeSuccessSchema,
  tradesQuerySchema,
  tradingviewSchema,
} from './schemas.ts';
import { TRAILING_STOP_ROUTES } from './trailing-stops.ts';

type Responses = RouteDoc['responses'];

const EXAMPLE_KEY = { apiKey: 'YOUR_WEBHOOK_KEY' };

const refused = (description: string) => ({ description, schema: errorSchema });
const ok = (description: string, result: z.ZodType): Responses => ({ 200: { description, schema: answerOf(result) } });

const SIGNAL_RESPONSES: Responses = {
  200: {
    description: 'Executed, resting at the venue, or queued for retry (tradeResult.queued)',
    schema: tradeSuccessSchema,
  },
  202: { description: 'Enqueued; the outcome is at GET /trades/{requestId}', schema: enqueuedSchema },
  400: refused('INVALID_JSON, INVALID_PAYLOAD: every fault at once, each with its remedy'),
  403: refused('AUTHENTICATION_FAILED, KEY_OUT_OF_SCOPE, ADDRESS_BLOCKED'),
  409: { description: 'DUPLICATE_SIGNAL', schema: errorSchema.extend({ originalRequestId: z.string() }) },
  413: refused('PAYLOAD_TOO_LARGE: more than 64 KiB'),
  422: {
    description: 'ORDER_REJECTED: the venue said no, in words',
    schema: errorSchema.extend({
      tradeResult: tradeResultSchema,
      notificationResult: notificationResultSchema.nullable(),
    }),
  },
  429: refused('RATE_LIMITED, TOO_MANY_FAILED_AUTHENTICATIONS'),
  500: refused('INTERNAL, STORAGE_FAILED, VENUE_UNREACHABLE'),
  503: refused('KILL_SWITCH_ACTIVE'),
};

const internal = (route: Omit<RouteDoc, 'auth' | 'responses'> & { responses: Responses }): RouteDoc => ({
  ...route,
  auth: 'internal',
  responses: { ...route.responses, 401: refused('UNAUTHORIZED') },
});

const control = (path: string, summary: string, schema: z.ZodType, bodyExample: unknown): RouteDoc[] => [
  internal({
    method: 'get',
    path,
    summary: `Read ${summary}`,
    tags: ['Admin'],
    responses: ok('The present value', schema),
  }),
  internal({
    method: 'put',
    path,
    summary: `Set ${summary}`,
    tags: ['Admin'],
    body: schema,
    bodyExample,
    responses: { ...ok('In force from now on', schema), 400: refused('INVALID_PAYLOAD') },
  }),
];

export const GATEWAY_ROUTES: readonly RouteDoc[] = [
  {
    method: 'post',
    path: '/webhook',
    summary: 'Send a trade signal',
    tags: ['Signals'],
    auth: 'none',
    body: signalSchema,
    bodyExample: { ...EXAMPLE_KEY, exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 },
    responses: SIGNAL_RESPONSES,
  },
  {
    method: 'post',
    path: '/webhook/tradingview',
    summary: "Send TradingView's strategy placeholders as they render",
    tags: ['Signals'],
    auth: 'none',
    body: tradingviewSchema,
    bodyExample: {
      ...EXAMPLE_KEY,
      exchange: 'BINANCE',
      ticker: 'BTCUSDT.P',
      action: 'buy',
      contracts: '0.01',
      marketPosition: 'long',
      prevMarketPosition: 'flat',
      marketPositionSize: '0.01',
    },
    responses: SIGNAL_RESPONSES,
  },
  internal({
    method: 'post',
    path: '/email-signal',
    summary: 'Send the text of a mail that holds a trade signal',
    tags: ['Signals'],
    body: emailSchema,
    bodyExample: { subject: 'BTC', text: 'LONG 0.01 BTCUSDT on binance' },
    responses: SIGNAL_RESPONSES,
  }),
  internal({
    method: 'post',
    path: '/signals',
    summary: 'Write a signal down without trading it',
    tags: ['Signals'],
    body: newSignalSchema,
    bodyExample: { symbol: 'BTCUSDT', signal_type: 'LONG', source: 'my-script' },
    responses: {
      201: { description: 'Stored under this id', schema: answerOf(storedSignalSchema) },
      400: refused('INVALID_JSON, INVALID_PAYLOAD: every fault at once, each with its remedy'),
      413: refused('PAYLOAD_TOO_LARGE: more than 1 MiB'),
      500: refused('STORAGE_FAILED'),
    },
  }),
  internal({
    method: 'get',
    path: '/signals',
    summary: 'Every signal there was, traded or not, newest first',
    tags: ['Signals'],
    query: signalsQuerySchema,
    responses: {
      ...ok('Signals', z.array(signalRecordSchema)),
      400: refused('INVALID_QUERY'),
      500: refused('STORAGE_FAILED'),
    },
  }),
  internal({
    method: 'get',
    path: '/trades',
    summary: 'Trades, newest first',
    tags: ['Trades'],
    query: tradesQuerySchema,
    responses: { ...ok('Trades', z.array(tradeSchema)), 400: refused('INVALID_QUERY') },
  }),
  internal({
    method: 'get',
    path: '/trades/{requestId}',
    summary: 'One trade with its orders, fills and whole history',
    tags: ['Trades'],
    params: z.object({ requestId: z.string() }),
    responses: { ...ok('The trade', tradeDetailSchema), 404: refused('TRADE_NOT_FOUND') },
  }),
  internal({
    method: 'get',
    path: '/positions',
    summary: 'Open positions, as the fills made them',
    tags: ['Trades'],
    responses: ok('Positions', z.array(positionSchema)),
  }),
  QUERY_ROUTE,
  ...TRAILING_STOP_ROUTES,
  internal({
    method: 'get',
    path: '/admin/webhook-keys',
    summary: 'List webhook keys',
    tags: ['Admin'],
    responses: ok('Keys, without their secrets', z.array(keySchema)),
  }),
  internal({
    method: 'post',
    path: '/admin/webhook-keys',
    summary: 'Create a webhook key',
    tags: ['Admin'],
    body: newKeySchema,
    bodyExample: { label: 'tradingview', exchanges: ['binance'] },
    responses: {
      201: { description: 'The key, shown this once', schema: answerOf(issuedKeySchema) },
      400: refused('INVALID_PAYLOAD, INVALID_KEY_REQUEST'),
      409: refused('KEY_CONFLICT'),
    },
  }),
  internal({
    method: 'post',
    path: '/admin/webhook-keys/{keyId}/rotate',
    summary: 'Replace a key by a new one',
    tags: ['Admin'],
    params: z.object({ keyId: z.string() }),
    body: rotateKeySchema,
    bodyExample: { graceSeconds: 3600 },
    responses: {
      ...ok('The new key, shown this once', issuedKeySchema),
      404: refused('KEY_NOT_FOUND'),
      409: refused('KEY_CONFLICT'),
    },
  }),
  internal({
    method: 'delete',
    path: '/admin/webhook-keys/{keyId}',
    summary: 'Revoke a key at once',
    tags: ['Admin'],
    params: z.object({ keyId: z.string() }),
    responses: { ...ok('The revoked key', keySchema), 404: refused('KEY_NOT_FOUND'), 409: refused('KEY_CONFLICT') },
  }),
  ...control('/admin/kill-switch', 'the kill switch', killSwitchSchema, { active: true, scope: 'entries' }),
  ...control('/admin/queue-mode', 'the queue mode', queueModeSchema, { mode: 'failover' }),
  ...control('/admin/allowlist', 'the address allowlist', allowlistSchema, { entries: ['tradingview'] }),
  ...control('/admin/limits', 'the rate limits', limitsSchema, { webhookRatePerMinute: 120 }),
  internal({
    method: 'get',
    path: '/admin/audit',
    summary: 'Who changed what, newest first',
    tags: ['Admin'],
    query: auditQuerySchema,
    responses: ok('Changes', z.array(auditSchema)),
  }),
];
