// What the kill switch would do to what is out now, in words: the entries that rest at the venues, and the positions that are held.

import { venueOf } from '../pages/trades/trade-words.ts';
import type { Order, Position } from '../server/answers.ts';
import { MOST_OPEN_ORDERS } from '../server/open-orders.ts';
import { counted, plain } from '../ui/numbers.ts';

/** More would hide the buttons; the lists have them all. */
const MOST_NAMED = 3;

/** In this order, so that real money is counted and named first. */
const MODES: readonly Position['mode'][] = ['live', 'testnet', 'paper'];

/** Without orders nobody knows; `isTakenBack`: the switch is to take entries back. */
export function entriesEffect(orders: readonly Order[] | undefined, isTakenBack: boolean): string {
  if (orders === undefined) return 'Not known how many rest now.';
  const entries = orders.filter(({ reduceOnly }) => !reduceOnly);
  const closing = orders.length - entries.length;
  // A full list may not be the whole of it.
  const isAll = orders.length < MOST_OPEN_ORDERS;
  const rest = closing === 0 ? '' : ` ${closingWords(closing, isAll)}`;
  if (entries.length === 0) return `${isAll ? 'None rests now.' : 'Not known how many rest now.'}${rest}`;
  const count = `${isAll ? '' : 'at least '}${counted(entries.length, 'resting entry', 'resting entries')}`;
  const which = `${count} (${moneyOf(entries)})`;
  const named = namesOf(entries, orderName);
  if (isTakenBack) return `Takes back ${which}: ${named}.${rest}`;
  return `${capital(which)} ${entries.length === 1 ? 'stays' : 'stay'} and may fill: ${named}.${rest}`;
}

/** Without positions nobody knows; `isClosed`: the switch is to close them. */
export function positionsEffect(positions: readonly Position[] | undefined, isClosed: boolean): string {
  if (positions === undefined)
    return isClosed
      ? 'Closes all there are, on every account, at once. Not known which.'
      : 'Not known what is held now.';
  if (positions.length === 0) return 'Nothing is held now.';
  const which = `${counted(positions.length, 'position')} (${moneyOf(positions)})`;
  if (isClosed) return `Closes ${which} at once: ${namesOf(positions, positionName)}.`;
  return `${which} ${positions.length === 1 ? 'stays' : 'stay'} open.`;
}

const closingWords = (count: number, isAll: boolean): string =>
  `${isAll ? '' : 'At least '}${counted(count, 'order')} ${count === 1 ? 'that closes stays' : 'that close stay'}.`;

const capital = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}`;

/** `LIVE`, or `LIVE 1, PAPER 2` where it is not all the same money. */
function moneyOf(rows: readonly { readonly mode: Position['mode'] }[]): string {
  const counts = MODES.map((mode) => [mode, rows.filter((row) => row.mode === mode).length] as const);
  const present = counts.filter(([, count]) => count > 0);
  return present
    .map(([mode, count]) => (present.length === 1 ? mode.toUpperCase() : `${mode.toUpperCase()} ${count}`))
    .join(', ');
}

function namesOf<Row extends { readonly mode: Position['mode'] }>(
  rows: readonly Row[],
  nameOf: (row: Row) => string,
): string {
  const sorted = MODES.flatMap((mode) => rows.filter((row) => row.mode === mode));
  const more = sorted.length - MOST_NAMED;
  return `${sorted.slice(0, MOST_NAMED).map(nameOf).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function orderName(order: Order): string {
  const { side, quantity, market, executedQty } = order;
  const filled = executedQty > 0 ? `, of which ${plain(executedQty)} has filled and stays` : '';
  return `${side} ${plain(quantity)} ${market} on ${venueOf(order)}${filled}`;
}

function positionName(position: Position): string {
  const { side, quantity, market } = position;
  const where = `${market} on ${venueOf(position)}`;
  // Shares of strategies may cancel each other out; they are closed all the same.
  return quantity === 0 ? `the shares of ${where}` : `${side} ${plain(quantity)} ${where}`;
}
