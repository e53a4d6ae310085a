// GET /accounts: the accounts there are, for whoever wants to name one in a signal.

import { z } from 'zod';
import { EXCHANGES } from '../../exchanges/exchange.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import type { Accounts } from '../../trading/accounts.ts';
import { unlessAway } from '../../trading/books/account-reports.ts';
import { shownMoney } from '../../trading/books/shown-amounts.ts';
import { toNumber } from '../../trading/decimal.ts';
import type { Venue } from '../../trading/venue.ts';
import { NO_QUERY, readQuery } from './read-query.ts';
import { ok, refused } from './responses.ts';

export const positionModeSchema = z
  .enum(['one-way', 'hedge'])
  .nullable()
  .meta({ description: 'null while the venue does not answer' });

export const accountSchema = z.object({
  exchange: z.enum(EXCHANGES),
  account: z.string().meta({ description: 'The name that a signal gives as account' }),
  mode: z.enum(['paper', 'testnet', 'live']),
  positionMode: positionModeSchema,
  balance: z.number().nullable().meta({ description: 'In USDT; null while a price that is needed for it is missing' }),
});

export interface AccountsDeps {
  readonly accounts: Pick<Accounts, 'list'>;
}

export const accountEndpoints = ({ accounts }: AccountsDeps): readonly Endpoint[] => [
  {
    method: 'get',
    path: '/accounts',
    summary: 'The accounts that can be traded on',
    tags: ['Trades'],
    responses: {
      ...ok('Accounts, main first at each exchange', z.array(accountSchema)),
      400: refused('INVALID_QUERY'),
    },
    async handler(c) {
      readQuery(c, NO_QUERY);
      const result = await Promise.all(accounts.list().map(accountView));
      return c.json({ success: true, requestId: c.var.requestId, result });
    },
  },
];

async function accountView(venue: Venue): Promise<z.infer<typeof accountSchema>> {
  const { exchange, account, mode } = venue;
  const positionMode = (await unlessAway(venue.positionMode())) ?? null;
  const summary = await unlessAway(venue.summary());
  const balance = summary === undefined ? null : toNumber(shownMoney(summary.balance));
  return { exchange, account, mode, positionMode, balance };
}
