// A signal that every gate let through, as proof in the type: execution asks for nothing less.

import type { Accepted, NewTrade, Trade } from '../books/journal.ts';
import { ZERO } from '../decimal.ts';

declare const passed: unique symbol;
/** Proof that every gate was passed and the signal is on disk. */
export type AcceptedSignal = Trade & { readonly [passed]: true };

/** The trades that the journal has accepted together, each with the number of its row. */
export const acceptedSignals = (
  trades: readonly NewTrade[],
  { seqs }: Accepted,
): readonly [AcceptedSignal, ...AcceptedSignal[]] =>
  trades.map((trade, index) => ({
    ...trade,
    ...{ seq: seqs[index], state: 'accepted', executedQuantity: ZERO },
  })) as unknown as readonly [AcceptedSignal, ...AcceptedSignal[]];
