// An emulated venue beside the paper ones, with faults of its own, and what it saw in the end.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Exchange, settingPrefix } from '../../../src/exchanges/exchange.ts';
import { CLIENT_ORDER_PREFIX } from '../../../src/trading/venue.ts';
import type { EmulatedVenue } from '../emulated-venues/emulated-venue.ts';
import { LIVE_VENUES, type LiveVenueRow } from '../live-gateway.ts';
import { type Finding, finding } from '../nothing-lost.ts';
import type { Random } from '../random.ts';
import { compareBooks } from '../venue-chaos/compare-books.ts';
import { disturbVenue, healVenue, planFault } from '../venue-chaos/random-faults.ts';
import type { Fault } from './form.ts';
import { LIVE_MARKETS } from './random-signals.ts';

const WALLET = '100000000';

export async function openVenuePart(random: Random): Promise<VenuePart> {
  const row = random.of(LIVE_VENUES as [LiveVenueRow]);
  const venue = await row.start({ wallet: WALLET });
  for (const { symbol, price } of LIVE_MARKETS) venue.market.setPrice(symbol, price);
  return new VenuePart(row, venue);
}

export class VenuePart {
  readonly exchange: Exchange;
  readonly #row: LiveVenueRow;
  readonly #venue: EmulatedVenue;

  constructor(row: LiveVenueRow, venue: EmulatedVenue) {
    this.exchange = row.exchange;
    this.#row = row;
    this.#venue = venue;
  }

  get settings(): Readonly<Record<string, string>> {
    const prefix = settingPrefix(this.exchange);
    const { baseUrl, credentials } = this.#venue;
    return {
      [`${prefix}_MODE`]: 'live',
      [`${prefix}_BASE_URL`]: baseUrl,
      [`${prefix}_API_KEY`]: credentials.apiKey,
      [`${prefix}_API_SECRET`]: credentials.secret,
      // Nobody is there to confirm the first order.
      CONFIRM_FIRST_LIVE_ORDER: 'no',
    };
  }

  get orders(): number {
    return this.#ours().length;
  }

  readonly fault: Fault = {
    name: 'venue fault',
    weight: 5,
    strike: async (random) => {
      if (random.chance(30)) this.heal();
      if (random.chance(60)) return planFault(this.#venue, this.#row, random);
      if (random.chance(60)) return `${this.exchange}: ${disturbVenue(this.#venue, random)}`;
      for (const { symbol, unit } of LIVE_MARKETS) this.#venue.market.setMaxTrade(symbol, String(unit / 2));
      return `${this.exchange}: orders fill in parts`;
    },
  };

  heal(): void {
    healVenue(this.#venue);
    for (const { symbol } of LIVE_MARKETS) this.#venue.market.setMaxTrade(symbol);
  }

  /** Every order that arrived is one of the journal, once, and each lane's in the order of acceptance; the books agree. */
  check(dataDir: string): Finding[] {
    const db = new DatabaseSync(join(dataDir, 'signalbox.db'), { readOnly: true });
    const rows = db
      .prepare('SELECT client_order_id AS id, trade_seq FROM orders WHERE exchange = ?')
      .all(this.exchange);
    db.close();
    const tradeOf = new Map(rows.map(({ id, trade_seq }) => [String(id), Number(trade_seq)]));
    const findings: Finding[] = [];
    for (const [symbol, orders] of Map.groupBy(this.#ours(), (order) => order.symbol)) {
      let last = 0;
      for (const { clientOrderId } of orders) {
        const trade = tradeOf.get(clientOrderId) ?? 0;
        if (trade < last)
          findings.push(finding('out of order', `${symbol}: trade ${trade} reached ${this.exchange} after ${last}`));
        last = Math.max(last, trade);
      }
    }
    for (const [id, orders] of Map.groupBy(this.#ours(), ({ clientOrderId }) => clientOrderId)) {
      if (orders.length > 1) findings.push(finding('doubled', `${id} is ${orders.length} orders at ${this.exchange}`));
      if (!tradeOf.has(id))
        findings.push(finding('doubled', `${this.exchange} has ${id}, which the journal does not know`));
    }
    const differences = compareBooks(dataDir, new Map([[this.exchange, this.#venue]]), []);
    return [...findings, ...differences.map((words) => finding('other', words))];
  }

  close(): Promise<void> {
    return this.#venue.close();
  }

  #ours() {
    return this.#venue.market.orders.filter(({ clientOrderId }) => clientOrderId.startsWith(CLIENT_ORDER_PREFIX));
  }
}
