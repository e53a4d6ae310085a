// What the bodies and answers of /admin/accounts look like.

import { z } from 'zod';
import { ACCOUNT_NAME, API_KEY_FORM, API_SECRET_FORM, EXCHANGE_ROWS, EXCHANGES } from '../../exchanges/exchange.ts';
import { MAX_ACCOUNT_CHARS } from '../../trading/accounts.ts';
import { described } from './schemas.ts';

export const nameSchema = z.strictObject({
  exchange: z.enum(EXCHANGES),
  account: z.string().min(1).max(MAX_ACCOUNT_CHARS),
});

const listedSchema = z.object({
  exchange: z.string(),
  account: z.string(),
  mode: z.string(),
  credentialsFrom: z.enum(['environment', 'stored', 'none']),
  keyStart: described(z.string(), 'The first characters of its API key; empty where there is none'),
  off: described(z.string(), 'Why it is not traded, with the remedy; empty where it is'),
  isUnconfirmed: described(z.boolean(), 'It is live and opens nothing before its owner has confirmed it'),
});
export const knownAccountsSchema = z.object({
  accounts: z.array(listedSchema),
  faults: described(z.array(z.string()), 'What would stop the next start'),
  environment: described(
    z.array(z.object({ exchange: z.string(), mode: z.string(), fingerprint: z.string() })),
    'The API keys of its environment: `mode` is that of the exchange, `fingerprint` tells one key from another',
  ),
});

const told = z.boolean().optional();
export const testedAccountSchema = z.object({
  clockOffsetMs: described(z.number(), 'How far the clock of the venue is ahead of ours'),
  balance: described(z.string(), 'In USDT'),
  positionMode: z.string(),
  permissions: described(
    z.object({ canTrade: told, canWithdraw: told, canTransfer: told, ipLocked: told }),
    'Of the key; what the venue does not tell is absent',
  ),
  refusal: described(z.string().optional(), 'Why the account is not opened with this key'),
  advice: z.array(z.string()),
});

export const accountCheckSchema = z.object({
  name: z.string(),
  ok: z.enum(['ok', 'warn', 'fail']),
  detail: z.string(),
  remedy: z.string().optional(),
});
export const checkBodySchema = z.strictObject({ live: described(z.boolean(), 'Whether venues are asked') });

const MALFORMED = 'is malformed, copy it whole, without blanks';
export const newAccountSchema = z
  .strictObject({
    exchange: z.enum(EXCHANGES),
    account: z
      .string()
      .regex(ACCOUNT_NAME, 'is no name, send 1 to 32 small letters, digits, - and _, a letter or digit first')
      // The key of a position, binance:scalp:BTCUSDT:LONG, could be read in two ways.
      .refine((name) => !(EXCHANGES as readonly string[]).includes(name), 'is the name of an exchange, send another'),
    mode: z.enum(['testnet', 'live']),
    positionMode: described(
      z.enum(['one-way', 'hedge']).optional(),
      'The one it is to have; as it is at the venue when left out',
    ),
    apiKey: described(z.string().regex(API_KEY_FORM, MALFORMED), 'Only its first four characters are ever shown'),
    secret: described(z.string().regex(API_SECRET_FORM, MALFORMED), 'Sealed in the data folder, and never shown again'),
  })
  .refine(({ exchange, mode }) => mode === 'live' || EXCHANGE_ROWS[exchange].hasTestnet, {
    path: ['mode'],
    error: 'has no meaning there: this exchange has no testnet, send live, or trade on paper',
  });

export const addedAccountSchema = nameSchema.extend({
  mode: z.enum(['testnet', 'live']),
  keyStart: z.string(),
  sealedWith: described(z.string(), 'The master key: keep a copy of it apart from the data folder'),
  next: described(z.string(), 'What is left to do before it is traded; a restart at least'),
  tested: testedAccountSchema,
});
export const removedAccountSchema = nameSchema.extend({ next: described(z.string(), 'What is left to do') });
export const removalQuery = z.strictObject({
  force: described(z.enum(['true', 'false']).optional(), 'true: also one that has not settled everything'),
});
