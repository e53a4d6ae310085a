// Closes positions as a signal would, through the journal, their lanes and reduce-only orders, but without the gates: for stops and
// for the owner.

import { type Acceptance, type Journal, type NewTrade, tradeIdOf } from '../books/journal.ts';
import type { PositionName } from '../books/position.ts';
import type { Decimal } from '../decimal.ts';
import { type AcceptedSignal, acceptedSignals } from '../intake/accepted-signal.ts';
import { windowOfOwnKeys } from '../intake/own-keys.ts';
import type { DirectSource } from '../signal.ts';
import type { Dispatched, Dispatcher } from './dispatch.ts';

export interface PositionClose {
  readonly position: PositionName;
  readonly quantity: Decimal;
  /** However much of it there is when its turn comes. */
  readonly closesAll: boolean;
  /** Only the share of this strategy; absent means the whole position, whoever holds it. */
  readonly strategy?: string;
}

export interface CloseRequest {
  readonly requestId: string;
  readonly source: DirectSource;
  /** Shown where a signal shows the label of its key. */
  readonly label: string;
  readonly closes: readonly [PositionClose, ...PositionClose[]];
  readonly idempotencyKey?: string | undefined;
}

/** A close that is on disk and has been given to its lane. */
export interface AcceptedClose {
  readonly trade: AcceptedSignal;
  readonly dispatched: Promise<Dispatched>;
}

/** All of them are accepted together, or none. */
export type Closes =
  | { readonly accepted: readonly [AcceptedClose, ...AcceptedClose[]] }
  | { readonly refused: Extract<Acceptance, { readonly accepted: false }> };

export interface PositionCloser {
  /** Resolves when every close is on disk and in its lane; what becomes of each is told by itself. */
  close(request: CloseRequest): Promise<Closes>;
}

export function createPositionCloser(parts: {
  journal: Pick<Journal, 'accept'>;
  dispatcher: Pick<Dispatcher, 'dispatch'>;
  idempotencyWindowMs: number;
  nowMs: () => number;
}): PositionCloser {
  const { journal, dispatcher, idempotencyWindowMs, nowMs } = parts;
  return {
    async close(request) {
      const [first, ...further] = tradesOf(request, nowMs()) as [NewTrade, ...NewTrade[]];
      const acceptance = await journal.accept(first, windowOfOwnKeys(idempotencyWindowMs), further);
      if (!acceptance.accepted) return { refused: acceptance };
      // The gates are for those who send signals: a stop has passed them with its entry, and the owner stands above them.
      const enter = (trade: AcceptedSignal): AcceptedClose => ({
        ...{ trade, dispatched: dispatcher.dispatch(trade, 'failover') },
      });
      const [accepted, ...others] = acceptedSignals([first, ...further], acceptance);
      return { accepted: [enter(accepted), ...others.map(enter)] };
    },
  };
}

const tradesOf = ({ requestId, source, label, closes, idempotencyKey }: CloseRequest, nowMs: number) =>
  closes.map(({ position, quantity, closesAll, strategy }, index): NewTrade => {
    const { exchange, mode, account, market, side } = position;
    const action = side === 'LONG' ? 'CLOSE_LONG' : 'CLOSE_SHORT';
    const what = { exchange, action, symbol: market, market, quantity } as const;
    const id = { requestId: tradeIdOf(requestId, index + 1), receivedAtMs: nowMs, source, keyLabel: label };
    const whose = strategy === undefined ? {} : { strategy };
    const order = { ...what, ...whose, ...(closesAll && { closesAll }), ...(idempotencyKey && { idempotencyKey }) };
    return { ...id, mode, account, order };
  });
