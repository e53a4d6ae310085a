// The larger a position, the less leverage its venue lets it have: an entry that asks for more is refused before anything is sent, through
// the whole gateway. Exits never are. Where a venue does not tell its tiers, it is the one that refuses.

import { describe, expect, test } from 'vitest';
import type { Exchange } from '../../src/exchanges/exchange.ts';
import { toText } from '../../src/trading/decimal.ts';
import { closeAtEnd } from '../support/close-at-end.ts';
import { openEmulatedAccount } from '../support/emulated-account.ts';
import { startBinance } from '../support/emulated-venues/binance/venue.ts';
import { startBybitVenue } from '../support/emulated-venues/bybit/bybit-venue.ts';
import type { EmulatedVenue } from '../support/emulated-venues/emulated-venue.ts';
import { startMexcVenue } from '../support/emulated-venues/mexc/mexc-venue.ts';
import { LIVE_VENUES, type LiveGateway, type LiveVenueRow, MARKET, openLiveGateway } from '../support/live-gateway.ts';
import { STOP_VENUES } from '../support/stop-venues.ts';

/** Where each venue tells its tiers, and how a test hides them. */
const TOLD: Readonly<Record<Exchange, { readonly path: string; readonly hide: (venue: EmulatedVenue) => void }>> = {
  binance: {
    path: '/fapi/v1/leverageBracket',
    hide: ({ faults }) =>
      faults.editAnswer({ path: '/fapi/v1/leverageBracket' }, (rows) =>
        rows.map((row: { brackets: object[] }) => ({ ...row, brackets: [{ ...row.brackets[0], notionalCap: 'x' }] })),
      ),
  },
  bybit: {
    path: '/v5/market/risk-limit',
    hide: ({ faults }) => faults.answerInstead({ path: '/v5/market/risk-limit' }, 500, {}, 1000),
  },
  mexc: {
    path: '/api/v1/contract/detail',
    hide: ({ faults }) =>
      faults.editAnswer({ path: '/api/v1/contract/detail' }, (body) => ({
        ...body,
        data: body.data.map((row: object) => ({ ...row, riskLimitType: 'BY_MOOD' })),
      })),
  },
};

async function opened(row: LiveVenueRow, before: (venue: EmulatedVenue) => unknown = () => {}): Promise<LiveGateway> {
  const start: LiveVenueRow['start'] = async (options) => {
    const venue = await row.start(options);
    await before(venue);
    return venue;
  };
  const gateway = await openLiveGateway({ ...row, start }, { settings: { MAX_SPREAD_PERCENT: '0' } });
  closeAtEnd(() => gateway.close());
  return gateway;
}

