// /admin/symbol-map: which market is traded for the name that a chart sends.

import { z } from 'zod';
import { EXCHANGES } from '../../exchanges/exchange.ts';
import { actorOf } from '../../http/audit.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import { readValid } from '../../http/read-body.ts';
import { MAX_ACCOUNT_CHARS } from '../../trading/accounts.ts';
import {
  MAX_MAPPED_SYMBOL_CHARS,
  type MappedSymbol,
  type SymbolMap,
  SymbolMapFault,
} from '../../trading/intake/symbol-map.ts';
import { ONE_LINE } from '../../trading/name-spelling.ts';
import { answer, shaped, TAGS } from './admin-answers.ts';
import { readQuery } from './read-query.ts';
import { BAD_BODY, ok, refused } from './responses.ts';
import { described } from './schemas.ts';

const symbol = described(
  z
    .string()
    .min(1, { abort: true })
    .max(MAX_MAPPED_SYMBOL_CHARS, { abort: true })
    .regex(ONE_LINE, { error: 'has control characters, remove them' }),
  'As the chart sends it, such as NQ1! or BINANCE:BTCUSDT.P; any case',
);
const entrySchema = z.strictObject({
  symbol,
  market: described(z.string().min(1).max(64), 'The market that is traded for it, such as BTCUSDT'),
  exchange: described(z.enum(EXCHANGES).optional(), 'Where, whatever the signal says; where it says when omitted'),
  account: described(z.string().min(1).max(MAX_ACCOUNT_CHARS).optional(), 'On which account, whatever the signal says'),
});
export const mappedSymbolSchema = z.object({
  symbol: z.string(),
  market: z.string(),
  exchange: z.enum(EXCHANGES).nullable(),
  account: z.string().nullable(),
});
const removeSchema = z.strictObject({ symbol: symbol.meta({ examples: ['GOLD'] }) });

export const symbolMapEndpoints = (symbols: SymbolMap): readonly Endpoint[] => [
  {
    method: 'get',
    path: '/admin/symbol-map',
    summary: 'Which market is traded for the names that charts send',
    tags: TAGS,
    responses: ok('Entries', z.array(mappedSymbolSchema)),
    handler: (c) => answer(c, symbols.list().map(shown)),
  },
  {
    method: 'put',
    path: '/admin/symbol-map',
    summary: 'Add an entry, or replace that of the same symbol',
    tags: TAGS,
    body: entrySchema,
    bodyExample: { symbol: 'GOLD', market: 'PAXGUSDT', exchange: 'binance' },
    responses: { ...ok('The entry', mappedSymbolSchema), 400: BAD_BODY },
    async handler(c) {
      const entry = await readValid(c, entrySchema, shaped);
      try {
        return answer(c, shown(await symbols.set(entry, actorOf(c))));
      } catch (error) {
        if (!(error instanceof SymbolMapFault)) throw error;
        throw new Refusal('INVALID_PAYLOAD', error.message, { extra: { faults: [error.message] } });
      }
    },
  },
  {
    method: 'delete',
    path: '/admin/symbol-map',
    summary: 'Remove an entry',
    tags: TAGS,
    query: removeSchema,
    responses: {
      ...ok('What was removed', mappedSymbolSchema),
      400: refused('INVALID_QUERY'),
      404: refused('SYMBOL_NOT_MAPPED'),
    },
    async handler(c) {
      const removed = await symbols.remove(readQuery(c, removeSchema).symbol, actorOf(c));
      if (!removed) throw new Refusal('SYMBOL_NOT_MAPPED');
      return answer(c, shown(removed));
    },
  },
];

const shown = ({ symbol: name, market, exchange = undefined, account = undefined }: MappedSymbol) => ({
  symbol: name,
  market,
  exchange: exchange ?? null,
  account: account ?? null,
});
