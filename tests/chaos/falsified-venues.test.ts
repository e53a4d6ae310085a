// What orders at venues are compared with is doubted: a sound journal beside a sound venue has no fault, and whatever is falsified in one
// of the two, or in what senders were told, is found by its name.

import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { openMigrated } from '../../src/adapters/storage/sqlite/database.ts';
import { TRADING } from '../../src/adapters/storage/sqlite/database-files.ts';
import { decimal } from '../../src/trading/decimal.ts';
import { clientOrderId, clientStopId } from '../../src/trading/execution/client-order-id.ts';
import { VenuePart } from '../support/chaos/venue-part.ts';
import type { EmulatedVenue } from '../support/emulated-venues/emulated-venue.ts';
import { MatchingMarket } from '../support/emulated-venues/matching-market.ts';
import { LIVE_VENUES, type LiveVenueRow, MARKET } from '../support/live-gateway.ts';
import { freshDataDir } from '../support/process.ts';
import { compareBooks } from '../support/venue-chaos/compare-books.ts';

const ROW = LIVE_VENUES.find(({ exchange }) => exchange === 'binance') as LiveVenueRow;
const requestIdOf = (seq: number): string => `01990000-0000-7000-8000-00000000000${seq}`;
const idOf = (seq: number): string => clientOrderId(requestIdOf(seq), 'open');

interface Falsified {
  readonly name: string;
  /** A statement over the journal. */
  readonly sql?: string;
  readonly venue?: (market: MatchingMarket) => void;
  /** The key of a signal that was acknowledged, beside those of the two trades. */
  readonly acknowledged?: string;
  /** What the comparison of the books says, and what the part of a venue says beside that. */
  readonly books: readonly RegExp[];
  readonly part?: readonly RegExp[];
}

/** Two signals and their orders, as the venue has them and as the journal has. */
const TRADES = `INSERT INTO trades (seq, request_id, idempotency_key, state, quantity, executed_quantity, received_at, updated_at, source,
    key_label, exchange, mode, action, symbol, market)
  VALUES (?, ?, ?, 'filled', '0.01', '0.01', 0, 0, 'webhook', 'static-1', 'binance', 'live', 'LONG', '${MARKET}', '${MARKET}')`;
const ORDERS = `INSERT INTO orders (trade_seq, client_order_id, fills, leg, exchange, mode, market, side, position_side, reduce_only, quantity,
    state, executed_quantity, created_at, sent_after_step, updated_at)
  VALUES (?, ?, ?, 'open', 'binance', 'live', '${MARKET}', 'BUY', 'LONG', 0, '0.01', 'filled', '0.01', 0, 0, 0)`;
const POSITION = `INSERT INTO positions (exchange, mode, account, market, side, quantity, entry_price, realized_pnl, fees, updated_at)
  VALUES ('binance', 'live', 'main', '${MARKET}', 'LONG', '0.02', '50000', '0', '0', 0)`;

const buy = (market: MatchingMarket, id: string, origin?: { stopId?: number; forced?: 'liquidation' }) => {
  const order = { clientOrderId: id, symbol: MARKET, side: 'BUY', quantity: decimal('0.01') } as const;
  return market.place({ ...order, positionSide: 'BOTH', timeInForce: 'GTC', reduceOnly: false }, origin);
};
const again = (market: MatchingMarket): void => {
  market.orders.push({ ...market.orders.at(-1)! });
};

