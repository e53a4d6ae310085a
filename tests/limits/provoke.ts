// How each refusal of limits and pauses is provoked through the front door.

import type { SubjectKind, TradeLimits } from '../../src/trading/intake/restrictions.ts';
import { openProtected, PRICE } from '../protection/written-market.ts';
import type { Sent, TestGateway } from '../support/gateway.ts';

export const path = (kind: SubjectKind, name: string, what: 'limits' | 'pause' | 'kill-switch'): string =>
  `/admin/restrictions/${kind}/${encodeURIComponent(name)}/${what}`;

export const setLimits = async (
  gateway: TestGateway,
  kind: SubjectKind,
  name: string,
  limits: TradeLimits,
): Promise<Sent> => gateway.request('PUT', path(kind, name, 'limits'), limits);

/** A signal of the symbol, under these limits of it. */
const under =
  (limits: TradeLimits, signal: object = {}) =>
  async (gateway: TestGateway): Promise<Sent> => {
    await setLimits(gateway, 'symbol', 'BTCUSDT', limits);
    return gateway.send({ ...signal });
  };

const paused =
  (kind: SubjectKind, name: string) =>
  async (gateway: TestGateway): Promise<Sent> => {
    await gateway.request('PUT', path(kind, name, 'pause'), { paused: true });
    return gateway.send({ strategy: 'ema' });
  };

/** The same one again. */
const twice =
  (limits: TradeLimits, between: (gateway: TestGateway) => Promise<unknown> = async () => {}) =>
  async (gateway: TestGateway): Promise<Sent> => {
    await setLimits(gateway, 'symbol', 'BTCUSDT', limits);
    await gateway.send();
    await between(gateway);
    return gateway.send({ quantity: 0.02 });
  };

export const LIMIT_PROVOCATIONS = {
  KEY_PAUSED: paused('key', 'test-0'),
  STRATEGY_PAUSED: paused('strategy', 'ema'),
  ACCOUNT_PAUSED: paused('account', 'binance:main'),
  SYMBOL_PAUSED: paused('symbol', 'BTCUSDT'),
  LIMIT_VENUES: under({ venues: ['bybit'] }),
  LIMIT_SYMBOLS: under({ symbols: ['ETHUSDT'] }),
  LIMIT_ACTIONS: under({ actions: ['SHORT'] }),
  LIMIT_ACCOUNTS: under({ accounts: ['bybit:main'] }),
  LIMIT_TRADING_WINDOW: async (gateway: TestGateway): Promise<Sent> => {
    // Twelve hours from now, for one minute.
    const from = new Date(Date.now() + 12 * 3_600_000).toISOString().slice(11, 16);
    const to = new Date(Date.now() + 12 * 3_600_000 + 60_000).toISOString().slice(11, 16);
    return under({ tradingWindows: [{ from, to }] })(gateway);
  },
  LIMIT_RATE: twice({ rate: 1 }),
  LIMIT_ENTRIES_PER_DAY: twice({ entriesPerDay: 1 }),
  LIMIT_COOLDOWN: twice({ cooldownSeconds: 60 }, (gateway) => gateway.send({ action: 'CLOSE_LONG' })),
  LIMIT_LOCKED_AFTER_STOPS: async () => {
    const { gateway, trade } = await openProtected();
    await setLimits(gateway, 'symbol', 'BTCUSDT', { lockAfterStops: { stops: 1, seconds: 60 } });
    await gateway.send({ stopLoss: PRICE - 100 });
    await trade(PRICE - 200);
    return gateway.send();
  },
  LIMIT_DAILY_LOSS: async () => {
    const { gateway, market } = await openProtected();
    await setLimits(gateway, 'symbol', 'BTCUSDT', { dailyLoss: 1 });
    await gateway.send();
    market.trade(PRICE - 1000);
    await gateway.send({ action: 'CLOSE_LONG' });
    return gateway.send();
  },
  LIMIT_OPEN_POSITIONS: under({ openPositions: 0 }),
  LIMIT_LARGEST_ORDER: under({ largestOrder: 0.5 }, { price: 100 }),
  LIMIT_LARGEST_POSITION: under({ largestPosition: 0.5 }, { price: 100 }),
  LIMIT_LEVERAGE: under({ leverage: 2 }, { leverage: 3 }),
  LIMIT_PRICE: under({ priceDeviationPercent: 1 }, { price: 100 }),
  LIMIT_SPREAD: under({ spreadPercent: 0.000001 }),
  TOO_MANY_RESTRICTIONS: async (gateway: TestGateway): Promise<Sent> => {
    for (let number = 0; number < 1000; number++)
      await gateway.restrictions.setLimits({ kind: 'strategy', name: `s${number}` }, { rate: 1 }, 'test');
    return setLimits(gateway, 'strategy', 'one more', { rate: 1 });
  },
};
