// POST and DELETE /admin/accounts: an account's credentials come in, once its venue has answered for them, and never go out again.

import { z } from 'zod';
import { errorText } from '../../errors/error-text.ts';
import { StorageError } from '../../errors/storage-error.ts';
import { actorOf } from '../../http/audit.ts';
import type { KitContext } from '../../http/context.ts';
import { type Endpoint, paramOf } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import { gateRequestOf, type InternalGate } from '../../http/internal-auth.ts';
import { readValid } from '../../http/read-body.ts';
import {
  type NewStoredAccount,
  StoredAccountFault,
  type StoredAccountFaultKind,
  type StoredAccountName,
} from '../../keys/stored-accounts.ts';
import type { VenueCredentials } from '../../keys/venue-credentials.ts';
import {
  addedAccountSchema,
  nameSchema,
  newAccountSchema,
  removalQuery,
  removedAccountSchema,
} from './admin-account-schemas.ts';
import { answer, shaped, TAGS } from './admin-answers.ts';
import type { GatewayErrorCode } from './errors.ts';
import { readQuery } from './read-query.ts';
import { BAD_BODY, ok, refused } from './responses.ts';
import { answerOf } from './schemas.ts';

export interface AccountChangeDeps {
  /** Both reject with a StoredAccountFault where it cannot be done. Nothing is stored that the venue has not answered for. */
  add(
    account: NewStoredAccount,
    credentials: VenueCredentials,
    actor: string,
  ): Promise<{
    readonly keyStart: string;
    readonly sealedWith: string;
    /** Why a restart is not enough; empty where it is. */
    readonly waits: string;
    readonly tested: object;
  }>;
  remove(name: StoredAccountName, options: { readonly force: boolean }, actor: string): Promise<void>;
}

export const accountChangeEndpoints = (known: AccountChangeDeps, gate: InternalGate): readonly Endpoint[] => [
  addEndpoint(known, gate),
  removeEndpoint(known),
];

const addEndpoint = (known: AccountChangeDeps, gate: InternalGate): Endpoint => ({
  method: 'post',
  path: '/admin/accounts',
  summary: 'Store a testnet or live account with its credentials, once its venue has answered for them',
  description:
    'Over https or on this machine alone. The credentials are sealed; no answer, log or audit has them. ' +
    'A key that may withdraw is refused. The account is used from the next start on.',
  tags: TAGS,
  body: newAccountSchema,
  bodyExample: {
    ...{ exchange: 'binance', account: 'scalp', mode: 'testnet' },
    ...{ apiKey: 'PUT-THE-API-KEY-HERE', secret: 'PUT-ITS-SECRET-HERE' },
  },
  responses: {
    201: { description: 'Stored', schema: answerOf(addedAccountSchema) },
    400: BAD_BODY,
    403: refused('INSECURE_CONNECTION: it could be read on its way'),
    409: refused('ACCOUNT_CONFLICT: the name or the key is taken, or the master key cannot be used'),
    422: refused('ACCOUNT_REFUSED: its venue refuses the key, or the key may do too much'),
    500: refused('VENUE_UNREACHABLE: nothing was stored'),
  },
  async handler(c) {
    if (!isConfidential(c, gate)) throw new Refusal('INSECURE_CONNECTION', READABLE);
    const { apiKey, secret, positionMode, ...named } = await readValid(c, newAccountSchema, shaped);
    const account = { ...named, ...(positionMode !== undefined && { positionMode }) };
    const added = await known.add(account, { apiKey, secret }, actorOf(c)).catch((error) => {
      throw orUnreachable(error, `nothing was stored: ${errorText(error)}`);
    });
    const { waits, ...stored } = added;
    const next = waits === '' ? 'Restart Signalbox to use it.' : `It waits: ${waits}.`;
    return answer(c, { ...named, ...stored, next }, 201);
  },
});

const removeEndpoint = (known: AccountChangeDeps): Endpoint => ({
  method: 'delete',
  path: '/admin/accounts/{exchange}/{account}',
  summary: 'Remove a stored account with its credentials',
  tags: TAGS,
  params: z.object({
    exchange: z.string().meta({ examples: ['binance'] }),
    account: z.string().meta({ examples: ['scalp'] }),
  }),
  query: removalQuery,
  responses: {
    ...ok('Removed; the running instance keeps it until it is restarted', removedAccountSchema),
    400: refused('INVALID_QUERY'),
    409: refused('ACCOUNT_CONFLICT: it has not settled everything, or its credentials are those of the environment'),
    422: refused('UNKNOWN_ACCOUNT'),
  },
  async handler(c) {
    const { force } = readQuery(c, removalQuery);
    const [exchange, account] = [paramOf(c, 'exchange'), paramOf(c, 'account')];
    const name = nameSchema.safeParse({ exchange, account });
    if (!name.success) throw new Refusal('UNKNOWN_ACCOUNT');
    await known.remove(name.data, { force: force === 'true' }, actorOf(c)).catch((error) => {
      throw inHttpTerms(error);
    });
    return answer(c, { ...name.data, next: REMOVED });
  },
});

const READABLE =
  'credentials that come over plain http can be read on their way; put TLS before Signalbox (BASE_URL with https for a proxy ' +
  'of this machine, TRUSTED_PROXIES for another one), or say "signalbox accounts add" on the machine itself. ' +
  'If these were real, make new ones at the exchange';
const REMOVED =
  'Restart Signalbox: until then the running instance keeps it. The API key itself still works: delete it at the exchange too.';

const isConfidential = (c: KitContext, gate: InternalGate): boolean => {
  const request = gateRequestOf(c);
  return gate.pages.cameOverTls(request) || gate.checkLoopback(request).ok;
};

const CODES: Readonly<Record<StoredAccountFaultKind, GatewayErrorCode>> = {
  unknown: 'UNKNOWN_ACCOUNT',
  conflict: 'ACCOUNT_CONFLICT',
  refused: 'ACCOUNT_REFUSED',
};

/** Other errors stay as they are. */
export const inHttpTerms = (error: unknown): unknown =>
  error instanceof StoredAccountFault ? new Refusal(CODES[error.kind], error.message, { cause: error }) : error;

/** What is no fault of the account, nor of our storage, is its venue's. */
export const orUnreachable = (error: unknown, words: string): unknown => {
  const fault = inHttpTerms(error);
  if (fault !== error || error instanceof StorageError) return fault;
  return new Refusal('VENUE_UNREACHABLE', words, { cause: error });
};
