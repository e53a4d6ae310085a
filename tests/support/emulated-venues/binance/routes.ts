// Every address of the emulated Binance: who may ask, what it weighs, and who answers.

import type { MatchingMarket } from '../matching-market.ts';
import type { AccountInfo, KeyPermissions } from './account.ts';
import type { AlgoOrders } from './algo-orders.ts';
import { type Klines, klineWeight } from './klines.ts';
import type { MarketInfo } from './market-info.ts';
import type { BinanceOrders } from './orders.ts';
import type { Parameters } from './parameters.ts';
import type { AccountSettings } from './settings.ts';
import type { SpotWallet } from './spot-wallet.ts';
import type { UserStream } from './user-stream.ts';

export interface Parts {
  readonly market: MatchingMarket;
  readonly account: AccountInfo;
  readonly orders: BinanceOrders;
  readonly algoOrders: AlgoOrders;
  readonly settings: AccountSettings;
  readonly info: MarketInfo;
  readonly klines: Klines;
  readonly userStream: UserStream;
  readonly spot: SpotWallet;
}

type Answer = (parameters: Parameters) => unknown;
type Weight = number | ((parameters: Parameters) => number);

export interface Route {
  readonly security: 'public' | 'key' | 'signed';
  /** The permission that a signed request needs. */
  readonly needs: keyof KeyPermissions;
  readonly weight: Weight;
  /** Counts against the limit of new orders. */
  readonly isOrder: boolean;
  readonly answer: Answer;
}

const without =
  (name: string, light: number, heavy: number): Weight =>
  (parameters) =>
    parameters.has(name) ? light : heavy;

export function routesOf(parts: Parts): ReadonlyMap<string, Route> {
  return new Map([...publicRoutes(parts), ...orderRoutes(parts), ...accountRoutes(parts), ...spotRoutes(parts)]);
}

type Row = readonly [string, Route];

const open = (address: string, weight: Weight, answer: Answer): Row => [
  address,
  { security: 'public', needs: 'enableReading', weight, isOrder: false, answer },
];
const keyed = (address: string, weight: Weight, answer: Answer): Row => [
  address,
  { security: 'key', needs: 'enableReading', weight, isOrder: false, answer },
];
const read = (address: string, weight: Weight, answer: Answer): Row => [
  address,
  { security: 'signed', needs: 'enableReading', weight, isOrder: false, answer },
];
const trade = (address: string, weight: Weight, answer: Answer): Row => [
  address,
  { security: 'signed', needs: 'enableFutures', weight, isOrder: false, answer },
];
const order = (address: string, weight: Weight, answer: Answer): Row => [
  address,
  { security: 'signed', needs: 'enableFutures', weight, isOrder: true, answer },
];

function publicRoutes({ market, info, klines, userStream }: Parts): Row[] {
  return [
    open('GET /fapi/v1/ping', 1, () => ({})),
    open('GET /fapi/v1/time', 1, () => ({ serverTime: market.nowMs() })),
    open('GET /fapi/v1/exchangeInfo', 1, () => info.exchangeInfo()),
    open('GET /fapi/v1/ticker/price', without('symbol', 1, 2), (p) => info.price(p)),
    open('GET /fapi/v2/ticker/price', without('symbol', 1, 2), (p) => info.price(p)),
    open('GET /fapi/v1/ticker/bookTicker', without('symbol', 2, 5), (p) => info.bookTicker(p)),
    open('GET /fapi/v1/premiumIndex', without('symbol', 1, 10), (p) => info.premiumIndex(p)),
    open('GET /fapi/v1/klines', klineWeight, (p) => klines.list(p)),
    keyed('POST /fapi/v1/listenKey', 1, () => userStream.start()),
    keyed('PUT /fapi/v1/listenKey', 1, () => userStream.keepAlive()),
    keyed('DELETE /fapi/v1/listenKey', 1, () => userStream.stop()),
  ];
}

