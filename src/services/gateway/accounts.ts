// GET /accounts: the accounts there are, for whoever wants to name one in a signal.

import { z } from 'zod';
import { EXCHANGES } from '../../exchanges/exchange.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import type { Accounts } from '../../trading/accounts.ts';
import { shownMoney } from '../../trading/books/shown-amounts.ts';
import { toNumber } from '../../trading/decimal.ts';
import { type Venue, VenueError } from '../../trading/venue.ts';
import { NO_QUERY, readQuery } from './read-query.ts';
import { ok, refused } from './responses.ts';

export const accountSchema = z.object({
  exchange: z.enum(EXCHANGES),
  account: z.string().meta({ description: 'The name that a signal gives as account' }),
  mode: z.enum(['paper', 'testnet', 'live']),
  positionMode: z.enum(['one-way', 'hedge']),
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
  return { exchange, account, mode, positionMode: await venue.positionMode(), balance: await balanceOf(venue) };
}

/** An account whose venue does not answer is there all the same. */
async function balanceOf(venue: Venue): Promise<number | null> {
  try {
    return toNumber(shownMoney((await venue.summary()).balance));
  } catch (error) {
    if (error instanceof VenueError) return null;
    throw error;
  }
}