// Up to 300,000 USDT may have 125x, up to 800,000 USDT 100x: at 50,000 these are 6 and 16 BTC.
describe.each(LIVE_VENUES)('$exchange', (row) => {
  const { path, hide } = TOLD[row.exchange];
  const sentTo = ({ emulated }: LiveGateway, { method, path: to }: { method?: string; path?: string }) =>
    emulated.requests.filter((each) => each.method === method && each.path === to).length;

  test('an entry whose position would be too large for its leverage is refused, and nothing is sent', async () => {
    const gateway = await opened(row);
    const refused = await gateway.send({ quantity: 6.001, leverage: 125 });
    expect(refused).toMatchObject({ status: 422, code: 'ORDER_TOO_LARGE' });
    expect(refused.error).toMatch(
      /^at 125x a position in BTCUSDT may be worth 300000 USDT, and this would make it 30005\d(\.\d+)?: lower the leverage to 100 or the quantity; nothing was sent/,
    );
    expect([sentTo(gateway, row.orders), sentTo(gateway, row.leverage)]).toEqual([0, 0]);
    expect(await gateway.send({ quantity: 6.001, leverage: 100 })).toMatchObject({ status: 200 });
    expect(gateway.held()).toContain('6.001');
  });

  test('what is held counts, and an exit is never asked, however large the position has grown', async () => {
    const gateway = await opened(row);
    await gateway.send({ quantity: 5, leverage: 125 });
    const refused = await gateway.send({ quantity: 2, leverage: 125 });
    expect(refused).toMatchObject({ code: 'ORDER_TOO_LARGE', error: expect.stringContaining('make it 35000') });
    // 325,000 USDT now: more than its leverage allows.
    gateway.emulated.market.setPrice(MARKET, '65000');
    expect(await gateway.send({ action: 'CLOSE_LONG', quantity: 2 })).toMatchObject({ status: 200 });
    expect(await gateway.send({ action: 'CLOSE_LONG', quantity: 3 })).toMatchObject({ status: 200 });
    expect(gateway.orders()).toEqual(['BUY 5 FILLED', 'SELL 2 FILLED', 'SELL 3 FILLED']);
  });

  test('an entry that names no leverage is measured by the one that its market has', async () => {
    const gateway = await opened(row);
    await gateway.send({ quantity: 1, leverage: 125 });
    const refused = await gateway.send({ quantity: 6 });
    expect(refused).toMatchObject({ code: 'ORDER_TOO_LARGE', error: expect.stringMatching(/^at 125x /) });
    await gateway.send({ quantity: 0.01, leverage: 50 });
    expect(await gateway.send({ quantity: 6 })).toMatchObject({ status: 200 });
  });

  test('so is one by a limit of leverage, and its exits are not', async () => {
    const gateway = await opened(row);
    await gateway.send({ quantity: 0.01, leverage: 50 });
    const limits = { method: 'PUT', body: JSON.stringify({ leverage: 10 }) };
    await gateway.ask(`/admin/restrictions/account/${row.exchange}%3Amain/limits`, limits);
    const refused = await gateway.send({ quantity: 0.01 });
    expect(refused).toMatchObject({
      code: 'LIMIT_LEVERAGE',
      error: expect.stringContaining('BTCUSDT is set to 50 on'),
    });
    expect(await gateway.send({ quantity: 0.01, leverage: 10 })).toMatchObject({ status: 200 });
    expect(await gateway.send({ quantity: 0.01 })).toMatchObject({ status: 200 });
    expect(await gateway.send({ action: 'CLOSE_LONG', quantity: 5 })).toMatchObject({ status: 200 });
    expect(gateway.orders()).toHaveLength(4);
  });

  test('a limit order goes by its own price', async () => {
    const gateway = await opened(row);
    expect(await gateway.send({ quantity: 6.1, leverage: 125, price: 49_000 })).toMatchObject({ status: 200 });
    const refused = await gateway.send({ quantity: 6.1, leverage: 125, price: 49_500 });
    expect(refused).toMatchObject({ code: 'ORDER_TOO_LARGE', error: expect.stringContaining('301950') });
  });

  test('a reversal that could not open again leaves what is held as it is', async () => {
    const { setMode } = STOP_VENUES.find(({ exchange }) => exchange === row.exchange)!;
    const gateway = await opened(row, (venue) => setMode(venue, false));
    await gateway.send({ action: 'SHORT', quantity: 1, leverage: 125 });
    const refused = await gateway.send({ action: 'LONG', quantity: 6.1, leverage: 125 });
    expect(refused).toMatchObject({ code: 'ORDER_TOO_LARGE' });
    expect(gateway.orders()).toEqual(['SELL 1 FILLED']);
    // What it closes does not count: the position that it makes has 5.9.
    expect(await gateway.send({ action: 'LONG', quantity: 5.9, leverage: 125 })).toMatchObject({ status: 200 });
  });

  test('where the tiers are not told nothing is refused for it here, and the venue refuses itself', async () => {
    const gateway = await opened(row, hide);
    const refused = await gateway.send({ quantity: 6.001, leverage: 125 });
    expect(refused).toMatchObject({ status: 422, code: 'ORDER_REJECTED' });
    expect(sentTo(gateway, row.orders)).toBe(1);
    expect(gateway.held()).toBe('');
    expect(await gateway.send({ quantity: 1, leverage: 125 })).toMatchObject({ status: 200 });
    expect(sentTo(gateway, { method: 'GET', path })).toBe(1);
  });

  test('the tiers cost no request an order', async () => {
    const gateway = await opened(row);
    const before = sentTo(gateway, { method: 'GET', path });
    for (const quantity of [0.01, 0.02, 0.03]) await gateway.send({ quantity });
    const asked = sentTo(gateway, { method: 'GET', path });
    // Bybit tells them market by market; the others have told them with their markets.
    expect(asked - before).toBeLessThanOrEqual(1);
    gateway.emulated.market.setPrice('ETHUSDT', '3000');
    await gateway.send({ symbol: 'ETHUSDT', quantity: 0.1 });
    expect(sentTo(gateway, { method: 'GET', path }) - asked).toBe(row.exchange === 'bybit' ? 1 : 0);
  });
});

