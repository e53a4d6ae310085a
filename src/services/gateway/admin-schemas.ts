// What the bodies and answers of the owner's endpoints look like: webhook keys, controls, audit.

import { z } from 'zod';
import { EXCHANGES } from '../../exchanges/exchange.ts';
import { MAX_MULTIPLIER, MAX_ROUTES } from '../../keys/webhook-keys.ts';
import { MAX_ALLOWLIST_ENTRIES } from '../../trading/intake/allowlist.ts';
import { KILL_SCOPES, QUEUE_MODES } from '../../trading/intake/controls.ts';
import { searchFilter } from './list-filters.ts';
import { described, wholeText } from './schemas.ts';

export const keySchema = z.object({
  keyId: z.string(),
  label: z.string(),
  exchanges: z.array(z.string()).nullable(),
  symbols: z.array(z.string()).nullable(),
  routes: described(
    z.array(z.object({ account: z.string(), multiplier: z.number() })).nullable(),
    'The accounts its signals are traded on; null: the one a signal names, or main',
  ),
  createdAt: z.number().int(),
  rotatedAt: z.number().int().nullable(),
  previousValidUntil: described(z.number().int().nullable(), 'When the key it was rotated from ends, or ended'),
  revokedAt: z.number().int().nullable(),
  static: described(z.boolean(), 'Comes from WEBHOOK_API_KEYS and is changed there'),
});
export const revokedKeySchema = keySchema.extend({
  alreadyRevoked: described(z.boolean(), 'It was revoked before, at revokedAt, and nothing was changed'),
});
export const issuedKeySchema = keySchema.extend({ apiKey: described(z.string(), 'Shown once, stored nowhere') });

const route = z.strictObject({
  account: described(
    z.string().min(1).max(64),
    'A name at the exchange of the signal, such as scalp, or one at another exchange, such as bybit:main',
  ),
  multiplier: described(
    z.number().gt(0).max(MAX_MULTIPLIER).default(1),
    'How much of the quantity of a signal is traded there',
  ),
});
const routes = z.array(route).max(MAX_ROUTES);
export const routesSchema = z.strictObject({
  routes: described(routes, 'In the order of tradeResults; none: signals trade on the account they name, or on main'),
});

export const newKeySchema = z.strictObject({
  label: z.string().min(1).max(64),
  exchanges: z.array(z.enum(EXCHANGES)).min(1).optional(),
  symbols: z.array(z.string().min(1).max(20)).min(1).max(200).optional(),
  routes: routes.optional(),
});
export const identifyKeySchema = z.strictObject({ apiKey: described(z.string().min(1).max(256), 'The whole key') });
export const rotateKeySchema = z.strictObject({ graceSeconds: z.number().int().min(0).max(604_800).optional() });

export const killSwitchSchema = z.strictObject({
  active: z.boolean(),
  scope: described(z.enum(KILL_SCOPES).default('all'), '"entries" still lets positions be closed'),
  cancelEntries: described(
    z.boolean().default(true),
    'Withdraw opening orders that rest at the venues, again and again until they confirm it; closing ones stay',
  ),
  flatten: described(z.boolean().default(false), 'Close every position'),
  reason: described(z.string().max(200).nullish(), 'null where none is given'),
});
export const queueModeSchema = z.strictObject({ mode: z.enum(QUEUE_MODES) });
export const allowlistSchema = z.strictObject({
  entries: described(
    z.array(z.string().min(1).max(64)).max(MAX_ALLOWLIST_ENTRIES),
    'Addresses, CIDR ranges, the word "tradingview"; empty allows all',
  ),
});
export const limitsSchema = z.strictObject({
  webhookRatePerMinute: described(
    z.number().int().min(0).max(1_000_000).optional(),
    'Signals per key; 0 turns the limit off',
  ),
  failedAuthPerMinute: described(
    z.number().int().min(0).max(1_000_000).optional(),
    'Wrong keys per address; 0 turns it off',
  ),
});
export const auditQuerySchema = z.strictObject({
  limit: wholeText(1, 500).optional(),
  before: described(wholeText(1, 999_999_999).optional(), 'The id of the last one seen, to page on'),
  search: searchFilter('who changed it, what, and its values'),
});
export const auditSchema = z.object({
  id: described(z.number().int(), 'A later change has a greater one'),
  at: z.number().int(),
  actor: z.string(),
  setting: z.string(),
  before: z.unknown(),
  after: z.unknown(),
});
