// Compares the stops that wait at the venues with what the gateway says it guards: nothing that has a stop may be without it, and no
// stop may wait for a position that is gone.

import { type Decimal, decimal, larger, plus, smaller, toText, ZERO } from '../../../src/trading/decimal.ts';
import type { EmulatedVenue } from '../emulated-venues/emulated-venue.ts';
import type { StopOrder } from '../emulated-venues/futures-order.ts';
import { accountOf } from './compare-books.ts';

/** An answer of the gateway, of which only some fields are read. */
type Venues = ReadonlyMap<string, Pick<EmulatedVenue, 'market'>>;
type Rows = readonly Readonly<Record<string, unknown>>[];

export interface Guarded {
  readonly protections: Rows;
  readonly positions: Rows;
}

const sum = (amounts: readonly Decimal[]): Decimal => amounts.reduce(plus, ZERO);
const isSell = ({ side }: Pick<StopOrder, 'side'>): boolean => side === 'SELL';
/** A stop loss waits for the price to turn against the position that it closes. */
const isLoss = (stop: StopOrder): boolean => isSell(stop) === (stop.waitsFor === 'fall');

/** What waits for one side of a market, and what should. */
interface Cover {
  /** In words. */
  readonly account: string;
  readonly symbol: string;
  readonly side: 'LONG' | 'SHORT';
  readonly held: Decimal;
  readonly wanted: Decimal;
  readonly losses: Decimal;
  readonly profits: Decimal;
}

export function stopFaults(venues: Venues, guarded: Guarded): string[] {
  return coversOf(venues, guarded).flatMap(({ account, symbol, side, held, wanted, losses, profits }) => {
    const where = `${account} ${symbol} ${side} ${toText(held)}`;
    return [
      ...(losses === wanted
        ? []
        : [`${where}: stops for ${toText(losses)} wait there, ${toText(wanted)} are to be guarded`]),
      ...(profits <= held ? [] : [`${where}: take profits for ${toText(profits)} wait there`]),
    ];
  });
}

/** What has too little at its venue, as `binance BTCUSDT LONG` or `binance:second BTCUSDT LONG`. */
export const nakedIn = (venues: Venues, guarded: Guarded): readonly string[] =>
  coversOf(venues, guarded)
    .filter(({ losses, wanted }) => losses < wanted)
    .map(({ account, symbol, side }) => `${account} ${symbol} ${side}`);

function coversOf(venues: Venues, guarded: Guarded): readonly Cover[] {
  return [...venues].flatMap(([account, { market }]) => {
    const waiting = market.stops.waiting();
    const held = market.account.heldPositions();
    const symbols = new Set([...waiting, ...held].map(({ symbol }) => symbol));
    return [...symbols].flatMap((symbol) =>
      (['LONG', 'SHORT'] as const).map((side) => {
        const positions = held.filter((each) => each.symbol === symbol && each.quantity > 0n === (side === 'LONG'));
        const quantity = sum(positions.map((each) => larger(each.quantity, -each.quantity as Decimal)));
        const ours = waiting.filter((stop) => stop.symbol === symbol && isSell(stop) === (side === 'LONG'));
        const amounts = (isWanted: boolean): Decimal =>
          sum(ours.filter((stop) => isLoss(stop) === isWanted).map((stop) => stop.quantity ?? quantity));
        const wanted = smaller(quantity, guardedIn(guarded, account, symbol, side));
        return { account, symbol, side, held: quantity, wanted, losses: amounts(true), profits: amounts(false) };
      }),
    );
  });
}

/** What the shares with a stop loss, or a trail that has begun, hold of one side of a market. */
function guardedIn({ protections, positions }: Guarded, account: string, symbol: string, side: string): Decimal {
  const strategies = protections
    .filter((each) => accountOf(each) === account && each.symbol === symbol && each.side === side && isGuarded(each))
    .map(({ strategy }) => strategy);
  const amounts = positions
    .filter((each) => accountOf(each) === account && each.market === symbol)
    .flatMap((position) => {
      const shares = position.strategies as Rows;
      if (shares.length === 0 && position.side === side && strategies.includes(null)) return [position.quantity];
      return shares
        .filter((share) => share.side === side && strategies.includes(share.strategy || null))
        .map((share) => share.quantity);
    });
  return sum(amounts.map((amount) => decimal(String(amount))));
}

const isGuarded = ({ stopLoss, trail }: Readonly<Record<string, unknown>>): boolean =>
  Boolean(stopLoss) || ((trail as { readonly peak?: number | null } | null)?.peak ?? null) !== null;