/** New orders weigh nothing: they have limits of their own. */
function orderRoutes({ orders, algoOrders }: Parts): Row[] {
  return [
    order('POST /fapi/v1/order', 0, (p) => orders.place(p)),
    order('POST /fapi/v1/order/test', 0, (p) => orders.test(p)),
    order('PUT /fapi/v1/order', 1, (p) => orders.amend(p)),
    read('GET /fapi/v1/order', 1, (p) => orders.query(p)),
    trade('DELETE /fapi/v1/order', 1, (p) => orders.cancel(p)),
    trade('DELETE /fapi/v1/allOpenOrders', 1, (p) => orders.cancelAll(p)),
    read('GET /fapi/v1/openOrders', without('symbol', 1, 40), (p) => orders.listOpen(p)),
    read('GET /fapi/v1/allOrders', 5, (p) => orders.listAll(p)),
    read('GET /fapi/v1/userTrades', 5, (p) => orders.listTrades(p)),
    read('GET /fapi/v1/forceOrders', without('symbol', 20, 50), (p) => orders.listForced(p)),
    order('POST /fapi/v1/algoOrder', 0, (p) => algoOrders.place(p)),
    read('GET /fapi/v1/algoOrder', 1, (p) => algoOrders.query(p)),
    trade('DELETE /fapi/v1/algoOrder', 1, (p) => algoOrders.cancel(p)),
    trade('DELETE /fapi/v1/algoOpenOrders', 1, (p) => algoOrders.cancelAll(p)),
    read('GET /fapi/v1/openAlgoOrders', without('symbol', 1, 40), (p) => algoOrders.listOpen(p)),
    read('GET /fapi/v1/allAlgoOrders', 5, (p) => algoOrders.listAll(p)),
  ];
}

function accountRoutes({ account, settings }: Parts): Row[] {
  return [
    read('GET /fapi/v3/balance', 5, () => account.balance()),
    read('GET /fapi/v2/balance', 5, () => account.balance()),
    read('GET /fapi/v3/account', 5, () => account.account()),
    read('GET /fapi/v3/positionRisk', 5, (p) => account.positionRisk(p)),
    read('GET /fapi/v2/positionRisk', 5, (p) => account.positionRiskOfAll(p)),
    read('GET /fapi/v1/income', 30, (p) => account.income(p)),
    read('GET /fapi/v1/commissionRate', 20, (p) => account.commissionRate(p)),
    read('GET /fapi/v1/leverageBracket', 1, (p) => settings.leverageBrackets(p)),
    read('GET /fapi/v1/symbolConfig', 5, (p) => settings.symbolConfig(p)),
    read('GET /fapi/v1/accountConfig', 5, () => settings.accountConfig()),
    trade('POST /fapi/v1/leverage', 1, (p) => settings.setLeverage(p)),
    trade('POST /fapi/v1/marginType', 1, (p) => settings.setMarginType(p)),
    read('GET /fapi/v1/positionSide/dual', 30, () => settings.positionMode()),
    trade('POST /fapi/v1/positionSide/dual', 1, (p) => settings.setPositionMode(p)),
    read('GET /fapi/v1/multiAssetsMargin', 30, () => settings.multiAssets()),
    trade('POST /fapi/v1/multiAssetsMargin', 1, (p) => settings.setMultiAssets(p)),
    read('GET /sapi/v1/account/apiRestrictions', 1, () => account.restrictions()),
  ];
}

function spotRoutes({ market, spot }: Parts): Row[] {
  const spotOrder = (address: string, answer: Answer): Row => [
    address,
    { security: 'signed', needs: 'enableSpotAndMarginTrading', weight: 1, isOrder: true, answer },
  ];
  return [
    open('GET /api/v3/ping', 1, () => ({})),
    open('GET /api/v3/time', 1, () => ({ serverTime: market.nowMs() })),
    open('GET /api/v3/exchangeInfo', 20, () => spot.exchangeInfo()),
    spotOrder('POST /api/v3/order', (p) => spot.place(p)),
    spotOrder('POST /api/v3/order/test', (p) => spot.test(p)),
    read('GET /api/v3/order', 4, (p) => spot.query(p)),
    read('DELETE /api/v3/order', 1, (p) => spot.cancel(p)),
    read('GET /api/v3/openOrders', without('symbol', 6, 80), (p) => spot.listOpen(p)),
    read('GET /api/v3/account', 20, () => spot.account()),
  ];
}
