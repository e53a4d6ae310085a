// What ends a trade before an order of it is planned, and what a failure while planning means for it. Only decided here: whoever
// executes the trade writes it down, whoever only looks tells it.

import { StorageError } from '../../errors/storage-error.ts';
import type { Trade } from '../books/journal.ts';
import type { KillSwitch } from '../intake/controls.ts';
import { killSwitchGate } from '../intake/gates.ts';
import { entryRefusalOf, isEntry, type LimitCode, type LimitRefusal, thrownSwitch } from '../intake/limit-rules.ts';
import type { Restrictions } from '../intake/restrictions.ts';
import { type Action, isDirectClose } from '../signal.ts';
import { UnknownMarket, VenueError } from '../venue.ts';
import { LimitsUnread } from './entry-limits.ts';
import { isKeptExit } from './kept-exit.ts';
import type { SignalAge } from './signal-age.ts';
import { PositionInDoubt } from './steady-positions.ts';
import { cancelAtMs, type TradeRun } from './trade-run.ts';

export interface Halting {
  readonly nowMs: () => number;
  readonly age: SignalAge;
  readonly killSwitch: () => KillSwitch;
  readonly restrictions: Pick<Restrictions, 'of'>;
}

export type Halt =
  | { readonly kind: 'expired' | 'killed'; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string; readonly cause: LimitCode | 'stale-data' };

/** Undefined where the trade may be planned. */
export function haltOf(run: TradeRun, halting: Halting): Halt | undefined {
  const expiry = halting.age.expiryOf(run);
  if (expiry !== undefined) return { kind: 'expired', reason: expiry };
  if (!run.placed && cancelAtMs(run.trade) <= halting.nowMs())
    return { kind: 'expired', reason: 'cancelAfterSeconds had passed before the order could be sent' };
  return stopOf(run, halting);
}

/** A switch may have been thrown, or a pause or limit set, while the trade waited; or it is one of several accounts. */
export function stopOf(run: TradeRun, halting: Halting): Halt | undefined {
  // Stops, and what the owner closes, pass them all: before the first order, and between the two of a share against the others.
  if (isDirectClose(run.trade)) return undefined;
  const { action } = run.trade.order;
  const killed = killedBy(run, action, halting);
  if (killed !== undefined) return { kind: 'killed', reason: killed };
  const refused = isEntry(action) ? notAllowed(run, action, halting) : undefined;
  return refused && { kind: 'refused', reason: refused.message, cause: refused.code };
}

/** In words, where a switch stops an action of its kind. */
export function killedBy(
  { trade }: TradeRun,
  action: Action,
  { killSwitch, restrictions }: Pick<Halting, 'killSwitch' | 'restrictions'>,
): string | undefined {
  const thrown = thrownSwitch(restrictions.of(trade), action);
  const killed =
    killSwitchGate(killSwitch(), action) ?? (thrown && killSwitchGate(thrown.killSwitch, action, thrown.subject));
  return killed?.message;
}

export const notAllowed = (
  { trade }: TradeRun,
  action: Action,
  { restrictions, nowMs }: Pick<Halting, 'restrictions' | 'nowMs'>,
): LimitRefusal | undefined =>
  entryRefusalOf(restrictions.of(trade), { account: trade.account, order: { ...trade.order, action } }, nowMs());

/**
 * `refused`: the venue does not answer what is asked before a close, which says nothing about the close. `doubt`: it does not show the
 * position that a close is for, and is not believed yet. `controls`: the owner has changed something since the order was planned, so it
 * is planned anew at once.
 */
export type WaitingCause = 'venue' | 'refused' | 'storage' | 'doubt' | 'controls';

export type NotPlanned =
  | { readonly kind: 'waiting'; readonly reason: string; readonly cause: WaitingCause }
  | { readonly kind: 'refused'; readonly reason: string; readonly cause?: 'unknown-symbol' | 'limits-unread' };

/** What an error of the preparations means: no order of this step has left. Our own faults are thrown on. */
export function whyNotPlanned(error: unknown, trade: Pick<Trade, 'mode' | 'order'>): NotPlanned {
  // What limits count could not be read.
  if (error instanceof StorageError) return { kind: 'waiting', reason: error.message, cause: 'storage' };
  if (error instanceof LimitsUnread) return { kind: 'refused', reason: error.message, cause: 'limits-unread' };
  if (!(error instanceof VenueError)) throw error;
  if (error instanceof UnknownMarket) return { kind: 'refused', reason: error.message, cause: 'unknown-symbol' };
  if (error.failure === 'rejected')
    return isKeptExit(trade)
      ? { kind: 'waiting', reason: error.message, cause: 'refused' }
      : { kind: 'refused', reason: error.message };
  return { kind: 'waiting', reason: error.message, cause: error instanceof PositionInDoubt ? 'doubt' : 'venue' };
}
