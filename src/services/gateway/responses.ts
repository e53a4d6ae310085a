// What the descriptions of the gateway's endpoints share: how refusals and plain results are described.

import { z } from 'zod';
import type { Endpoint, EndpointDoc } from '../../http/endpoint.ts';
import {
  accountResultSchema,
  answerOf,
  enqueuedSchema,
  errorSchema,
  notificationResultSchema,
  tradeResultSchema,
  tradeSuccessSchema,
} from './schemas.ts';

export type Responses = EndpointDoc['responses'];

export const refused = (description: string) => ({ description, schema: errorSchema });
export const ok = (description: string, result: z.ZodType): Responses => ({
  200: { description, schema: answerOf(result) },
});
export const BAD_BODY = refused('INVALID_JSON, INVALID_PAYLOAD: every fault at once, each with its remedy');

/** Of an endpoint that the script process serves: what is said at its door while that one is away. */
export const servedByScripts = (endpoint: Endpoint): Endpoint => ({
  ...endpoint,
  responses: {
    ...endpoint.responses,
    503: refused('UNAVAILABLE: scripts and analysis are being started; try again as Retry-After says'),
  },
});

/** A signal that was accepted and came to nothing tells how far it got. */
export const afterAcceptance = (description: string) => ({
  description,
  schema: errorSchema.extend({
    tradeResult: tradeResultSchema.optional(),
    tradeResults: z.array(accountResultSchema).optional(),
    notificationResult: notificationResultSchema.nullable().optional(),
    nearest: z.array(z.string()).optional().meta({ description: 'Of UNKNOWN_SYMBOL: names that may have been meant' }),
  }),
});

export const SIGNAL_RESPONSES: Responses = {
  200: {
    description: 'Executed, resting at the venue, or queued for retry (tradeResult.queued)',
    schema: tradeSuccessSchema,
  },
  202: { description: 'Enqueued; the outcome is at GET /trades/{requestId}', schema: enqueuedSchema },
  400: BAD_BODY,
  403: afterAcceptance('AUTHENTICATION_FAILED, KEY_PAUSED, KEY_OUT_OF_SCOPE, ADDRESS_BLOCKED'),
  409: { description: 'DUPLICATE_SIGNAL', schema: errorSchema.extend({ originalRequestId: z.string() }) },
  413: refused('PAYLOAD_TOO_LARGE: more than 64 KiB'),
  422: afterAcceptance(
    'UNKNOWN_ACCOUNT, VENUE_NOT_CONFIGURED, LIVE_NOT_CONFIRMED, UNKNOWN_SYMBOL: not accepted; STRATEGY_PAUSED, ACCOUNT_PAUSED, SYMBOL_PAUSED, LIMIT_VENUES, LIMIT_SYMBOLS, LIMIT_ACTIONS, LIMIT_ACCOUNTS, LIMIT_TRADING_WINDOW, LIMIT_RATE, LIMIT_ENTRIES_PER_DAY, LIMIT_COOLDOWN, LIMIT_LOCKED_AFTER_STOPS, LIMIT_DAILY_LOSS, LIMIT_OPEN_POSITIONS, LIMIT_LARGEST_ORDER, LIMIT_LARGEST_POSITION, LIMIT_LEVERAGE, LIMIT_PRICE, LIMIT_SPREAD: the owner does not allow it, nothing was sent; OPPOSITE_POSITION, STOP_WRONG_SIDE, CANNOT_SIZE, ORDER_TOO_LARGE, STALE_DATA: nothing was sent; POSITION_DIFFERS: the strategy holds something else here than it says (TRADINGVIEW_POSITION_CHECK); ORDER_REJECTED: the venue said no, in words',
  ),
  429: refused('RATE_LIMITED, TOO_MANY_FAILED_AUTHENTICATIONS'),
  500: afterAcceptance('INTERNAL, STORAGE_FAILED, STORAGE_UNKNOWN, VENUE_UNREACHABLE'),
  503: afterAcceptance('KILL_SWITCH_ACTIVE, TRY_AGAIN'),
};
