// What differs between the emulated venues in tests of stops that are the same for all of them.

import type { Exchange } from '../../src/exchanges/exchange.ts';
import { SignedClient } from './emulated-venues/binance/signed-client.ts';
import type { EmulatedBinance } from './emulated-venues/binance/venue.ts';
import { BybitClient } from './emulated-venues/bybit/bybit-client.ts';
import type { BybitVenue } from './emulated-venues/bybit/bybit-venue.ts';
import type { EmulatedVenue } from './emulated-venues/emulated-venue.ts';
import type { FaultMatch } from './emulated-venues/faults.ts';
import { MexcClient } from './emulated-venues/mexc/mexc-client.ts';
import type { MexcVenue } from './emulated-venues/mexc/mexc-venue.ts';
import { LIVE_VENUES, type LiveVenueRow } from './live-gateway.ts';

export interface StopVenueRow extends LiveVenueRow {
  /** Where it takes stops, where it lists those that wait, and where it takes them back. */
  readonly stops: FaultMatch;
  readonly waitings: FaultMatch;
  readonly cancels: FaultMatch;
  /** What it says when it has taken one back. */
  readonly canceled: string;
  /** Its owner changes the position mode there. */
  readonly setMode: (venue: EmulatedVenue, isHedge: boolean) => Promise<unknown>;
}

const STOPS: Readonly<Record<LiveVenueRow['exchange'], Omit<StopVenueRow, keyof LiveVenueRow>>> = {
  binance: {
    stops: { method: 'POST', path: '/fapi/v1/algoOrder' },
    waitings: { method: 'GET', path: '/fapi/v1/openAlgoOrders' },
    cancels: { method: 'DELETE', path: '/fapi/v1/algoOrder' },
    canceled: '{"code":"200","msg":"success"}',
    setMode: (venue, dualSidePosition) =>
      new SignedClient(venue as EmulatedBinance, venue.market.nowMs).call('POST', '/fapi/v1/positionSide/dual', {
        dualSidePosition,
      }),
  },
  bybit: {
    stops: { method: 'POST', path: '/v5/order/create' },
    waitings: { method: 'GET', path: '/v5/order/realtime' },
    cancels: { method: 'POST', path: '/v5/order/cancel' },
    canceled: '{"retCode":0,"result":{}}',
    setMode: (venue, isHedge) =>
      new BybitClient(venue as BybitVenue).post('/v5/position/switch-mode', {
        ...{ category: 'linear', coin: 'USDT', mode: isHedge ? 3 : 0 },
      }),
  },
  mexc: {
    stops: { method: 'POST', path: '/api/v1/private/planorder/place' },
    waitings: { method: 'GET', path: '/api/v1/private/planorder/list/orders' },
    cancels: { method: 'POST', path: '/api/v1/private/planorder/cancel' },
    canceled: '{"success":true,"code":0}',
    setMode: (venue, isHedge) =>
      new MexcClient(venue as MexcVenue).post('position/change_position_mode', { positionMode: isHedge ? 1 : 2 }),
  },
};

export const STOP_VENUES: readonly StopVenueRow[] = LIVE_VENUES.map((row) => ({ ...row, ...STOPS[row.exchange] }));

/** Of an order: the venue did not look at it. */
export const UNSEEN: Readonly<Record<Exchange, readonly [status: number, body: object]>> = {
  binance: [503, { code: -1008, msg: 'Service Unavailable' }],
  bybit: [200, { retCode: 10019, retMsg: 'the trade service is restarting', result: {} }],
  mexc: [200, { success: false, code: 801, message: 'server busy' }],
};
