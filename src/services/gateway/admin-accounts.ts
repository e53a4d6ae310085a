// /admin/accounts: the accounts as the running instance has them open, for the command line, whose shell may have other settings; the
// owner's word that one may risk real money; and how its venue answers.

import { z } from 'zod';
import { errorText } from '../../errors/error-text.ts';
import { EXCHANGES } from '../../exchanges/exchange.ts';
import { actorOf } from '../../http/audit.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import { readValid } from '../../http/read-body.ts';
import { StoredAccountFault, type StoredAccountName } from '../../keys/stored-accounts.ts';
import { MAX_ACCOUNT_CHARS } from '../../trading/accounts.ts';
import { answer, shaped, TAGS } from './admin-answers.ts';
import { BAD_BODY, ok, refused } from './responses.ts';
import { described } from './schemas.ts';

const nameSchema = z.strictObject({ exchange: z.enum(EXCHANGES), account: z.string().min(1).max(MAX_ACCOUNT_CHARS) });
const BODY_EXAMPLE = { exchange: 'binance', account: 'main' };

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
const checkBodySchema = z.strictObject({ live: described(z.boolean(), 'Whether venues are asked') });

export interface KnownAccountDeps {
  list(): {
    readonly accounts: readonly object[];
    readonly faults: readonly string[];
    readonly environment: readonly object[];
  };
  /** Both throw a StoredAccountFault where there is no such account. */
  confirm(name: StoredAccountName, actor: string): void;
  test(name: StoredAccountName): Promise<object>;
  check(options: { readonly live: boolean }): Promise<readonly object[]>;
}

export const knownAccountEndpoints = (known: KnownAccountDeps): readonly Endpoint[] => [
  {
    method: 'get',
    path: '/admin/accounts',
    summary: 'Accounts with their keys and modes, and those that are not traded, with why',
    tags: TAGS,
    responses: ok('As this instance has them open', knownAccountsSchema),
    handler: (c) => answer(c, known.list()),
  },
  {
    method: 'post',
    path: '/admin/accounts/confirm',
    summary: 'Let a live account open positions with real money, with the key that it has now',
    tags: TAGS,
    body: nameSchema,
    bodyExample: BODY_EXAMPLE,
    responses: { ...ok('The account', nameSchema), 400: BAD_BODY, 422: refused('UNKNOWN_ACCOUNT') },
    async handler(c) {
      const name = await readValid(c, nameSchema, shaped);
      try {
        known.confirm(name, actorOf(c));
      } catch (error) {
        throw unknownAccount(error);
      }
      return answer(c, name);
    },
  },
  {
    method: 'post',
    path: '/admin/accounts/test',
    summary: 'Ask the venue of an account for its clock, its balance and what its key may do',
    tags: TAGS,
    body: nameSchema,
    bodyExample: BODY_EXAMPLE,
    responses: {
      ...ok('What it answered', testedAccountSchema),
      400: BAD_BODY,
      422: refused('UNKNOWN_ACCOUNT'),
      500: refused('VENUE_UNREACHABLE'),
    },
    async handler(c) {
      const name = await readValid(c, nameSchema, shaped);
      const tested = await known.test(name).catch((error) => {
        const fault = unknownAccount(error);
        throw fault === error ? new Refusal('VENUE_UNREACHABLE', errorText(error), { cause: error }) : fault;
      });
      return answer(c, tested);
    },
  },
  {
    method: 'post',
    path: '/admin/accounts/check',
    summary: 'What the doctor says of the accounts, and of their venues if those are to be asked',
    tags: TAGS,
    body: checkBodySchema,
    bodyExample: { live: true },
    responses: { ...ok('Each with its remedy; no order is sent', z.array(accountCheckSchema)), 400: BAD_BODY },
    handler: async (c) => answer(c, await known.check(await readValid(c, checkBodySchema, shaped))),
  },
];

/** Other errors stay as they are. */
const unknownAccount = (error: unknown): unknown =>
  error instanceof StoredAccountFault ? new Refusal('UNKNOWN_ACCOUNT', error.message, { cause: error }) : error;
