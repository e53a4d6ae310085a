// Binance's user data stream: listen keys that must be kept alive, and the events of the account.
//
// A socket with a listen key that does not exist opens all the same and stays silent, as at the real venue: whoever
// trusts an open connection alone hears nothing of his fills.

import { randomBytes } from 'node:crypto';
import { ZERO } from '../../../../src/trading/decimal.ts';
import { entryPriceOf, type FuturesPosition } from '../futures-account.ts';
import type { FuturesOrder, MarketEvent, StopOrder, Trade } from '../futures-order.ts';
import type { MatchingMarket } from '../matching-market.ts';
import type { VenueStream } from '../venue-server.ts';
import { algoText } from './algo-orders.ts';
import { refuse } from './errors.ts';
import { money } from './number-text.ts';
import { orderText } from './order-text.ts';

const VALID_MS = 3_600_000;
const LISTEN_KEY_BYTES = 32;

export class UserStream {
  readonly #market: MatchingMarket;
  readonly #streams = new Set<VenueStream>();
  #listenKey = '';
  #expiresMs = 0;

  constructor(market: MatchingMarket) {
    this.#market = market;
    market.listen((event) => this.#tell(event));
  }

  /** Gives the key that is valid already, with its time begun anew, or a new one. */
  start(): unknown {
    this.#dropExpired();
    if (this.#listenKey === '') this.#listenKey = randomBytes(LISTEN_KEY_BYTES).toString('hex');
    this.#expiresMs = this.#market.nowMs() + VALID_MS;
    return { listenKey: this.#listenKey };
  }

  keepAlive(): unknown {
    this.#dropExpired();
    if (this.#listenKey === '') throw refuse('-1125');
    return this.start();
  }

  stop(): unknown {
    this.#dropExpired();
    for (const stream of this.#streams) if (listenKeyOf(stream) === this.#listenKey) stream.close();
    this.#listenKey = '';
    return {};
  }

  /** What happens by itself an hour after the last sign of life. */
  expire(): void {
    if (this.#listenKey === '') return;
    this.#send({ e: 'listenKeyExpired', E: this.#market.nowMs(), listenKey: this.#listenKey });
    this.#listenKey = '';
  }

  #dropExpired(): void {
    if (this.#market.nowMs() >= this.#expiresMs) this.expire();
  }

  add(stream: VenueStream): void {
    this.#streams.add(stream);
  }

  remove(stream: VenueStream): void {
    this.#streams.delete(stream);
  }

  #tell(event: MarketEvent): void {
    this.#dropExpired();
    if (event.type === 'order') this.#tellOrder(event.order, event.change, event.trade);
    else if (event.type === 'stop') this.#send(this.#envelope('ALGO_UPDATE', { o: this.#algo(event.stop) }));
    else if (event.type === 'account') this.#send(this.#envelope('ACCOUNT_UPDATE', { a: this.#account(event) }));
    else if (event.type === 'leverage')
      this.#send(this.#envelope('ACCOUNT_CONFIG_UPDATE', { ac: { s: event.symbol, l: event.leverage } }));
  }

  #tellOrder(order: FuturesOrder, change: 'new' | 'trade' | 'end', trade: Trade | undefined): void {
    if (trade !== undefined) this.#send(this.#lite(order, trade));
    this.#send(this.#envelope('ORDER_TRADE_UPDATE', { o: this.#order(order, change, trade) }));
  }

  #envelope(type: string, content: object): object {
    const nowMs = this.#market.nowMs();
    return { e: type, T: nowMs, E: nowMs, ...content };
  }

  #send(event: object): void {
    if (this.#listenKey === '') return;
    const text = JSON.stringify(event);
    for (const stream of this.#streams) if (listenKeyOf(stream) === this.#listenKey) stream.event(text);
  }

  /** The short word on a trade, sent before the long one. */
  #lite(order: FuturesOrder, trade: Trade): object {
    const text = this.#trade(trade);
    const { s, q, p, S, i, c } = this.#order(order, 'trade', trade);
    return {
      ...this.#envelope('TRADE_LITE', {}),
      s,
      q,
      p,
      m: trade.maker,
      c,
      S,
      L: text.L,
      l: text.l,
      t: trade.tradeId,
      i,
    };
  }

  #order(order: FuturesOrder, change: 'new' | 'trade' | 'end', trade: Trade | undefined): Record<string, unknown> {
    const text = orderText(order, this.#market.spec(order.symbol));
    const type = order.forced === 'liquidation' ? 'LIQUIDATION' : text.type;
    return {
      s: order.symbol,
      c: order.clientOrderId,
      S: order.side,
      o: type,
      f: text.timeInForce,
      q: text.origQty,
      p: text.price,
      ap: text.avgPrice,
      sp: '0',
      x: change === 'new' ? 'NEW' : change === 'trade' ? 'TRADE' : order.status,
      X: order.status,
      i: order.orderId,
      z: text.executedQty,
      T: order.updatedMs,
      t: trade?.tradeId ?? 0,
      b: '0',
      a: '0',
      m: trade?.maker ?? false,
      R: order.reduceOnly,
      wt: 'CONTRACT_PRICE',
      ot: type,
      ps: order.positionSide,
      cp: false,
      rp: money(trade?.realizedPnl ?? ZERO),
      pP: false,
      si: 0,
      ss: 0,
      V: 'EXPIRE_MAKER',
      pm: 'NONE',
      gtd: 0,
      er: '0',
      ...this.#trade(trade),
    };
  }

  #trade(trade: Trade | undefined): Record<string, unknown> {
    if (trade === undefined) return { l: '0', L: '0' };
    return { l: money(trade.quantity), L: money(trade.price), n: money(trade.fee), N: 'USDT' };
  }

  #algo(stop: StopOrder): Record<string, unknown> {
    const text = algoText(stop, this.#market.spec(stop.symbol));
    const actual =
      stop.order === undefined
        ? {}
        : { ap: text.actualPrice, aq: money(stop.order.executed), act: stop.price === undefined ? 'MARKET' : 'LIMIT' };
    return {
      caid: stop.clientStopId,
      aid: stop.stopId,
      at: 'CONDITIONAL',
      o: stop.venueType,
      s: stop.symbol,
      S: stop.side,
      ps: stop.positionSide,
      f: text.timeInForce,
      q: text.quantity,
      X: stop.status,
      ai: text.actualOrderId,
      ...actual,
      tp: text.triggerPrice,
      p: text.price,
      V: 'EXPIRE_MAKER',
      wt: text.workingType,
      pm: 'NONE',
      cp: text.closePosition,
      pP: false,
      R: stop.reduceOnly,
      tt: stop.triggeredMs,
      gtd: 0,
      ...(stop.reason === '' ? {} : { rm: stop.reason }),
    };
  }

  /** Funding of a crossed position changes the balance alone; everything else tells the positions of the market. */
  #account({ symbol, reason }: Extract<MarketEvent, { type: 'account' }>): object {
    const { account } = this.#market;
    const isCrossFunding = reason === 'FUNDING_FEE' && account.settings(symbol).marginType === 'CROSSED';
    const sides = account.positionMode === 'hedge' ? (['LONG', 'SHORT'] as const) : (['BOTH'] as const);
    const positions = symbol === '' || isCrossFunding ? [] : sides.map((side) => account.position(symbol, side));
    const balance = { a: 'USDT', wb: money(account.wallet), cw: money(account.wallet), bc: '0' };
    return { m: reason, B: [balance], P: positions.map((position) => this.#position(position)) };
  }

  #position(position: FuturesPosition): object {
    const { account } = this.#market;
    const isCrossed = account.settings(position.symbol).marginType === 'CROSSED';
    const entry = money(entryPriceOf(position));
    return {
      s: position.symbol,
      pa: money(position.quantity),
      ep: entry,
      bep: entry,
      cr: money(position.realizedPnl),
      up: position.quantity === ZERO ? '0' : money(account.unrealizedPnl(position)),
      mt: isCrossed ? 'cross' : 'isolated',
      iw: money(position.isolatedWallet),
      ps: position.side,
      ma: 'USDT',
    };
  }
}

/** In the path, or in the query of the newer private address. */
const listenKeyOf = ({ path, rawQuery }: VenueStream): string =>
  new URLSearchParams(rawQuery).get('listenKey') ?? path.split('/').at(-1) ?? '';
