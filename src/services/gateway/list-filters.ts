// The filters that the lists of trades, orders, refusals and signals have in common.

import { z } from 'zod';
import type { TradeSearch } from '../../trading/books/journal.ts';
import { ACTIONS } from '../../trading/signal.ts';
import { VENUE_MODES } from '../../trading/venue.ts';
import { backwards, moment } from './read-bars-query.ts';
import { described } from './schemas.ts';
import { tagSchema } from './trade-notes.ts';

/** What a person types into a field; one letter would find everything. */
const MIN_SEARCH_CHARS = 2;
const MAX_SEARCH_CHARS = 64;
/** All the sources there are. */
const MAX_SOURCES_CHARS = 200;

export const searchFilter = (where: string) =>
  described(
    z.string().trim().min(MIN_SEARCH_CHARS).max(MAX_SEARCH_CHARS).optional(),
    `Only where these letters occur, in any case, in ${where}`,
  );

export const timeFilters = {
  from: moment('At or after it').optional(),
  to: moment('Before it').optional(),
};

export const actionFilter = described(z.enum(ACTIONS).optional(), 'Only signals with this action');
export const keyFilter = described(z.string().min(1).max(64).optional(), 'Only signals under the key with this label');

/** Of trades, and of orders by their trades. */
export const tradeFilters = {
  mode: described(z.enum(VENUE_MODES).optional(), 'Only accounts of this mode; live is real money'),
  key: keyFilter,
  action: actionFilter,
  source: described(
    z.string().min(1).max(MAX_SOURCES_CHARS).optional(),
    'Only from this source, such as webhook or tradingview; several with commas between them',
  ),
  tag: described(tagSchema.optional(), 'Only trades that have this tag'),
  ...timeFilters,
  search: searchFilter('symbol, strategy, comment, request id, alert id, key, error, note'),
};

/** A stretch of time as the stores take it. */
export function rangeOf({ from, to }: { readonly from?: number | undefined; readonly to?: number | undefined }) {
  if (from !== undefined && to !== undefined && from > to) throw backwards();
  return { fromMs: from, toMs: to };
}

/** The same for what trades are searched by. */
export const searchOf = ({ mode, key, action, source, tag, search }: TradeQuery): TradeSearch => ({
  ...{ mode, keyLabel: key, action, source, tag, search },
});

type TradeQuery = { readonly [Name in keyof typeof tradeFilters]?: z.infer<(typeof tradeFilters)[Name]> };
