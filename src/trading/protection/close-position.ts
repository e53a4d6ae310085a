// How a stop closes its position: the close it asked for is looked up before another one is made.

import type { Accounts } from '../accounts.ts';
import type { Journal, Trade } from '../books/journal.ts';
import type { PositionName } from '../books/position.ts';
import { type Decimal, ZERO } from '../decimal.ts';
import type { PositionCloser } from '../execution/close-positions.ts';
import type { ProtectionSource } from '../signal.ts';

export interface Closing {
  readonly requestId: string;
  readonly by: ProtectionSource;
  readonly quantity: Decimal;
}

export interface Closer {
  /** The closing trade, if it is in the journal. */
  find(requestId: string): Promise<Trade | undefined>;
  /** Resolves when the trade has been given to its lane and is done or waits there; its outcome is in the journal. */
  close(position: PositionName, closing: Closing): Promise<void>;
  /** Whether the venue itself still has the position. */
  isHeld(position: PositionName): Promise<boolean>;
}

const LABEL = 'protection';

export function createCloser(parts: {
  journal: Pick<Journal, 'trade'>;
  closer: PositionCloser;
  accounts: Accounts;
}): Closer {
  const { journal, closer, accounts } = parts;
  return {
    find: async (requestId) => (await journal.trade(requestId))?.trade,
    async close(position, { requestId, by, quantity }) {
      const closes = [{ position, quantity, closesAll: false }] as const;
      const closed = await closer.close({ requestId, source: by, label: LABEL, closes });
      // Without an idempotency key and a body nothing can be a duplicate; the request id alone is the claim.
      if ('refused' in closed) throw new Error(`the close ${requestId} was taken for a duplicate`);
      await closed.accepted[0].dispatched;
    },
    async isHeld(name) {
      const positions = await accounts.of(name).positions(name.market);
      return positions.some(({ side, quantity }) => side === name.side && quantity > ZERO);
    },
  };
}
