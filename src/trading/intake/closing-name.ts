// Whose share a close means where the name in it is spelled in a way that nobody sees.

import { ACTION_MEANING } from '../action.ts';
import type { PositionBook } from '../books/position-book.ts';
import { ZERO } from '../decimal.ts';
import { plainName } from '../name-spelling.ts';
import type { Target } from './routes.ts';

/**
 * No strategy opens under a name with blanks beside each other or signs that nobody sees, but templates and mail programs
 * put them into the name of an exit: then the plain name is meant. What an earlier version opened under the very spelling
 * comes first.
 */
export function closingByName(target: Target, positions: Pick<PositionBook, 'strategiesIn'>): Target {
  const { venue, order } = target;
  const { exchange, market, strategy } = order;
  if (strategy === undefined || !ACTION_MEANING[order.action].closes) return target;
  const plain = plainName(strategy);
  if (plain === strategy || plain === '') return target;
  const shares = positions.strategiesIn({ exchange, mode: venue.mode, account: venue.account, market });
  if (shares.some((share) => share.strategy === strategy && share.quantity > ZERO)) return target;
  return { venue, order: { ...order, strategy: plain } };
}
