// Alerts that came in under a key, as far as they can be compared with what a deployed script has.

import type { AlertArrivals, ArrivedAlert } from '../../trading/books/alert-arrivals.ts';
import { toNumber } from '../../trading/decimal.ts';
import type { Sender } from '../../trading/intake/gates.ts';
import { marketOf } from '../../trading/intake/market-symbol.ts';
import type { FindSymbol } from './map-symbol.ts';

export interface ArrivedAlertsDeps {
  readonly arrivals: AlertArrivals;
  /** The sender that a key id stands for, while the key is active. */
  readonly senderOf: (keyId: string) => Sender | undefined;
  readonly symbols?: FindSymbol | undefined;
}

export interface ArrivalQuestion {
  readonly keyId: string;
  readonly keyLabel: string;
  readonly sinceMs: number;
  readonly limit: number;
}

/** Plain data that crosses a process; for a comparison, not for an order: numbers are exact enough. */
export interface ComparedAlert
  extends Pick<ArrivedAlert, 'requestId' | 'alertId' | 'receivedAtMs' | 'decision' | 'action'> {
  readonly market: string;
  /** In base currency, as it was sent; null where that is not known. */
  readonly quantity: number | null;
  readonly before: { readonly position: 'long' | 'short' | 'flat'; readonly size: number | null } | null;
  readonly comment: string | null;
}

/** Oldest first, those that were refused among them; those of scripts are not what a sender sent. */
export async function arrivedAlerts(
  { keyId, ...of }: ArrivalQuestion,
  { arrivals, senderOf, symbols }: ArrivedAlertsDeps,
): Promise<readonly ComparedAlert[]> {
  // Routes multiply what is traded, and a trade has what was traded: then sizes say nothing of what was sent.
  const isRouted = senderOf(keyId)?.routes !== undefined;
  return (await arrivals.since(of)).map((alert) => comparedOf(alert, isRouted, symbols));
}

function comparedOf(alert: ArrivedAlert, isRouted: boolean, symbols: FindSymbol | undefined): ComparedAlert {
  const { requestId, alertId, receivedAtMs, decision, action, symbol, accepted } = alert;
  const { previousPosition: before, comment = null } = accepted ?? {};
  const size = before?.size === undefined || isRouted ? null : toNumber(before.size);
  return {
    ...{ requestId, alertId, receivedAtMs, decision, action, comment },
    market: symbols?.find(symbol)?.market ?? marketOf(symbol) ?? '',
    quantity: accepted?.isInBase && !isRouted ? toNumber(accepted.quantity) : null,
    before: before === undefined ? null : { position: before.position, size },
  };
}
