// What all trades made up to and with each one, as TradingView sums it up: fees of entries that are still open are paid.

import type { BrokerSettings } from '../broker/index.ts';
import type { ReportTrade } from './trade-list.ts';

/** One sum a trade, in the order of the list. */
export function runningProfits(
  trades: readonly ReportTrade[],
  commissionType: BrokerSettings['commissionType'],
): number[] {
  const fees = trades.map((trade) => entryFee(trade, commissionType));
  // Exits come in their order, so that entries before each of them are gone through once.
  const entries = trades.map((_, index) => index).sort((a, b) => trades[a]!.entryBar - trades[b]!.entryBar);
  const isOpen = new Array<boolean>(trades.length).fill(false);
  let [made, paid, next] = [0, 0, 0];
  return trades.map(({ exit, profit }, index) => {
    const until = exit?.bar ?? Number.POSITIVE_INFINITY;
    for (; next < entries.length && trades[entries[next]!]!.entryBar < until; next += 1) {
      const entry = entries[next]!;
      // One that was closed on the bar it was opened on has come and gone already.
      if (entry < index) continue;
      isOpen[entry] = true;
      paid += fees[entry]!;
    }
    if (isOpen[index]) paid -= fees[index]!;
    made += profit;
    return made - (Math.abs(paid) < DUST ? 0 : paid);
  });
}

/** What adding and taking away the same doubles leaves. */
const DUST = 1e-9;

/** The part of a trade's fees that its entry paid. */
function entryFee({ commission, entryPrice, exit }: ReportTrade, type: BrokerSettings['commissionType']): number {
  if (exit === null) return commission;
  const both = entryPrice + exit.price;
  return type === 'percent' && both > 0 ? (commission * entryPrice) / both : commission / 2;
}
