// What one venue's folder says about its trading interface; everything else about a testnet or live account is shared.

import type { Decimal } from '../../trading/decimal.ts';
import type { KeyPermissions } from '../../trading/key-permissions.ts';
import type {
  AccountSummary,
  Fill,
  Market,
  OrderReport,
  OrderRequest,
  PositionMode,
  VenuePosition,
} from '../../trading/venue.ts';
import type { StreamPlan } from '../stream-follower.ts';
import type { Signer } from './signer.ts';
import type { VenueClient } from './venue-client.ts';

/** A market and how its venue speaks of it. */
export interface VenueMarket extends Omit<Market, 'lastPrice'> {
  /** The venue's name: BTCUSDT, BTC_USDT. */
  readonly venueSymbol: string;
  /** Base currency in one contract, where the venue counts those instead of base currency. */
  readonly contractSize?: Decimal;
}

/** The venue's word on an order, without its fills. */
export type VenueOrder = Omit<OrderReport, 'fills'>;

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
}

export interface VenueAdapter {
  readonly stream: AccountStream;
  /** How long after it was sent an order that the venue does not show can still appear. */
  readonly mayAppearForMs: number;
  /** Every market that can be traded, by our names. */
  markets(): Promise<ReadonlyMap<string, VenueMarket>>;
  lastPrice(market: VenueMarket): Promise<Decimal>;
  summary(): Promise<AccountSummary>;
  positionMode(): Promise<PositionMode>;
  /** Only those that are not flat. */
  positions(market: VenueMarket): Promise<readonly VenuePosition[]>;
  setLeverage(market: VenueMarket, leverage: number): Promise<void>;
  /** Resolves with undefined where the venue only acknowledges an order: then it is read back. */
  place(market: VenueMarket, request: OrderRequest, mode: PositionMode): Promise<VenueOrder | undefined>;
  /** Undefined where the venue says that it has no such order. */
  order(market: VenueMarket, clientOrderId: string): Promise<VenueOrder | undefined>;
  /** All that rest in the market, whoever sent them. */
  openOrders(market: VenueMarket): Promise<readonly VenueOrder[]>;
  /** Rejects with the refusal `no-order` where there is nothing to cancel. */
  cancel(market: VenueMarket, clientOrderId: string): Promise<void>;
  /** All fills of an order, as far as the venue shows them yet. */
  fills(market: VenueMarket, order: VenueOrder): Promise<readonly Fill[]>;
  /** What the key may do, as far as the venue tells it. */
  permissions(): Promise<KeyPermissions>;
  /** Orders that the venue itself has placed in the last week, such as liquidations. */
  forcedOrders(markets: readonly VenueMarket[]): Promise<readonly VenueOrder[]>;
}
