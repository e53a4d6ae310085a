// Closes a protected position as a signal would, through the journal, its lane and a reduce-only order, but without the gates.

import type { Accounts } from '../accounts.ts';
import type { Journal, NewTrade, Trade } from '../books/journal.ts';
import type { PositionName } from '../books/position.ts';
import { type Decimal, ZERO } from '../decimal.ts';
import type { Dispatcher } from '../execution/dispatch.ts';
import type { AcceptedSignal } from '../intake/accept-signal.ts';
import type { ProtectionSource } from '../signal.ts';

export interface Closing {
  readonly requestId: string;
  readonly by: ProtectionSource;
  readonly quantity: Decimal;
}

export interface Closer {
  /** The closing trade, if it is in the journal. */
  find(requestId: string): Promise<Trade | undefined>;
  /** Resolves when the trade is on disk and has been given to its lane; its outcome is in the journal. */
  close(position: PositionName, closing: Closing): Promise<void>;
  /** Whether the venue itself still has the position. */
  isHeld(position: PositionName): Promise<boolean>;
}

/** Shown where a signal shows the label of its key. */
const KEY_LABEL = 'protection';

export function createCloser(parts: {
  journal: Pick<Journal, 'accept' | 'trade'>;
  dispatcher: Pick<Dispatcher, 'dispatch'>;
  accounts: Accounts;
  nowMs: () => number;
}): Closer {
  const { journal, dispatcher, accounts, nowMs } = parts;
  return {
    find: async (requestId) => (await journal.trade(requestId))?.trade,
    async close({ exchange, mode, account, market, side }, { requestId, by, quantity }) {
      const action = side === 'LONG' ? 'CLOSE_LONG' : 'CLOSE_SHORT';
      const order = { exchange, action, symbol: market, market, quantity } as const;
      const facts = { requestId, receivedAtMs: nowMs(), source: by, keyLabel: KEY_LABEL };
      const trade: NewTrade = { ...facts, mode, account, order };
      const acceptance = await journal.accept(trade, 0);
      // Without an idempotency key and a body nothing can be a duplicate; the request id alone is the claim.
      if (!acceptance.accepted) throw new Error(`the close ${requestId} was taken for a duplicate`);
      const accepted: Trade = { ...trade, seq: acceptance.seq, state: 'accepted', executedQuantity: ZERO };
      // The gates are for those who send signals. What protects a position has passed them with the entry.
      await dispatcher.dispatch(accepted as AcceptedSignal, 'failover');
    },
    async isHeld(name) {
      const positions = await accounts.of(name).positions(name.market);
      return positions.some(({ side, quantity }) => side === name.side && quantity > ZERO);
    },
  };
}
