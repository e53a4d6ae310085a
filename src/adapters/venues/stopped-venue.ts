// A testnet or live account while no instance runs: a command that looks at a data folder shows its books and asks its venue nothing.

import type { AccountName } from '../../trading/accounts.ts';
import { type Venue, VenueError } from '../../trading/venue.ts';

export function stoppedVenue({ exchange, account, mode }: AccountName): Venue {
  const notAsked = (): Promise<never> =>
    Promise.reject(
      new VenueError(
        'not-sent',
        `Signalbox is not running, so nobody asks the venue of ${exchange}:${account}; start it with "signalbox start"`,
      ),
    );
  return {
    ...{ exchange, account, mode },
    tickOf: () => undefined,
    watchOrders: () => () => {},
    close: async () => {},
    ...{ summary: notAsked, market: notAsked, positionMode: notAsked, positions: notAsked, ensureLeverage: notAsked },
    ...{ placeOrder: notAsked, findOrder: notAsked, openOrders: notAsked, cancelOrder: notAsked },
  };
}
