// POST /positions/close: the owner closes positions by hand, whatever the kill switch says.

import { z } from 'zod';
import { actorOf } from '../../http/audit.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import { maskSecrets } from '../../http/mask-secrets.ts';
import { readJson } from '../../http/read-body.ts';
import { TRADE_STATUSES } from '../../trading/books/trade-status.ts';
import { decimal } from '../../trading/decimal.ts';
import type { ClosedPosition, OwnerCloser } from '../../trading/execution/owner-close.ts';
import { duplicateGate } from '../../trading/intake/gates.ts';
import { KEY_FORM } from '../../trading/intake/position-key.ts';
import { GATEWAY_ERRORS, type GatewayErrorCode } from './errors.ts';
import { checkShape, invalid } from './read-signal.ts';
import { BAD_BODY, refused } from './responses.ts';
import { answerOf, described, errorSchema, signalSchema } from './schemas.ts';
import { accountResult } from './signal-answers.ts';
import { misspelledFields } from './unknown-fields.ts';

/** So many named at once; `all` has no such limit. */
const MAX_NAMED = 200;

export const closeSchema = z
  .strictObject({
    positions: described(
      z.array(z.string().min(1).max(100)).min(1).max(MAX_NAMED).optional(),
      `Keys of positions: ${KEY_FORM}`,
    ),
    all: described(z.literal(true).optional(), 'Every open position, in place of positions'),
    share: described(z.number().gt(0).max(1).optional(), 'How much of each, 0.5 is half of it; all of it when omitted'),
    idempotencyKey: described(
      signalSchema.shape.idempotencyKey,
      'A second call with the same key closes nothing and names the trades of the first',
    ),
  })
  .refine(({ positions, all }) => (positions === undefined) !== (all === undefined), {
    path: ['positions'],
    error: 'says what to close; send it or all: true, one of the two',
  });

export const closedSchema = z.object({
  key: z.string(),
  exchange: z.string().nullable(),
  account: z.string().nullable(),
  mode: described(
    z.enum(['paper', 'testnet', 'live']).nullable(),
    'Whose money; all three null where there was nothing to close',
  ),
  requestId: described(z.string().nullable(), 'Of its trade, for GET /trades/{requestId}; null where there is none'),
  success: z.boolean(),
  status: described(z.enum(TRADE_STATUSES).nullable(), 'null where there was nothing to close'),
  executedQty: z.number(),
  price: described(z.number(), 'The average of what was closed; 0 before anything is'),
  orderId: z.string(),
  queued: described(z.boolean(), 'It is on disk and goes on by itself'),
  error: z.string().nullable(),
  code: described(z.string().nullable(), 'Of the refusal of this position'),
});

export interface ClosePositionsDeps {
  readonly closer: Pick<OwnerCloser, 'close'>;
}

const FIELDS = Object.keys(closeSchema.shape);
const RESPONSES = {
  200: {
    description: 'An entry for each position; those that could not be closed have their error',
    schema: answerOf(z.array(closedSchema)),
  },
  400: BAD_BODY,
  401: refused('UNAUTHORIZED'),
  409: {
    description: 'DUPLICATE_SIGNAL: the idempotency key was used before; nothing was closed by this call',
    schema: errorSchema.extend({ originalRequestId: z.string(), originalRequestIds: z.array(z.string()) }),
  },
  413: refused('PAYLOAD_TOO_LARGE: more than 1 MiB'),
};

export const closePositionsEndpoints = ({ closer }: ClosePositionsDeps): readonly Endpoint[] => [
  {
    method: 'post',
    path: '/positions/close',
    summary: 'Close positions, whole or a share of them',
    tags: ['Trades'],
    body: closeSchema,
    bodyExample: { positions: ['binance:BTCUSDT:LONG'], share: 0.5 },
    responses: RESPONSES,
    async handler(c) {
      const { rest, faults } = misspelledFields(await readJson(c), FIELDS);
      const { positions = 'all', share = 1, idempotencyKey } = checkShape(closeSchema, rest, faults);
      const exact = decimal(share);
      if (exact === 0n) throw invalid(['share: is smaller than any position, send more']);
      const { requestId } = c.var;
      const outcome = await closer.close({ requestId, actor: actorOf(c), positions, share: exact, idempotencyKey });
      if ('duplicateOf' in outcome) throw duplicate(outcome.duplicateOf);
      return c.json({ success: true, requestId, result: outcome.closed.map(closedView) });
    },
  },
];

function duplicate(requestIds: readonly [string, ...string[]]): Refusal {
  const [originalRequestId] = requestIds;
  const { message } = duplicateGate({ accepted: false, cause: 'idempotency-key', originalRequestId }) ?? {};
  return new Refusal('DUPLICATE_SIGNAL', message, { extra: { originalRequestId, originalRequestIds: requestIds } });
}

/** The first is no answer of its own: a position that is not there fails none of the others. */
const MISSING_CODES = {
  'not-found': 'POSITION_NOT_FOUND',
  'unknown-account': 'UNKNOWN_ACCOUNT',
  'too-many': 'ORDER_REJECTED',
} as const;

const NOWHERE = { exchange: null, account: null, mode: null };
const NOTHING = {
  ...NOWHERE,
  requestId: null,
  success: false,
  status: null,
  executedQty: 0,
  price: 0,
  orderId: '',
  queued: false,
};

export function closedView(closed: ClosedPosition): z.infer<typeof closedSchema> {
  if ('missing' in closed)
    return { key: maskSecrets(closed.key), ...NOTHING, error: closed.missing, code: MISSING_CODES[closed.cause] };
  const { tradeId, exchange, account, mode, ...result } = accountResult(closed);
  const { success, status, executedQty, price, orderId, queued, error, code } = result;
  const said = error ?? (code === null ? null : GATEWAY_ERRORS[code as GatewayErrorCode].message);
  const shown = { success, status, executedQty, price, orderId, queued, error: said, code };
  return { key: closed.key, exchange, account, mode, requestId: tradeId, ...shown };
}
