// Why a signal cannot become orders, in words that name the way out.

import { ACTION_MEANING } from '../action.ts';
import { NAMELESS } from '../books/strategy-book.ts';
import type { OwnShare } from '../books/strategy-books.ts';
import { absolute, type Decimal, times, toText, ZERO } from '../decimal.ts';
import type { SignalOrder } from '../signal.ts';
import type { Market, VenuePosition } from '../venue.ts';

/** Whose account it is, in words. */
interface AccountFacts {
  readonly account: string;
}

/** What is held by the account, and by the strategy. */
interface HeldFacts extends AccountFacts {
  readonly positions: readonly VenuePosition[];
  readonly share: Pick<OwnShare, 'quantity'>;
}

export const tooSmall = (order: SignalOrder, { market, account }: AccountFacts & { readonly market: Market }): string =>
  `${toText(order.quantity)} is too small for ${order.market} on ${account}: ` +
  `the minimum is ${toText(market.minQuantity)}, in steps of ${toText(market.stepSize)}`;

export const tooLarge = ({ symbol, maxQuantity = ZERO }: Market, quantity: Decimal): string =>
  `an order of ${toText(quantity)} is larger than ${symbol} takes at once, ${toText(maxQuantity)}: send a smaller quantity`;

export const noEntries = ({ market, account }: AccountFacts & { readonly market: Market }): string | undefined =>
  market.noEntries === undefined
    ? undefined
    : `nothing can be opened in ${market.symbol} on ${account} now: ${market.noEntries}; closes and stops are sent all the same`;

/** Without a price the venue itself decides. */
export function notionalFault(order: SignalOrder, market: Market, quantity: Decimal, price: Decimal | undefined) {
  const notional = price === undefined ? undefined : times(quantity, price);
  if (notional === undefined || notional >= market.minNotional) return undefined;
  const minimum = `the minimum of ${toText(market.minNotional)} USDT on ${market.symbol}`;
  const cut = quantity === order.quantity ? '' : ` (${quantityCut(order, market, quantity)})`;
  return `an order of ${toText(notional)} USDT is below ${minimum}${cut}; raise the quantity`;
}

/** Why the venue is asked for less than the signal said. */
export const quantityCut = ({ quantity }: SignalOrder, { symbol, stepSize }: Market, cutTo: Decimal): string =>
  `${toText(quantity)} was cut to ${toText(cutTo)}: ${symbol} trades in steps of ${toText(stepSize)}`;

/** The limit may never be reached, so the position that is held must not be given up for it. */
export function oppositeHeld(order: SignalOrder, facts: HeldFacts): string {
  const { market, action } = order;
  const side = ACTION_MEANING[action].positionSide === 'LONG' ? 'SHORT' : 'LONG';
  const held = facts.positions.find((position) => position.side === side);
  const who = held ? facts.account : `strategy ${JSON.stringify(order.strategy ?? '')}`;
  const quantity = held?.quantity ?? absolute(facts.share.quantity);
  return (
    `${who} holds ${side} ${toText(quantity)} ${market}, and a one-way account cannot wait for the other side meanwhile: ` +
    `send CLOSE_${side} first, or leave out price to reverse at market, or let the account hold both sides (hedge mode; paper accounts: ` +
    'PAPER_POSITION_MODE=hedge, or :hedge behind its balance in PAPER_ACCOUNTS); nothing was sent'
  );
}

/** Why an account cannot give all that a strategy wants to close of its own share. */
export interface NotClosable {
  /** What the account holds as a whole, in words. */
  readonly net: string;
  /** Whether the shares of the strategies come to what the venue holds. */
  readonly agrees: boolean;
  readonly atLimit: boolean;
}

export const notClosable = ({ symbol }: Market, { net, agrees, atLimit }: NotClosable): string => {
  if (!agrees)
    return `the venue holds ${net}, which is not what the strategies hold together, and then a close only reduces (GET /positions shows the shares)`;
  const others = `others hold the other side and the account as a whole holds ${net}`;
  return atLimit
    ? `${others}, and a close at a limit price can only reduce that; leave out price to close at market`
    : `${others}, and an order for what is left would be below the minimum of ${symbol}; close it together with more`;
};

/** The strategy has its share, and the account as a whole nothing of that side. */
export function nothingToReduce(order: SignalOrder, facts: HeldFacts, why: string): string {
  const { market, action, strategy = NAMELESS } = order;
  const who = strategy === NAMELESS ? 'signals without a strategy hold' : `strategy ${JSON.stringify(strategy)} holds`;
  const share = `${ACTION_MEANING[action].positionSide} ${toText(absolute(facts.share.quantity))}`;
  return `${who} ${share} ${market} on ${facts.account}, but ${why}; nothing was sent`;
}

/** Says whether nobody holds it, or only somebody else does: then the strategy's name is what is missing or wrong. */
export function nothingToClose(order: SignalOrder, facts: HeldFacts): string {
  const { market, action, strategy = NAMELESS } = order;
  const { account } = facts;
  const { positionSide } = ACTION_MEANING[action];
  const held = facts.positions.find(({ side }) => side === positionSide);
  const side = positionSide.toLowerCase();
  if (!held) return `there is no ${side} position in ${market} on ${account} to close`;
  const who = strategy === NAMELESS ? 'signals without a strategy' : `strategy ${JSON.stringify(strategy)}`;
  return (
    `the ${side} position of ${toText(held.quantity)} ${market} on ${account} has no share of ${who}; ` +
    'send the strategy that opened it (GET /positions shows the shares)'
  );
}
