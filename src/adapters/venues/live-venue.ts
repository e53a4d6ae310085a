// A testnet or live account at a real venue, on top of what its adapter knows of that venue.
//
// An order of ours has one client order id for ever, and the venue refuses a request that arrives later than its receive window.
// So there are three things an order can be, and never a fourth:
//   found      the venue shows it, and its fills add up to what it says was executed
//   in doubt   the venue does not show it, and it was sent so lately that it may still appear
//   not there  the venue does not show it, and the time in which it could have appeared is over

import type { Exchange } from '../../exchanges/exchange.ts';
import type { Timers } from '../../timing/timers.ts';
import { isFinal } from '../../trading/books/journal.ts';
import { plus, ZERO } from '../../trading/decimal.ts';
import {
  CLIENT_ORDER_PREFIX,
  type OrderReport,
  type OrderRequest,
  type PositionMode,
  type Venue,
  VenueError,
  type VenueMode,
} from '../../trading/venue.ts';
import { StreamFollower, type StreamPace } from '../stream-follower.ts';
import { MarketTable } from './market-table.ts';
import { OrderWatch } from './order-watch.ts';
import type { AccountNews, VenueAdapter, VenueMarket, VenueOrder } from './venue-adapter.ts';
import { beforeSending, isRefusal } from './venue-call.ts';
import type { VenueClient } from './venue-client.ts';

export interface LiveVenueOptions {
  readonly exchange: Exchange;
  readonly account: string;
  readonly mode: Exclude<VenueMode, 'paper'>;
  readonly client: Pick<VenueClient, 'title' | 'close'>;
  readonly adapter: VenueAdapter;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  readonly timers: Timers;
  /** How often orders that rest are looked at, beside what the venue tells by itself. */
  readonly lookEveryMs: number;
  readonly random: () => number;
  readonly log: { warn(fields: object, message: string): void };
  /** A look at an order failed; it is tried again. */
  readonly onTrouble: (what: string, error: unknown) => void;
}

const STREAM_PACE: StreamPace = {
  connectTimeoutMs: 10_000,
  pingEveryMs: 15_000,
  deadAfterMs: 40_000,
  reconnect: { firstMs: 500, longestMs: 30_000 },
  stableAfterMs: 60_000,
  refusedRetryMs: 60_000,
};

export function openLiveVenue(options: LiveVenueOptions): Venue {
  return new LiveVenue(options);
}

class LiveVenue implements Venue {
  readonly exchange: Exchange;
  readonly mode: LiveVenueOptions['mode'];
  readonly account: string;
  readonly #options: LiveVenueOptions;
  readonly #markets: MarketTable;
  readonly #watch: OrderWatch;
  readonly #stream: StreamFollower<AccountNews>;
  #cancelKeepAlive: (() => void) | undefined;
  /** When an order was last sent from here; one that is not in it was sent before this process began. */
  readonly #sentAtMs = new Map<string, number>();
  readonly #openedAtMs: number;
  #positionMode: PositionMode | undefined;

