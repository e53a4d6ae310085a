// The currency of a strategy's account: finds the rates it is converted at, or says that there are none.

import type { Broker } from '../broker/index.ts';
import type { Market } from './market.ts';
import type { Requests } from './request/requests.ts';
import { NOT_CONVERTED, type RunWarnings } from './run-warnings.ts';

export interface AccountCurrencyParts {
  readonly broker: Broker;
  readonly market: Market;
  readonly requests: Requests;
  readonly warnings: RunWarnings;
  /** Of the first bar that may be traded on. */
  readonly tradesFromMs: number;
}

/** Without bars of the pair one unit of either currency counts as one of the other. */
export function convertAccount({ broker, market, requests, warnings, tradesFromMs }: AccountCurrencyParts): void {
  const from = String(market.facts['syminfo.currency']);
  const to = broker.market.currency;
  if (from === to) return;
  const rate = requests.accountRate(from, to);
  const remedy = `Hand in its days: --bars ${from}${to}:1D=FILE.csv on the command line, symbol_bars in a request to the API.`;
  if (rate === null) {
    const message = `The account counts in ${to} and the symbol in ${from}, but there are no bars of ${from}${to} or ${to}${from} to convert with: one ${from} counts as one ${to}.`;
    warnings.add(NOT_CONVERTED, message, remedy);
    return;
  }
  if (tradesFromMs < rate.firstDayMs) {
    const day = new Date(rate.firstDayMs).toISOString().slice(0, 10);
    const message = `The bars of ${from} and ${to} tell no rate for days before ${day}: until then that of ${day} is taken.`;
    warnings.add(NOT_CONVERTED, message, remedy);
  }
  // Newer bars may be handed in, so that the rates are asked for anew each time.
  broker.pointValue.convertBy((timeMs) => requests.accountRate(from, to)?.at(timeMs) ?? 1);
}
