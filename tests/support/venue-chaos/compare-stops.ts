// Compares the stops that wait at the venues with what the gateway says it guards: nothing that has a stop may be without it, and no
// stop may wait for a position that is gone.

import { type Decimal, decimal, larger, plus, smaller, toText, ZERO } from '../../../src/trading/decimal.ts';
import type { EmulatedVenue } from '../emulated-venues/emulated-venue.ts';
import type { StopOrder } from '../emulated-venues/futures-order.ts';

/** An answer of the gateway, of which only some fields are read. */
type Rows = readonly Readonly<Record<string, unknown>>[];

export interface Guarded {
  readonly protections: Rows;
  readonly positions: Rows;
}

const sum = (amounts: readonly Decimal[]): Decimal => amounts.reduce(plus, ZERO);
const isSell = ({ side }: Pick<StopOrder, 'side'>): boolean => side === 'SELL';
/** A stop loss waits for the price to turn against the position that it closes. */
const isLoss = (stop: StopOrder): boolean => isSell(stop) === (stop.waitsFor === 'fall');

export function stopFaults(venues: ReadonlyMap<string, EmulatedVenue>, guarded: Guarded): string[] {
  return [...venues].flatMap(([exchange, { market }]) => {
    const waiting = market.stops.waiting();
    const held = market.account.heldPositions();
    const symbols = new Set([...waiting, ...held].map(({ symbol }) => symbol));
    return [...symbols].flatMap((symbol) =>
      (['LONG', 'SHORT'] as const).flatMap((side) => {
        const positions = held.filter((each) => each.symbol === symbol && each.quantity > 0n === (side === 'LONG'));
        const quantity = sum(positions.map((each) => larger(each.quantity, -each.quantity as Decimal)));
        const ours = waiting.filter((stop) => stop.symbol === symbol && isSell(stop) === (side === 'LONG'));
        const amounts = (isWanted: boolean): Decimal =>
          sum(ours.filter((stop) => isLoss(stop) === isWanted).map((stop) => stop.quantity ?? quantity));
        const wanted = smaller(quantity, guardedIn(guarded, exchange, symbol, side));
        const where = `${exchange} ${symbol} ${side} ${toText(quantity)}`;
        return [
          ...(amounts(true) === wanted
            ? []
            : [`${where}: stops for ${toText(amounts(true))} wait there, ${toText(wanted)} are to be guarded`]),
          ...(amounts(false) <= quantity ? [] : [`${where}: take profits for ${toText(amounts(false))} wait there`]),
        ];
      }),
    );
  });
}

/** What the shares with a stop loss hold of one side of a market. */
function guardedIn({ protections, positions }: Guarded, exchange: string, symbol: string, side: string): Decimal {
  const strategies = protections
    .filter((each) => each.exchange === exchange && each.symbol === symbol && each.side === side && each.stopLoss)
    .map(({ strategy }) => strategy);
  const amounts = positions
    .filter((each) => each.exchange === exchange && each.market === symbol)
    .flatMap((position) => {
      const shares = position.strategies as Rows;
      if (shares.length === 0 && position.side === side && strategies.includes(null)) return [position.quantity];
      return shares
        .filter((share) => share.side === side && strategies.includes(share.strategy || null))
        .map((share) => share.quantity);
    });
  return sum(amounts.map((amount) => decimal(String(amount))));
}
