// Protections, stops at venues and the drawdown guard's day in SQL, on either engine, in the trading database: written by the
// writer thread, on disk when a call resolves.

import type { AccountName } from '../../../../../trading/accounts.ts';
import { toText } from '../../../../../trading/decimal.ts';
import type { DrawdownStore } from '../../../../../trading/protection/drawdown-guard.ts';
import type { ProtectionStore } from '../../../../../trading/protection/protection-store.ts';
import type { VenueStopStore } from '../../../../../trading/protection/venue-stop-store.ts';
import type { SqlReads } from '../../sql.ts';
import type { Writer } from '../writer.ts';
import {
  dayOf,
  pendingColumns,
  pendingStopOf,
  protectionColumns,
  protectionOf,
  textOf,
  venueStopColumns,
  venueStopOf,
} from './rows.ts';

export interface ProtectionStores {
  readonly protections: ProtectionStore;
  readonly venueStops: VenueStopStore;
  readonly drawdown: DrawdownStore;
}

export interface ProtectionStoresOptions {
  readonly writer: Pick<Writer, 'run'>;
  readonly reads: SqlReads;
  readonly nowMs: () => number;
}

export function createProtectionStores({ writer, reads, nowMs }: ProtectionStoresOptions): ProtectionStores {
  const { all } = reads;
  return {
    protections: {
      load: async () => ({
        protections: (
          await all(`SELECT * FROM protections
          ORDER BY exchange, mode, account, market, side, strategy`)
        ).map(protectionOf),
        pending: (
          await all(`SELECT pending_stops.*, exchange, mode, account, market, action, strategy FROM pending_stops
          LEFT JOIN trades USING (request_id) ORDER BY created_at, request_id`)
        ).map(pendingStopOf),
      }),
      write: ({ save = [], remove = [], pending = [], settled = [] }) =>
        writer.run('writeProtections', [
          {
            save: save.map(protectionColumns),
            remove: remove.map(({ exchange, mode, account, market, side, strategy }) => ({
              ...{ exchange, mode, account, market, side, strategy },
            })),
            pending: pending.map(({ requestId, asked }) => ({ requestId, stops: pendingColumns(asked) })),
            settled,
            atMs: nowMs(),
          },
        ]),
    },
    venueStops: {
      load: async () => (await all('SELECT * FROM venue_stops ORDER BY created_at, client_stop_id')).map(venueStopOf),
      add: (stop) => writer.run('addVenueStop', [venueStopColumns(stop)]),
      remove: (id) => writer.run('removeVenueStop', [id]),
    },
    drawdown: {
      readDay: async (name) =>
        (await all('SELECT * FROM drawdown_days WHERE account = ? AND mode = ?', accountText(name), name.mode)).map(
          dayOf,
        )[0],
      writeDay: (name, { day, startEquity, lastEquity, lastSeenMs, trippedPercent }) =>
        writer.run('writeDrawdownDay', [
          {
            account: accountText(name),
            mode: name.mode,
            day,
            start_equity: toText(startEquity),
            last_equity: toText(lastEquity),
            last_seen: lastSeenMs,
            tripped_percent: textOf(trippedPercent),
          },
        ]),
    },
  };
}

/** As the table names an account: `binance:main`. */
const accountText = ({ exchange, account }: AccountName): string => `${exchange}:${account}`;
