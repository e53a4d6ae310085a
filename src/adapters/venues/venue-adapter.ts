// What one venue's folder says about its trading interface; everything else about a testnet or live account is shared.

import type { Timers } from '../../timing/timers.ts';
import type { VenueFunding } from '../../trading/books/funding-store.ts';
import type { Decimal } from '../../trading/decimal.ts';
import type { KeyPermissions } from '../../trading/key-permissions.ts';
import type { LeverageTiers } from '../../trading/leverage-tiers.ts';
import type {
  AccountSummary,
  Fill,
  MarginModes,
  Market,
  OrderRequest,
  PositionMode,
  PositionSide,
  Quote,
  RestingOrder,
  StopRequest,
  UnreadableOrder,
  VenuePosition,
  VenueStop,
} from '../../trading/venue.ts';
import type { StreamPlan } from '../stream-follower.ts';
import type { HeldPositions } from './held-positions.ts';
import type { Signer } from './signer.ts';
import type { VenueClient } from './venue-client.ts';

/** A market and how its venue speaks of it. */
export interface VenueMarket extends Omit<Market, 'lastPrice'> {
  /** The venue's name: BTCUSDT, BTC_USDT. */
  readonly venueSymbol: string;
  /** Base currency in one contract, where the venue counts those instead of base currency. */
  readonly contractSize?: Decimal;
  /** Where the list of markets tells them. */
  readonly leverageTiers?: LeverageTiers;
}

/** What a venue lists, see market-list.ts. */
export interface MarketList {
  /** By our names. */
  readonly markets: ReadonlyMap<string, VenueMarket>;
  /** Names of those whose rules cannot be read. */
  readonly unreadable: ReadonlySet<string>;
}

/** The venue's word on an order, without its fills. */
export interface VenueOrder extends RestingOrder {
  /** By the venue's clock. */
  readonly createdAtMs: number;
}

/** Client order ids that the venue's own stream has told something of. */
export type AccountNews = readonly string[];

export interface AccountStream {
  /** Asked before every connection. */
  plan(): Promise<StreamPlan<AccountNews>>;
  /** What must be asked for so often, or the stream falls silent. */
  readonly keepAlive?: { readonly everyMs: number; send(): Promise<void> };
}

/** What an adapter is made from. */
export interface AdapterParts {
  readonly client: VenueClient;
  readonly signer: Pick<Signer, 'apiKey' | 'signText'>;
  readonly isTestnet: boolean;
  /** Of the venue's private streams. */
  readonly streamUrl: string;
  readonly nowMs: () => number;
  readonly timers: Pick<Timers, 'after'>;
}

/** Stops in the venue's words. */
export interface StopAdapter {
  /** The venue ends a stop by itself when it has waited for so long; absent where it never does. */
  readonly livesForMs?: number;
  /** Rejects with the refusals `duplicate-id` and `would-trigger` where the venue says so. */
  place(market: VenueMarket, request: StopRequest, mode: PositionMode): Promise<void>;
  /** Undefined where the venue says that it has no such stop. */
  find(market: VenueMarket, clientStopId: string): Promise<VenueStop | undefined>;
  /** Those of ours that wait, in one market or in all of them. What the owner has placed there may have any form, and is not read. */
  waiting(market?: VenueMarket): Promise<readonly VenueStop[]>;
  /** Rejects with the refusal `no-order` where there is nothing to cancel. */
  cancel(market: VenueMarket, clientStopId: string): Promise<void>;
  /** Only where the venue keeps no ids of ours: what was sent before this process began. */
  recall?(market: VenueMarket, request: StopRequest, sentAtMs: number): Promise<void>;
  /** Only there: whether it can be found at all. */
  knows?(clientStopId: string): boolean;
}

export interface VenueAdapter {
  readonly stream: AccountStream;
  readonly stops: StopAdapter;
  /** How long after it was sent an order that the venue does not show can still appear. */
  readonly mayAppearForMs: number;
  /** Every market that the venue lists, also those that do not trade at the moment. */
  markets(): Promise<MarketList>;
  /** With the venue's own time; the price of a side on which nobody waits is zero. */
  quote(market: VenueMarket): Promise<Quote>;
  /** Of all markets, by the venue's own names; absent where one at a time costs the venue's limits nothing worth sparing. */
  quotes?(): Promise<ReadonlyMap<string, Quote>>;
  summary(): Promise<AccountSummary>;
  positionMode(): Promise<PositionMode>;
  marginModes(market: VenueMarket): Promise<MarginModes>;
  /** Only those that are not flat. */
  positions(market: VenueMarket): Promise<readonly VenuePosition[]>;
  /** The same of the whole account. What is not among these markets may be left out where it cannot be counted in base currency. */
  allPositions(markets: readonly VenueMarket[]): Promise<HeldPositions>;
  setLeverage(market: VenueMarket, leverage: number): Promise<void>;
  /** As it is set for a side; undefined where the venue does not tell. */
  leverage(market: VenueMarket, side: PositionSide): Promise<number | undefined>;
  /** Only where the list of markets does not tell them. */
  leverageTiers?(market: VenueMarket): Promise<LeverageTiers | undefined>;
  /** Resolves with undefined where the venue only acknowledges an order: then it is read back. */
  place(market: VenueMarket, request: OrderRequest, mode: PositionMode): Promise<VenueOrder | undefined>;
  /** Asks whether the venue would take this order, and sends none; absent where the venue has no such question. */
  tryOrder?(market: VenueMarket, request: OrderRequest, mode: PositionMode): Promise<void>;
  /** Undefined where the venue says that it has no such order. That of a stop is found by the stop's id, and has it. */
  order(market: VenueMarket, clientOrderId: string): Promise<VenueOrder | undefined>;
  /** Ours (by prefix) that rest in the market. What the owner has placed there may have any form, and is not read. */
  openOrders(market: VenueMarket): Promise<readonly VenueOrder[]>;
  /** All that rest on the account, whoever sent them, without stops that wait for their price. */
  allOpenOrders(markets: readonly VenueMarket[]): Promise<readonly (VenueOrder | UnreadableOrder)[]>;
  /** Rejects with the refusal `no-order` where there is nothing to cancel. That of a stop is canceled by the stop's id. */
  cancel(market: VenueMarket, clientOrderId: string): Promise<void>;
  /** All fills of an order, as far as the venue shows them yet, and still. */
  fills(market: VenueMarket, order: VenueOrder): Promise<readonly Fill[]>;
  /** For so long the venue shows fills. */
  readonly fillsKeptForMs: number;
  /** What the key may do, as far as the venue tells it. */
  permissions(): Promise<KeyPermissions>;
  /** What holding has cost and earned in [fromMs, toMs), at most a week. */
  funding(fromMs: number, toMs: number, markets: readonly VenueMarket[]): Promise<readonly VenueFunding[]>;
  /** Orders that the venue itself has placed in the last week, such as liquidations, in these markets. */
  forcedOrders(markets: readonly VenueMarket[]): Promise<readonly VenueOrder[]>;
}
