// A venue's list of open orders. The owner may have placed orders of any kind there by hand, and venues invent new kinds: one that
// is not ours and cannot be read must not hide ours. One of ours that cannot be read stays a fault of the whole list.

import { CLIENT_ORDER_PREFIX, type UnreadableOrder } from '../../trading/venue.ts';
import type { Fields } from '../read-json.ts';
import type { VenueOrder } from './venue-adapter.ts';

/** How one venue writes its rows. */
export interface OrderRows {
  /** The field with the client order id; ours always have one. */
  readonly clientId: string;
  /** What a person would look for in a row that cannot be read. */
  readonly shown: readonly string[];
  /** Undefined for what stands in the list and is no open order. Throws where the row cannot be read. */
  readonly read: (row: Fields) => VenueOrder | undefined;
}

const MAX_SHOWN_CHARS = 40;

export const isOurs = (clientId: unknown): boolean =>
  typeof clientId === 'string' && clientId.startsWith(CLIENT_ORDER_PREFIX);

/** Ours alone; the others are not read. */
export const readOurs = (rows: readonly Fields[], { clientId, read }: OrderRows): readonly VenueOrder[] =>
  rows
    .filter((row) => isOurs(row[clientId]))
    .map(read)
    .filter((order) => order !== undefined);

/** Everybody's; of one that is not ours and cannot be read, what can be read. */
export function readEveryones(
  rows: readonly Fields[],
  { clientId, shown, read }: OrderRows,
): readonly (VenueOrder | UnreadableOrder)[] {
  return rows.flatMap((row): VenueOrder | UnreadableOrder | readonly [] => {
    try {
      return read(row) ?? [];
    } catch (error) {
      if (isOurs(row[clientId])) throw error;
      return { orderId: textOf(row.orderId), market: textOf(row.symbol), words: wordsOf(row, shown) };
    }
  });
}

const wordsOf = (row: Fields, shown: readonly string[]): string =>
  shown
    .filter((name) => row[name] !== undefined)
    .map((name) => `${name} ${textOf(row[name])}`)
    .join(', ');

const textOf = (value: unknown): string =>
  typeof value === 'string' && value !== '' ? value.slice(0, MAX_SHOWN_CHARS) : 'unknown';
