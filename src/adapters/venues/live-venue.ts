// A testnet or live account at a real venue, on top of what its adapter knows of that venue.
//
// An order of ours has one client order id for ever, and the venue refuses a request that arrives later than its receive window.
// So there are three things an order can be, and never a fourth:
//   found      the venue shows it, and its fills add up to what it says was executed
//   in doubt   the venue does not show it, and it was sent so lately that it may still appear
//   not there  the venue does not show it, and the time in which it could have appeared is over

import type { Exchange } from '../../exchanges/exchange.ts';
import type { Timers } from '../../timing/timers.ts';
import type { FundingStore } from '../../trading/books/funding-store.ts';
import { isFinal } from '../../trading/books/journal.ts';
import { plus, ZERO } from '../../trading/decimal.ts';
import {
  type Fill,
  isClosing,
  type OrderReport,
  type OrderRequest,
  type PositionMode,
  type PositionSide,
  type Quote,
  type Urgency,
  type Venue,
  VenueError,
  type VenueMode,
} from '../../trading/venue.ts';
import { StreamFollower, type StreamPace } from '../stream-follower.ts';
import { LiveFunding } from './live-funding.ts';
import { LiveStops } from './live-stops.ts';
import { MarketReads } from './market-reads.ts';
import { MarketTable } from './market-table.ts';
import { MarketTiers } from './market-tiers.ts';
import { OrderWatch } from './order-watch.ts';
import { SentTimes } from './sent-times.ts';
import type { AccountNews, VenueAdapter, VenueMarket, VenueOrder } from './venue-adapter.ts';
import { afterSending, beforeSending, isRefusal } from './venue-call.ts';
import type { VenueClient } from './venue-client.ts';

