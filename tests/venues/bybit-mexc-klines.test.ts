// The emulated Bybit and MEXC have bars too, so that our own market data of each can live on it.

import { describe, expect, it } from 'vitest';
import { createFeed as createBybitFeed } from '../../src/adapters/market-data/bybit/feed.ts';
import { createFeed as createMexcFeed } from '../../src/adapters/market-data/mexc/feed.ts';
import { closeAtEnd } from '../support/close-at-end.ts';
import { startBybitVenue } from '../support/emulated-venues/bybit/bybit-venue.ts';
import { startMexcVenue } from '../support/emulated-venues/mexc/mexc-venue.ts';
import { openStream } from '../support/emulated-venues/stream-client.ts';
import { createEar } from '../support/venue-servers/open-feed.ts';

const MINUTE_MS = 60_000;
const START_MS = 28_333_334 * MINUTE_MS;

const VENUES = [
  { name: 'Bybit', start: startBybitVenue, createFeed: createBybitFeed, path: '/v5/public/linear' },
  { name: 'MEXC', start: startMexcVenue, createFeed: createMexcFeed, path: '/edge' },
];

async function open({ start, createFeed, path }: (typeof VENUES)[number]) {
  const clock = { nowMs: START_MS };
  const venue = await start({ nowMs: () => clock.nowMs });
  closeAtEnd(() => venue.close());
  const move = (afterMs: number, price: string): void => {
    clock.nowMs = START_MS + afterMs;
    venue.market.setPrice('BTCUSDT', price);
  };
  move(0, '50000');
  const time = { nowMs: () => clock.nowMs, monotonicMs: () => clock.nowMs, random: () => 0.5 };
  const log = { info() {}, warn() {} };
  const feed = createFeed({ restUrl: venue.baseUrl, wsUrl: `${venue.streamUrl}${path}`, ...time, log });
  closeAtEnd(async () => feed.close());
  return { venue, move, feed };
}

describe.each(VENUES)('the emulated $name', (each) => {
  it('makes bars of the prices that were set', async () => {
    const { feed, move } = await open(each);
    move(10_000, '50200');
    move(20_000, '49900');
    move(MINUTE_MS + 1, '50050');
    const bars = await feed.bars('BTCUSDT', MINUTE_MS, START_MS - MINUTE_MS, START_MS + 5 * MINUTE_MS);
    expect(bars).toMatchObject([
      { time: START_MS - MINUTE_MS, open: 50_000, high: 50_000, low: 50_000, close: 50_000, volume: 0 },
      { time: START_MS, open: 50_000, high: 50_200, low: 49_900, close: 49_900, volume: 3 },
      { time: START_MS + MINUTE_MS, open: 49_900, high: 50_050, low: 49_900, close: 50_050, volume: 1 },
    ]);
    expect(Number(await feed.lastPrice('BTCUSDT'))).toBe(50_050);
  });

  it('follows them with a stream', async () => {
    const { feed, move } = await open(each);
    const ear = createEar();
    feed.follow('BTCUSDT', MINUTE_MS, ear);
    await expect.poll(() => ear.states.at(-1)).toBe('live');
    ear.bars.length = 0;
    move(30_000, '50300');
    move(MINUTE_MS, '50400');
    await expect
      .poll(() => ear.bars.at(-1))
      .toMatchObject({ time: START_MS + MINUTE_MS, close: 50_400, closed: false });
    expect(ear.bars[0]).toMatchObject({ time: START_MS, close: 50_300, closed: false });
    expect(ear.bars.filter(({ closed }) => closed)).toMatchObject([{ time: START_MS, high: 50_300, close: 50_300 }]);
  });
});

it('Bybit refuses bars of no interval, topics of no contract, and shows 200 bars unless asked for more', async () => {
  const { venue } = await open(VENUES[0]!);
  const ask = async (query: string) =>
    (await (await fetch(`${venue.baseUrl}/v5/market/kline?category=linear&symbol=BTCUSDT&${query}`)).json()) as {
      retCode: number;
      result: { list: string[][] };
    };
  expect((await ask('interval=7')).retCode).toBe(10001);
  expect((await ask('interval=1')).result.list).toHaveLength(200);
  expect((await ask('interval=1&limit=1001')).result.list).toHaveLength(1000);
  expect((await ask('interval=1')).result.list[0]?.[0]).toBe(String(START_MS));
  const stream = await openStream(`${venue.streamUrl}/v5/public/linear`);
  stream.say({ op: 'subscribe', args: ['kline.1.NOPE'] });
  expect(await stream.hear(({ op }) => op === 'subscribe')).toMatchObject({ success: false });
  stream.say({ op: 'ping' });
  expect(await stream.hear(({ op }) => op === 'ping')).toMatchObject({ ret_msg: 'pong' });
});

it('MEXC refuses bars of no interval and of no contract', async () => {
  const { venue } = await open(VENUES[1]!);
  const ask = async (path: string) => (await fetch(`${venue.baseUrl}/api/v1/contract/kline/${path}`)).json();
  expect(await ask('BTC_USDT?interval=Min7')).toMatchObject({ success: false, code: 600 });
  expect(await ask('NO_USDT?interval=Min1')).toMatchObject({ success: false, code: 1001 });
  const stream = await openStream(`${venue.streamUrl}/edge`);
  stream.say({ method: 'sub.kline', param: { symbol: 'NO_USDT', interval: 'Min1' } });
  expect(await stream.hear(({ channel }) => channel === 'rs.error')).toMatchObject({
    data: expect.stringMatching(/not exists/),
  });
});
