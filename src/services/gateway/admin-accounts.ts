// /admin/accounts: the accounts as the running instance has them open, for the command line, whose shell may have other settings; the
// owner's word that one may risk real money; and how its venue answers.

import { z } from 'zod';
import { errorText } from '../../errors/error-text.ts';
import { actorOf } from '../../http/audit.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import type { InternalGate } from '../../http/internal-auth.ts';
import { readValid } from '../../http/read-body.ts';
import type { StoredAccountName } from '../../keys/stored-accounts.ts';
import { type AccountChangeDeps, accountChangeEndpoints, inHttpTerms, orUnreachable } from './admin-account-changes.ts';
import {
  accountCheckSchema,
  checkBodySchema,
  knownAccountsSchema,
  nameSchema,
  testedAccountSchema,
} from './admin-account-schemas.ts';
import { answer, shaped, TAGS } from './admin-answers.ts';
import { BAD_BODY, ok, refused } from './responses.ts';

const BODY_EXAMPLE = { exchange: 'binance', account: 'main' };

export interface KnownAccountDeps extends AccountChangeDeps {
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

export const knownAccountEndpoints = (known: KnownAccountDeps, gate: InternalGate): readonly Endpoint[] => [
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
        await known.confirm(name, actorOf(c));
      } catch (error) {
        throw inHttpTerms(error);
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
        throw orUnreachable(error, errorText(error));
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
  ...accountChangeEndpoints(known, gate),
];
