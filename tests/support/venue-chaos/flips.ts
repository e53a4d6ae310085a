// Watches a venue for closes that do what a close must never do: turn a position around, or open one.

import { type Decimal, ZERO } from '../../../src/trading/decimal.ts';
import type { MatchingMarket } from '../emulated-venues/matching-market.ts';

/** The last letter of a client order id of ours says what the order is for: these close. */
const CLOSING = /^sbx\w+[fcr]$/;

/** `others`: the market in which others trade too, so that what is held is not ours alone to turn. */
export function watchFlips(market: MatchingMarket, faults: string[], others: string | undefined): void {
  const before = new Map<string, Decimal>();
  market.listen((event) => {
    if (event.type !== 'order' || event.change !== 'trade') return;
    const { symbol, positionSide, clientOrderId, reduceOnly } = event.order;
    if (symbol === others) return;
    const key = `${symbol} ${positionSide}`;
    const held = before.get(key) ?? ZERO;
    const now = market.account.position(symbol, positionSide).quantity;
    before.set(key, now);
    const isTurned = now !== ZERO && held > 0n !== now > 0n;
    if (isTurned && (reduceOnly || (CLOSING.test(clientOrderId) && held !== ZERO)))
      faults.push(`${clientOrderId}, which closes, made ${held} to ${now} in ${key}`);
  });
}
