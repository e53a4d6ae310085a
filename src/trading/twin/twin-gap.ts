// The gap between what was traded for real and its paper twin, split into what made it; the parts sum to the gap exactly.
//
// A trade is a signed quantity q that was paid for with its cost (quantity times price, signed too) and a fee. Marked at the last
// price L it is worth q·L − cost − fee. For a live trade (q at the average price P) and its twin (t at p), with the middle M0 and the
// half spread h0 of the market when the signal was accepted, and M1 and h1 when the order was sent:
//
//   delay        −q·(M1 − M0)           the market moved before the order was sent
//   spread       −(|q|·h1 − |t|·h0)     what crossing to the other side of the market cost
//   impact       the rest of −q·(P − M0) + t·(p − M0)
//   size         (q − t)·(L − M0)       `refusal` where one of the two has no fill at all, `partialFill` else
//   fees         −(F − f)
//
// What needs a mark that is missing is `unmarked`. What only one of the two did by itself, such as a stop, is `other`.

import {
  absolute,
  type Decimal,
  decimal,
  minus,
  type Product,
  plus,
  product,
  rounded,
  roundTo,
  ZERO,
} from '../decimal.ts';

export const GAP_PARTS = [
  'delay',
  'spread',
  'impact',
  'fees',
  'funding',
  'partialFill',
  'refusal',
  'unmarked',
  'other',
] as const;
export type GapPart = (typeof GAP_PARTS)[number];

export const GAP_PART_WORDS: Readonly<Record<GapPart, string>> = {
  delay: 'delay',
  spread: 'spread',
  impact: 'impact',
  fees: 'fees',
  funding: 'funding',
  partialFill: 'partial fills',
  refusal: 'refusals',
  unmarked: 'unmarked',
  other: 'other',
};

/** What a trade has filled, in all. */
export interface Filled {
  /** Negative where it sold. */
  readonly quantity: Decimal;
  /** Quantity times price, with the sign of the quantity. */
  readonly cost: Product;
  readonly fee: Decimal;
}

/** The best prices of a market at one moment. */
export interface Mark {
  readonly bid: Decimal;
  readonly ask: Decimal;
}

/** A live trade and its twin, in one market. */
export interface TradePair {
  readonly live: Filled;
  readonly twin: Filled;
  /** When the signal was accepted. */
  readonly accepted?: Mark | undefined;
  /** When the live order was sent. */
  readonly sent?: Mark | undefined;
  /** The last price of the market. */
  readonly lastPrice: Decimal;
}

/** A trade that only one of the two has made. */
export interface LoneTrade {
  readonly side: 'live' | 'twin';
  readonly filled: Filled;
  readonly lastPrice: Decimal;
}

export interface TwinTrades {
  readonly pairs: readonly TradePair[];
  readonly lone: readonly LoneTrade[];
  /** What holding has cost (negative) or earned. */
  readonly funding: { readonly live: Decimal; readonly twin: Decimal };
}

/** Exact; `live` less `twin` is the sum of the parts. */
export interface TwinGap {
  readonly live: Product;
  readonly twin: Product;
  readonly parts: Readonly<Record<GapPart, Product>>;
}

/** The same in cents: `live` less `twin` is the `gap`, and the parts sum to it. */
export interface ShownGap {
  readonly live: Decimal;
  readonly twin: Decimal;
  readonly gap: Decimal;
  readonly parts: Readonly<Record<GapPart, Decimal>>;
}

export const NOTHING_FILLED: Filled = { quantity: ZERO, cost: 0n as Product, fee: ZERO };

const ONE = decimal('1');
const CENT = decimal('0.01');
const NOTHING = 0n as Product;
const sum = (a: Product, b: Product): Product => (a + b) as Product;
const less = (a: Product, b: Product): Product => (a - b) as Product;
const exact = (amount: Decimal): Product => product(amount, ONE);

export function twinGap({ pairs, lone, funding }: TwinTrades): TwinGap {
  const parts = Object.fromEntries(GAP_PARTS.map((part) => [part, NOTHING])) as Record<GapPart, Product>;
  let [live, twin] = [exact(funding.live), exact(funding.twin)];
  parts.funding = less(live, twin);
  for (const pair of pairs) {
    live = sum(live, worthOf(pair.live, pair.lastPrice));
    twin = sum(twin, worthOf(pair.twin, pair.lastPrice));
    for (const [part, amount] of Object.entries(partsOf(pair)))
      parts[part as GapPart] = sum(parts[part as GapPart], amount);
  }
  for (const { side, filled, lastPrice } of lone) {
    const worth = worthOf(filled, lastPrice);
    if (side === 'live') live = sum(live, worth);
    else twin = sum(twin, worth);
    parts.other = side === 'live' ? sum(parts.other, worth) : less(parts.other, worth);
  }
  return { live, twin, parts };
}

const worthOf = ({ quantity, cost, fee }: Filled, price: Decimal): Product =>
  less(less(product(quantity, price), cost), exact(fee));

function partsOf(pair: TradePair): Partial<Record<GapPart, Product>> {
  const { live, twin, accepted, lastPrice } = pair;
  const fees = exact(minus(twin.fee, live.fee));
  const gainedSince = ({ quantity, cost }: Filled, price: Decimal): Product => less(product(quantity, price), cost);
  if (accepted === undefined)
    return { fees, unmarked: less(gainedSince(live, lastPrice), gainedSince(twin, lastPrice)) };
  const middle = middleOf(accepted);
  const size = product(minus(live.quantity, twin.quantity), minus(lastPrice, middle));
  const isOneEmpty = live.quantity === ZERO || twin.quantity === ZERO;
  const bySize = isOneEmpty ? { refusal: size } : { partialFill: size };
  const byPrice = less(gainedSince(live, middle), gainedSince(twin, middle));
  // Nothing was sent where nothing was filled, so there the moment of sending has no say.
  const sent = pair.sent ?? (live.quantity === ZERO ? accepted : undefined);
  if (sent === undefined) return { fees, ...bySize, unmarked: byPrice };
  const delay = product(live.quantity, minus(middle, middleOf(sent)));
  const spread = less(
    product(absolute(twin.quantity), halfOf(accepted)),
    product(absolute(live.quantity), halfOf(sent)),
  );
  return { fees, ...bySize, delay, spread, impact: less(less(byPrice, delay), spread) };
}

const middleOf = ({ bid, ask }: Mark): Decimal => (plus(bid, ask) / 2n) as Decimal;
const halfOf = (mark: Mark): Decimal => minus(mark.ask, middleOf(mark));

/** Each number to the nearest cent; what that leaves over goes to the parts that were rounded the most. A part that is nothing stays so. */
export function shownGap({ live, twin, parts }: TwinGap): ShownGap {
  const cents = (amount: Product): Decimal => roundTo(rounded(amount), CENT);
  const shown = Object.fromEntries(GAP_PARTS.map((part) => [part, cents(parts[part])])) as Record<GapPart, Decimal>;
  const gap = minus(cents(live), cents(twin));
  const restOf = (part: GapPart): Product => less(parts[part], exact(shown[part]));
  const changeable = GAP_PARTS.filter((part) => parts[part] !== NOTHING);
  for (let left = minus(gap, Object.values(shown).reduce(plus, ZERO)); left !== ZERO; ) {
    const step = left > ZERO ? CENT : (-CENT as Decimal);
    const most = changeable.reduce((a, b) => ((restOf(b) - restOf(a)) * step > 0n ? b : a));
    shown[most] = plus(shown[most], step);
    left = minus(left, step);
  }
  return { live: cents(live), twin: cents(twin), gap, parts: shown };
}