describe('what is read of the tiers', () => {
  async function tiersAt(exchange: Exchange, emulated: EmulatedVenue): Promise<unknown> {
    const venue = await openEmulatedAccount(exchange, emulated);
    closeAtEnd(async () => {
      await venue.close();
      await emulated.close();
    });
    const told = await venue.leverageTiers?.(MARKET);
    return told && [told.by, ...told.tiers.map(({ upTo, maxLeverage }) => `${toText(upTo)} ${maxLeverage}x`)];
  }
  const BRACKETS = ['worth', '300000 125x', '800000 100x', '3000000 75x', '12000000 50x', '70000000 25x'];

  test.each([
    ['binance', startBinance],
    ['bybit', startBybitVenue],
    ['mexc', startMexcVenue],
  ] as const)('of %s', async (exchange, start) => {
    expect(await tiersAt(exchange, await start())).toEqual(BRACKETS);
  });

  test('of a Binance account whose brackets are larger than those of others', async () => {
    const emulated = await startBinance();
    emulated.faults.editAnswer({ path: '/fapi/v1/leverageBracket' }, (rows) =>
      rows.map((each: object) => ({ ...each, notionalCoef: 1.5 })),
    );
    expect(await tiersAt('binance', emulated)).toEqual(
      expect.arrayContaining(['worth', '450000 125x', '1200000 100x']),
    );
  });

  /** As MEXC publishes them, for contracts of 0.0001 BTC. */
  test.each<[string, object, readonly string[]]>([
    [
      'by contracts',
      {
        ...{ riskLimitType: 'BY_VOLUME', riskLimitMode: 'CUSTOM' },
        riskLimitCustom: [
          { level: 2, maxVol: 310000, mmr: 0.0025, imr: 0.005, maxLeverage: 200 },
          { level: 1, maxVol: 50000, mmr: 0.001, imr: 0.002, maxLeverage: 500 },
        ],
      },
      ['quantity', '5 500x', '31 200x'],
    ],
    [
      'that grow by a step',
      {
        ...{ riskLimitType: 'BY_VOLUME', riskLimitMode: 'INCREASE', initialMarginRate: 0.0025, maxLeverage: 400 },
        ...{ riskBaseVol: 15000, riskIncrVol: 200000, riskIncrImr: 0.008, riskLevelLimit: 3 },
      },
      ['quantity', '1.5 400x', '21.5 95x', '41.5 54x'],
    ],
  ])('of MEXC %s', async (_, changes, tiers) => {
    const emulated = await startMexcVenue();
    emulated.faults.editAnswer({ path: '/api/v1/contract/detail' }, (body) => ({
      ...body,
      data: body.data.map((each: object) => ({ ...each, ...changes })),
    }));
    expect(await tiersAt('mexc', emulated)).toEqual(tiers);
  });

  test('that make no sense: none', async () => {
    const emulated = await startMexcVenue();
    emulated.faults.editAnswer({ path: '/api/v1/contract/detail' }, (body) => ({
      ...body,
      data: body.data.map((each: object) => ({ ...each, riskLimitCustom: [{ maxVol: 0, maxLeverage: 125 }] })),
    }));
    expect(await tiersAt('mexc', emulated)).toBeUndefined();
  });
});
