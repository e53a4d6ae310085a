// Our own positions in memory, as the journal's fills made them or a venue corrected them; each market is touched by its lane only.

import type { OrderReport } from '../venue.ts';
import { type BookedFill, fillKey, type Trade } from './journal.ts';
import { applyFill, emptyPosition, type Position, type PositionName, positionKey } from './position.ts';

export interface PositionBook {
  /** Books the fills that are not in `booked` yet, adds them to it, and returns what must be written. */
  apply(
    trade: Trade,
    report: OrderReport,
    booked: Set<string>,
  ): { fills: BookedFill[]; position: Position | undefined };
  get(name: PositionName): Position | undefined;
  /** Every position there is or was. */
  all(): readonly Position[];
  /** Takes the venue's word for our own. */
  adopt(position: Position): void;
  /** Tells of every change of a position, at once and in the order of the books. */
  watch(listener: (change: PositionChange) => void): void;
}

export interface PositionChange {
  readonly position: Position;
  /** Whose fills made it; absent where the venue's word was taken over. */
  readonly by?: { readonly trade: Trade; readonly report: OrderReport };
}

export function createPositionBook(positions: readonly Position[]): PositionBook {
  const byKey = new Map(positions.map((position) => [positionKey(position), position]));
  const listeners: ((change: PositionChange) => void)[] = [];
  const tell = (change: PositionChange): void => {
    for (const listener of listeners) listener(change);
  };
  return {
    get: (name) => byKey.get(positionKey(name)),
    all: () => [...byKey.values()],
    adopt(position) {
      byKey.set(positionKey(position), position);
      tell({ position });
    },
    watch: (listener) => void listeners.push(listener),
    apply(trade, report, booked) {
      const of = {
        exchange: trade.order.exchange,
        mode: trade.mode,
        account: trade.account,
        market: report.market,
        side: report.positionSide,
      };
      const key = positionKey(of);
      let position = byKey.get(key) ?? emptyPosition(of);
      const fills: BookedFill[] = [];
      for (const fill of report.fills) {
        const id = fillKey({ clientOrderId: report.clientOrderId, fillId: fill.fillId });
        if (booked.has(id)) continue;
        booked.add(id);
        const applied = applyFill(position, report.side, fill);
        position = applied.position;
        fills.push({ clientOrderId: report.clientOrderId, ...fill, realizedPnl: applied.realizedPnl });
      }
      if (fills.length === 0) return { fills, position: undefined };
      byKey.set(key, position);
      tell({ position, by: { trade, report } });
      return { fills, position };
    },
  };
}