const FALSIFIED: readonly Falsified[] = [
  { name: 'nothing', books: [] },
  {
    name: 'an order, of which the venue has two by one id',
    venue: again,
    books: [/^sbx\w+ is 2 orders at binance$/],
    part: [/^sbx\w+ is 2 orders at binance$/],
  },
  {
    name: 'an order of the venue that nobody has sent',
    venue: (market) => buy(market, idOf(3)),
    books: [/^binance has the order sbx\w+, of which the journal knows nothing$/, /^positions differ: .*LONG 0.03$/],
    part: [/^binance has sbx\w+, which the journal does not know$/],
  },
  {
    name: 'the order in which the venue got its orders',
    venue: (market) => void market.orders.reverse(),
    books: [],
    part: [/^BTCUSDT: trade 1 reached binance after 2$/],
  },
  {
    name: 'an order, which never reached the venue',
    venue: (market) => void market.orders.pop(),
    books: [/0\.01 is booked, binance has executed 0$/, /^sbx\w+ \(filled\) was never at binance$/],
  },
  {
    name: 'an order, which is open at the venue',
    venue: (market) => void Object.assign(market.orders[0]!, { status: 'PARTIALLY_FILLED' }),
    books: [/^sbx\w+ \(filled\) is still open at binance$/],
  },
  {
    name: 'the fills of an order',
    sql: "UPDATE orders SET fills = '' WHERE trade_seq = 1",
    books: [/^sbx\w+ \(filled\): 0 is booked, binance has executed 0\.01$/],
  },
  {
    name: 'what an order has executed',
    sql: "UPDATE orders SET executed_quantity = '7' WHERE trade_seq = 1",
    books: [/^sbx\w+ \(filled\): 0\.01 is booked, binance has executed 0\.01$/],
  },
  {
    name: 'an order that a stop of ours has sent',
    venue: (market) => buy(market, clientStopId(requestIdOf(3)), { stopId: 1 }),
    books: [/^binance: its stops have sent BTCUSDT BUY 0\.01; we have booked nothing$/, /^positions differ: /],
    part: [/^binance has sbx\w+, which the journal does not know$/],
  },
  {
    name: 'a liquidation',
    venue: (market) => buy(market, 'autoclose-1', { forced: 'liquidation' }),
    books: [/^binance: it has liquidated BTCUSDT BUY 0\.01; we have booked nothing$/, /^positions differ: /],
  },
  {
    name: 'a position',
    sql: "UPDATE positions SET quantity = '7'",
    books: [/^positions differ: we have binance BTCUSDT LONG 7; the venues have binance BTCUSDT LONG 0\.02$/],
  },
  {
    name: 'a position, for which a start took the word of the venue',
    sql: `INSERT INTO stored_events VALUES (1, 99, 5, 'position-adopted', '${MARKET} on binance: all of it')`,
    books: [/^adopted at 5: BTCUSDT on binance: all of it$/, /^ {2}0 trade 1 LONG accepted/],
  },
  {
    name: 'a signal, which was traded under the key of another one',
    sql: "UPDATE trades SET idempotency_key = 'key 1'",
    books: [/^the signal key 1 was traded 2 times$/, /^the signal key 2 was acknowledged and is gone$/],
  },
  {
    name: 'a signal, which is gone',
    acknowledged: 'key 3',
    books: [/^the signal key 3 was acknowledged and is gone$/],
  },
  {
    name: 'the end of a trade',
    sql: "UPDATE trades SET state = 'accepted' WHERE seq = 1",
    books: [new RegExp(`^the trade ${requestIdOf(1)} has no end: it is accepted$`)],
  },
];

/** A folder with a journal, which is written once, and a venue that has the same. */
function soundBooks() {
  const market = new MatchingMarket({ nowMs: () => 0 });
  market.setPrice(MARKET, '50000');
  for (const seq of [1, 2]) buy(market, idOf(seq));
  sound ??= soundJournal();
  const dataDir = freshDataDir();
  cpSync(sound, join(dataDir, TRADING.name));
  return { dataDir, market };
}

let sound: string | undefined;

function soundJournal(): string {
  const path = join(freshDataDir(), TRADING.name);
  const db = openMigrated(path, TRADING.migrations);
  for (const seq of [1, 2]) {
    db.prepare(TRADES).run(seq, requestIdOf(seq), `key ${seq}`);
    db.prepare(ORDERS).run(seq, idOf(seq), `["${seq}","0.01","50000","0","0",0]\n`);
  }
  db.exec(POSITION);
  db.close();
  return path;
}

/** Each of these words is there; nothing is where none are wanted. */
function expectFound(found: readonly string[], wanted: readonly RegExp[]): void {
  for (const words of wanted) expect(found).toContainEqual(expect.stringMatching(words));
  if (wanted.length === 0) expect(found).toEqual([]);
}

describe('the harness finds by its name, of orders at venues', () => {
  it.each(FALSIFIED.map((each) => [each.name, each] as const))('%s', (_, { sql, venue, acknowledged, books, part }) => {
    const { dataDir, market } = soundBooks();
    if (sql !== undefined) {
      const db = new DatabaseSync(join(dataDir, TRADING.name));
      expect(db.prepare(sql).run().changes).toBeGreaterThan(0);
      db.close();
    }
    venue?.(market);
    // Nobody was told that the last of them is taken, so it may be gone.
    const keys = ['key 1', 'key 2', ...(acknowledged === undefined ? [] : [acknowledged]), 'key 4'];
    const sent = keys.map((idempotencyKey) => ({ idempotencyKey, isAcknowledged: idempotencyKey !== 'key 4' }));
    const venues = new Map([[ROW.exchange, { market }]]);
    expectFound(compareBooks(dataDir, venues, sent), books);
    const found = new VenuePart(ROW, { market } as EmulatedVenue).check(dataDir);
    const [told, own] = [true, false].map((isOther) =>
      found.filter(({ kind }) => (kind === 'other') === isOther).map(({ words }) => words),
    ) as [string[], string[]];
    expectFound(own, part ?? []);
    // What the books say is told beside that; of signals this part knows nothing.
    expect(told).toEqual(compareBooks(dataDir, venues, []));
  });
});