export interface LiveVenueOptions {
  readonly exchange: Exchange;
  readonly account: string;
  readonly mode: Exclude<VenueMode, 'paper'>;
  readonly client: Pick<VenueClient, 'title' | 'toOurMs' | 'readClock' | 'close'>;
  readonly adapter: VenueAdapter;
  /** For what closes or guards something: its requests go before those of the other one where the venue's limits are short. */
  readonly urgentAdapter: VenueAdapter;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  readonly timers: Timers;
  /** How often orders that rest are looked at, beside what the venue tells by itself. */
  readonly lookEveryMs: number;
  /** Where its funding is kept; without it none is told. */
  readonly fundings?: FundingStore;
  readonly random: () => number;
  readonly log: { warn(fields: object, message: string): void };
  /** A look at an order failed; it is tried again. */
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Quotes are at most so old where a market trades and the clocks agree. */
const CLOCK_DOUBT_MS = 2000;

export const STREAM_PACE: StreamPace = {
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
  readonly stops: LiveStops;
  readonly #options: LiveVenueOptions;
  readonly #markets: MarketTable;
  readonly #tiers: MarketTiers;
  readonly #reads: Readonly<Record<Urgency, MarketReads>>;
  readonly #watch: OrderWatch;
  readonly #funding: LiveFunding | undefined;
  readonly #stream: StreamFollower<AccountNews>;
  #cancelKeepAlive: (() => void) | undefined;
  #hasStreamed = false;
  #onGap = (): void => {};
  readonly #sent: SentTimes;
  #positionMode: Promise<PositionMode> | undefined;

  constructor(options: LiveVenueOptions) {
    const { exchange, mode, account, adapter, urgentAdapter, client } = options;
    const { monotonicMs, timers, lookEveryMs, onTrouble, log } = options;
    this.exchange = exchange;
    this.mode = mode;
    this.account = account;
    this.#options = options;
    this.#sent = new SentTimes({ mayAppearForMs: adapter.mayAppearForMs, monotonicMs });
    this.#markets = new MarketTable({ title: client.title, monotonicMs, log, load: () => adapter.markets() });
    this.#tiers = new MarketTiers({ adapter, monotonicMs, timers });
    const listed = () => this.#markets.all();
    const reads = { title: client.title, listed, monotonicMs, timers };
    this.#reads = {
      usual: new MarketReads({ ...reads, adapter }),
      urgent: new MarketReads({ ...reads, adapter: urgentAdapter }),
    };
    this.#watch = new OrderWatch({
      ...{ timers, everyMs: lookEveryMs, onTrouble },
      look: (market, clientOrderId) => this.#reportOf(market, clientOrderId),
    });
    this.stops = new LiveStops({
      ...{ title: client.title, adapter: adapter.stops, markets: this.#markets, sent: this.#sent, watch: this.#watch },
      ...{ timers, everyMs: lookEveryMs, onTrouble, inMode: (work) => this.#inMode(work) },
    });
    const { fundings: store, nowMs } = options;
    const markets = () => this.#markets.all();
    this.#funding = store && new LiveFunding({ of: { exchange, mode, account }, adapter, store, markets, nowMs });
    this.#stream = this.#follow();
  }

  #follow(): StreamFollower<AccountNews> {
    const { adapter, client, monotonicMs, random, log } = this.#options;
    return new StreamFollower({
      ...{ title: `${client.title}'s account`, pace: STREAM_PACE, monotonicMs, random, log, admitMs: () => 0 },
      plan: () => adapter.stream.plan(),
      onState: (state) => {
        this.#cancelKeepAlive?.();
        if (state === 'live') this.#noteLive();
      },
      onNews: (ids) => {
        for (const id of ids) this.#watch.ring(id);
        for (const id of ids) this.stops.ring(id);
      },
    });
  }

  /** Whatever happened while nobody listened is found by looking. */
  #noteLive(): void {
    void this.#watch.lookAtAll();
    void this.stops.lookAtAll();
    this.#keepAlive();
    // Before the first time nothing was missed: the start compares the whole account by itself.
    if (this.#hasStreamed) this.#onGap();
    this.#hasStreamed = true;
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

  /** Without a price: what opens something asks for the best ones, and a close does not wait for any. */
  async market(symbol: string) {
    const { venueSymbol: _, contractSize: __, leverageTiers: ___, ...rules } = await this.#markets.find(symbol);
    return rules;
  }

  async quote(market: string, place?: 'aside'): Promise<Quote> {
    const { client, nowMs } = this.#options;
    const { bid, ask, atMs } = await this.#reads.usual.quote(await this.#markets.find(market), place);
    // Prices that look old, or ahead of their time, may only mean that a clock was set.
    if (Math.abs(nowMs() - client.toOurMs(atMs)) > CLOCK_DOUBT_MS) await client.readClock();
    if (bid <= ZERO || ask <= ZERO)
      throw new VenueError('not-sent', `nobody ${bid <= ZERO ? 'buys' : 'sells'} ${market} at ${client.title} now`);
    return { bid, ask, atMs: client.toOurMs(atMs) };
  }

  tickOf(market: string) {
    return this.#markets.known(market)?.tickSize;
  }

  /** One question, however many ask; one that failed is asked again. */
  positionMode(): Promise<PositionMode> {
    this.#positionMode ??= this.#options.adapter.positionMode().catch((error: unknown) => {
      this.#positionMode = undefined;
      throw error;
    });
    return this.#positionMode;
  }

  /** What was known stays where the venue does not answer. */
  async readPositionMode(): Promise<PositionMode> {
    const mode = await this.#options.adapter.positionMode();
    this.#positionMode = Promise.resolve(mode);
    return mode;
  }

  async marginModes(market: string) {
    return this.#options.adapter.marginModes(await this.#markets.find(market));
  }

  async positions(market: string, urgency: Urgency = 'usual') {
    return this.#reads[urgency].positions(await this.#markets.find(market));
  }

  async allPositions() {
    return (await this.#options.adapter.allPositions(await this.#markets.all())).positions;
  }

  async allOpenOrders() {
    return this.#options.adapter.allOpenOrders(await this.#markets.all());
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

  async leverageOf(market: string, side: PositionSide) {
    return this.#options.adapter.leverage(await this.#markets.find(market), side);
  }

  async leverageTiers(market: string) {
    return this.#tiers.of(await this.#markets.find(market));
  }

  takeOver(): void {
    this.#sent.takeOver();
  }

  async placeOrder(request: OrderRequest): Promise<OrderReport> {
    const { adapter: usual, urgentAdapter } = this.#options;
    const adapter = isClosing(request) ? urgentAdapter : usual;
    const market = await beforeSending(this.#markets.find(request.market));
    const placed = await this.#inMode((mode) => {
      this.#sent.note(request.clientOrderId);
      return adapter.place(market, request, mode);
    });
    return afterSending(this.#readBack(market, request, placed));
  }

  async #readBack(market: VenueMarket, request: OrderRequest, placed: VenueOrder | undefined): Promise<OrderReport> {
    const { adapter, client } = this.#options;
    const order = placed ?? (await adapter.order(market, request.clientOrderId));
    if (order === undefined) throw new VenueError('unknown', `${client.title} took the order and does not show it yet`);
    if (!isAnswerTo(request, order))
      throw new VenueError('unknown', `${client.title} answered ${request.clientOrderId} with another order`);
    return this.#whole(market, order);
  }

  async findOrder(market: string, clientOrderId: string) {
    const isOver = this.#sent.isOver(clientOrderId);
    const order = await this.#reportOf(market, clientOrderId);
    if (order !== undefined) return { found: true, order } as const;
    return { found: false, certain: isOver && !(await this.stops.mayAct(market, clientOrderId)) } as const;
  }

  async openOrders(market: string) {
    const found = await this.#markets.find(market);
    // Asked before something is closed.
    return this.#options.urgentAdapter.openOrders(found);
  }

  async cancelOrder(market: string, clientOrderId: string) {
    const { adapter: usual, urgentAdapter, client } = this.#options;
    const found = await this.#markets.find(market);
    // Where the venue keeps no ids of ours, only the one that has sent a stop knows the order of it.
    const adapter = usual.stops.knows?.(clientOrderId) ? usual : urgentAdapter;
    await adapter.cancel(found, clientOrderId).catch((error: unknown) => {
      // It may have filled first: its own report says.
      if (!isRefusal(error, 'no-order')) throw error;
    });
    const report = await afterSending(this.#reportOf(market, clientOrderId));
    if (report === undefined) throw new VenueError('rejected', `${client.title} has no order ${clientOrderId}`);
    if (!isFinal(report.status))
      throw new VenueError('unknown', `${client.title} took the cancel and still shows the order as open`);
    return report;
  }

  async forcedOrders() {
    const orders = await this.#options.adapter.forcedOrders(await this.#markets.all());
    return Promise.all(orders.map(async (order) => this.#whole(await this.#markets.find(order.market), order)));
  }

  async funding(fromMs: number, toMs: number) {
    return (await this.#funding?.range(fromMs, toMs)) ?? [];
  }

  async fundingTotal() {
    return (await this.#funding?.total()) ?? ZERO;
  }

  async readFunding() {
    await this.#funding?.read();
  }

  watchOrders(listener: (report: OrderReport) => void) {
    return this.#watch.listen(listener);
  }

  watchGaps(listener: () => void) {
    this.#onGap = listener;
  }

  async close() {
    this.#stream.close();
    this.#cancelKeepAlive?.();
    this.#reads.usual.close();
    this.#reads.urgent.close();
    const stopped = Promise.all([this.#watch.stop(), this.stops.stop()]);
    // A look at a venue that does not answer would be waited for otherwise.
    this.#options.client.close();
    await stopped;
  }

  /** Sends something in the account's mode. Where the owner has changed it at the venue, nothing was sent: it is planned anew. */
  async #inMode<T>(send: (mode: PositionMode) => Promise<T>): Promise<T> {
    const mode = await beforeSending(this.positionMode());
    try {
      return await send(mode);
    } catch (error) {
      // A price that is on no tick, say: whatever is tried next goes by the rules of now.
      if (isRefusal(error, 'other')) this.#markets.doubt();
      if (!isRefusal(error, 'position-mode')) throw error;
      this.#positionMode = undefined;
      if ((await beforeSending(this.positionMode())) === mode) throw error;
      throw new VenueError('not-sent', error.message, { cause: error });
    }
  }

  async #reportOf(name: string, clientOrderId: string): Promise<OrderReport | undefined> {
    const market = await this.#markets.find(name);
    const { adapter, client } = this.#options;
    const order = await adapter.order(market, clientOrderId);
    if (order !== undefined && order.clientOrderId !== clientOrderId)
      throw new VenueError('unknown', `${client.title} answered ${clientOrderId} with another order`);
    return order && this.#whole(market, order);
  }

  /**
   * With its fills; one of nothing or less, or without a price, is none. They may show a moment later than the order: one whose fills do
   * not add up is not told yet. Only of one that is older than the venue shows fills it is told which there are: what lacks in our books
   * is then adopted from the venue's positions.
   */
  async #whole(market: VenueMarket, order: VenueOrder): Promise<OrderReport> {
    const { adapter, client, nowMs } = this.#options;
    if (!addsUp(order))
      throw new VenueError('unknown', `${client.title} tells more or less of ${order.clientOrderId} than can be`);
    const { createdAtMs, ...told } = order;
    const fills = await this.#fillsOf(market, order);
    const filled = fills.map(({ quantity }) => quantity).reduce(plus, ZERO);
    const isForgotten = nowMs() - client.toOurMs(createdAtMs) > adapter.fillsKeptForMs;
    if (filled > order.executedQuantity || (filled < order.executedQuantity && !isForgotten))
      throw new VenueError('unknown', `${client.title} does not show every fill of ${order.clientOrderId} yet`);
    const reason = `${client.title} does not show every fill of an order this old any more; what is not booked yet is adopted from its positions`;
    const report = { ...told, fills, ...(filled < order.executedQuantity && { reason }) };
    this.#watch.note(report);
    return report;
  }

  /** Every fill is positive: while no more was executed, those that are known are all. */
  async #fillsOf(market: VenueMarket, order: VenueOrder): Promise<readonly Fill[]> {
    if (order.executedQuantity === ZERO) return [];
    const seen = this.#watch.seen(order.clientOrderId);
    if (seen?.orderId === order.orderId && seen.executedQuantity === order.executedQuantity) return seen.fills;
    const told = await this.#options.adapter.fills(market, order);
    return told.filter(({ quantity, price }) => quantity > ZERO && price > ZERO);
  }
}

const isAnswerTo = (request: OrderRequest, { clientOrderId, market, side, quantity }: VenueOrder): boolean =>
  clientOrderId === request.clientOrderId &&
  market === request.market &&
  side === request.side &&
  quantity <= request.quantity;

const addsUp = ({ status, quantity, executedQuantity: executed }: VenueOrder): boolean =>
  executed >= ZERO && executed <= quantity && (status !== 'filled' || executed === quantity);
