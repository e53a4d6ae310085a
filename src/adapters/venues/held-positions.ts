// A venue's list of positions. One that cannot be read, such as in a kind of contract that we do not know, must not hide the others;
// whoever asks about its own market is told that it cannot be read.

import type { VenuePosition } from '../../trading/venue.ts';
import type { Fields } from '../read-json.ts';

export interface HeldPositions {
  /** Only those that are not flat. */
  readonly positions: readonly VenuePosition[];
  /** Markets in which something is, or may be, held that cannot be read. */
  readonly unreadable: ReadonlySet<string>;
}

export interface PositionRows {
  /** Our name of its market; undefined for a market whose positions are left out. Throws where the row names none. */
  readonly marketOf: (row: Fields) => string | undefined;
  /** Undefined for a flat one. Throws where the row cannot be read. */
  readonly read: (row: Fields) => VenuePosition | undefined;
}

export function readHeld(rows: readonly Fields[], { marketOf, read }: PositionRows): HeldPositions {
  const positions: VenuePosition[] = [];
  const unreadable = new Set<string>();
  for (const row of rows) {
    const market = marketOf(row);
    if (market === undefined) continue;
    try {
      const position = read(row);
      if (position !== undefined) positions.push(position);
    } catch {
      unreadable.add(market);
    }
  }
  return { positions, unreadable };
}