  constructor(options: LiveVenueOptions) {
    const { exchange, mode, account, adapter, client, monotonicMs, timers, lookEveryMs, onTrouble } = options;
    this.exchange = exchange;
    this.mode = mode;
    this.account = account;
    this.#options = options;
    this.#openedAtMs = monotonicMs();
    this.#markets = new MarketTable({ title: client.title, monotonicMs, load: () => adapter.markets() });
    this.#watch = new OrderWatch({
      ...{ timers, everyMs: lookEveryMs, onTrouble },
      look: (market, clientOrderId) => this.#reportOf(market, clientOrderId),
    });
    this.#stream = this.#follow();
  }

  #follow(): StreamFollower<AccountNews> {
    const { adapter, client, monotonicMs, random, log } = this.#options;
    return new StreamFollower({
      ...{ title: `${client.title}'s account`, pace: STREAM_PACE, monotonicMs, random, log, admitMs: () => 0 },
      plan: () => adapter.stream.plan(),
      onState: (state) => {
        this.#cancelKeepAlive?.();
        // Whatever happened while nobody listened is found by looking.
        if (state === 'live') void this.#watch.lookAtAll();
        if (state === 'live') this.#keepAlive();
      },
      onNews: (ids) => {
        for (const id of ids) this.#watch.ring(id);
      },
    });
  }

  #keepAlive(): void {
    const { adapter, timers, onTrouble } = this.#options;
    const { keepAlive } = adapter.stream;
    if (keepAlive === undefined) return;
    this.#cancelKeepAlive = timers.after(keepAlive.everyMs, () => {
      keepAlive.send().catch((error) => onTrouble('the stream of the account cannot be kept alive', error));
      this.#keepAlive();
    });
  }

  summary() {
    return this.#options.adapter.summary();
  }

  async market(symbol: string) {
    const found = await this.#markets.find(symbol);
    const { venueSymbol: _, contractSize: __, ...rules } = found;
    return { ...rules, lastPrice: await this.#options.adapter.lastPrice(found) };
  }

  tickOf(market: string) {
    return this.#markets.known(market)?.tickSize;
  }

  async positionMode() {
    this.#positionMode ??= await this.#options.adapter.positionMode();
    return this.#positionMode;
  }

  async positions(market: string) {
    return this.#options.adapter.positions(await this.#markets.find(market));
  }

  async ensureLeverage(market: string, leverage: number) {
    const found = await this.#markets.find(market);
    if (leverage > found.maxLeverage)
      throw new VenueError(
        'rejected',
        `${this.#options.client.title} allows a leverage of at most ${found.maxLeverage} in ${market}`,
      );
    await this.#options.adapter.setLeverage(found, leverage).catch((error: unknown) => {
      if (!isRefusal(error, 'not-modified')) throw error;
    });
  }

  async placeOrder(request: OrderRequest): Promise<OrderReport> {
    const { adapter } = this.#options;
    const market = await beforeSending(this.#markets.find(request.market));
    const mode = await beforeSending(this.positionMode());
    this.#noteSent(request.clientOrderId);
    const placed = await adapter.place(market, request, mode).catch((error: unknown) => {
      // The owner has changed it at the venue; the next order is sent as it is now.
      if (isRefusal(error, 'position-mode')) this.#positionMode = undefined;
      throw error;
    });
    const order = placed ?? (await adapter.order(market, request.clientOrderId));
    if (order === undefined)
      throw new VenueError('unknown', `${this.#options.client.title} took the order and does not show it yet`);
    return this.#whole(market, order);
  }

  async findOrder(market: string, clientOrderId: string) {
    const { adapter, monotonicMs } = this.#options;
    const sentAtMs = this.#sentAtMs.get(clientOrderId) ?? this.#openedAtMs;
    // Measured before the question: what the venue answers later can only be newer.
    const isOver = monotonicMs() - sentAtMs > adapter.mayAppearForMs;
    const order = await this.#reportOf(market, clientOrderId);
    return order === undefined ? ({ found: false, certain: isOver } as const) : ({ found: true, order } as const);
  }

  async openOrders(market: string) {
    const found = await this.#markets.find(market);
    const orders = await this.#options.adapter.openOrders(found);
    const ours = orders.filter(({ clientOrderId }) => clientOrderId.startsWith(CLIENT_ORDER_PREFIX));
    return Promise.all(ours.map((order) => this.#whole(found, order)));
  }

  async cancelOrder(market: string, clientOrderId: string) {
    const { adapter, client } = this.#options;
    const found = await this.#markets.find(market);
    await adapter.cancel(found, clientOrderId).catch((error: unknown) => {
      // It may have filled first: its own report says.
      if (!isRefusal(error, 'no-order')) throw error;
    });
    const report = await this.#reportOf(market, clientOrderId);
    if (report === undefined) throw new VenueError('rejected', `${client.title} has no order ${clientOrderId}`);
    if (!isFinal(report.status))
      throw new VenueError('unknown', `${client.title} took the cancel and still shows the order as open`);
    return report;
  }

  async forcedOrders() {
    const orders = await this.#options.adapter.forcedOrders(await this.#markets.all());
    return Promise.all(orders.map(async (order) => this.#whole(await this.#markets.find(order.market), order)));
  }

  watchOrders(listener: (report: OrderReport) => void) {
    return this.#watch.listen(listener);
  }

  async close() {
    this.#stream.close();
    this.#cancelKeepAlive?.();
    await this.#watch.stop();
    this.#options.client.close();
  }

  #noteSent(clientOrderId: string): void {
    const { adapter, monotonicMs } = this.#options;
    const nowMs = monotonicMs();
    // In the order they were sent; what cannot appear any more need not be known.
    for (const [id, sentAtMs] of this.#sentAtMs) {
      if (nowMs - sentAtMs <= adapter.mayAppearForMs) break;
      this.#sentAtMs.delete(id);
    }
    this.#sentAtMs.delete(clientOrderId);
    this.#sentAtMs.set(clientOrderId, nowMs);
  }

  async #reportOf(name: string, clientOrderId: string): Promise<OrderReport | undefined> {
    const market = await this.#markets.find(name);
    const order = await this.#options.adapter.order(market, clientOrderId);
    return order && this.#whole(market, order);
  }

  /** With its fills. They may show a moment later than the order: one whose fills do not add up is not told yet. */
  async #whole(market: VenueMarket, order: VenueOrder): Promise<OrderReport> {
    const { adapter, client } = this.#options;
    const fills = order.executedQuantity > ZERO ? await adapter.fills(market, order) : [];
    const filled = fills.map(({ quantity }) => quantity).reduce(plus, ZERO);
    if (filled !== order.executedQuantity)
      throw new VenueError('unknown', `${client.title} does not show every fill of ${order.clientOrderId} yet`);
    const report = { ...order, fills };
    this.#watch.note(report);
    return report;
  }
}
