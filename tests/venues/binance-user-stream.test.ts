// The user data stream of the emulated Binance: listen keys, the events of an account, and what gets lost.

import { beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { closeAtEnd } from '../support/close-at-end.ts';
import { expectRefused, type OpenBinance, openBinance } from '../support/emulated-venues/binance/open-binance.ts';
import type { SignedClient } from '../support/emulated-venues/binance/signed-client.ts';
import { type EmulatedBinance, startBinance } from '../support/emulated-venues/binance/venue.ts';

const HOUR_MS = 3_600_000;

let venue: EmulatedBinance;
let client: SignedClient;
let clock: OpenBinance['clock'];

beforeEach(async () => {
  ({ venue, client, clock } = await openBinance());
});

// biome-ignore lint/suspicious/noExplicitAny: a test reads any field
type Event = any;

interface Ear {
  readonly events: Event[];
  isOpen(): boolean;
  say(text: string): void;
}

async function listen(path: string): Promise<Ear> {
  const socket = new WebSocket(venue.streamUrl + path);
  closeAtEnd(async () => socket.terminate());
  const events: Event[] = [];
  socket.on('message', (data) => events.push(JSON.parse(String(data))));
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return { events, isOpen: () => socket.readyState === WebSocket.OPEN, say: (text) => socket.send(text) };
}

const listenKey = async (): Promise<string> => (await client.send('POST', '/fapi/v1/listenKey')).body.listenKey;
const kinds = ({ events }: Ear): string[] => events.map(({ e, o }) => (o === undefined ? e : `${e} ${o.X}`));

describe('listen keys', () => {
  it('stay the same while they live, and live an hour after the last sign', async () => {
    expectRefused(await client.send('PUT', '/fapi/v1/listenKey'), -1125);
    const key = await listenKey();
    expect(key).toHaveLength(64);
    clock.nowMs += HOUR_MS - 1;
    expect((await client.send('PUT', '/fapi/v1/listenKey')).body).toEqual({ listenKey: key });
    clock.nowMs += HOUR_MS - 1;
    expect(await listenKey()).toBe(key);
    clock.nowMs += HOUR_MS;
    expectRefused(await client.send('PUT', '/fapi/v1/listenKey'), -1125);
    expect(await listenKey()).not.toBe(key);
    expect((await client.send('DELETE', '/fapi/v1/listenKey')).body).toEqual({});
    expectRefused(await client.send('PUT', '/fapi/v1/listenKey'), -1125);
    expectRefused(await client.send('POST', '/fapi/v1/listenKey', { headers: {} }), -2014);
  });

  it('say so when they have expired, and then nothing more', async () => {
    const key = await listenKey();
    const ear = await listen(`/private/ws/${key}`);
    clock.nowMs += HOUR_MS;
    await client.order({});
    await expect.poll(() => kinds(ear)).toEqual(['listenKeyExpired']);
    expect(ear.events[0]).toMatchObject({ listenKey: key });
    expect(ear.isOpen()).toBe(true);
  });

  it('that do not exist open a socket that stays silent', async () => {
    const silent = await listen('/private/ws/nobody');
    const ear = await listen(`/private/ws/${await listenKey()}`);
    await client.order({});
    await expect.poll(() => ear.events.length).toBeGreaterThan(2);
    silent.say('{"method":"LIST_SUBSCRIPTIONS","id":3}');
    await expect.poll(() => silent.events).toEqual([{ result: null, id: 3 }]);
  });
});

describe('addresses', () => {
  it('of live trading are private ones, those of the test network are not', async () => {
    await expect(listen(`/ws/${await listenKey()}`)).rejects.toThrow('404');
    const testnet = await startBinance({ testnet: true });
    closeAtEnd(() => testnet.close());
    venue = testnet;
    await expect(listen('/private/ws/any')).rejects.toThrow('404');
    expect((await listen('/ws/any')).isOpen()).toBe(true);
  });
});

describe('events', () => {
  it('tell an order, its trade and the account', async () => {
    const ear = await listen(`/private/ws/${await listenKey()}`);
    await client.order({ newClientOrderId: 'sbx-1', quantity: '0.02' });
    await expect
      .poll(() => kinds(ear))
      .toEqual(['ORDER_TRADE_UPDATE NEW', 'TRADE_LITE', 'ORDER_TRADE_UPDATE FILLED', 'ACCOUNT_UPDATE']);
    const [, lite, filled, account] = ear.events;
    expect(lite).toMatchObject({ c: 'sbx-1', l: '0.02000000', L: '50000.10000000', t: 1 });
    expect(filled.o).toMatchObject({
      c: 'sbx-1',
      x: 'TRADE',
      z: '0.020',
      ap: '50000.10',
      n: '0.50000100',
      N: 'USDT',
      t: 1,
    });
    expect(account.a).toMatchObject({
      m: 'ORDER',
      B: [{ a: 'USDT', wb: '9999.49999900' }],
      P: [{ s: 'BTCUSDT', pa: '0.02000000', ep: '50000.10000000', ps: 'BOTH', mt: 'cross' }],
    });
  });

  it('tell fills and ends of resting orders', async () => {
    const ear = await listen(`/private/ws?listenKey=${await listenKey()}`);
    await client.limit({});
    await client.limit({ price: '48000' });
    venue.market.setPrice('BTCUSDT', '48500');
    await client.call('DELETE', '/fapi/v1/allOpenOrders', { symbol: 'BTCUSDT' });
    const orders = () => ear.events.filter(({ e }) => e === 'ORDER_TRADE_UPDATE').map(({ o }) => `${o.x} ${o.X}`);
    await expect.poll(orders).toEqual(['NEW NEW', 'NEW NEW', 'TRADE FILLED', 'CANCELED CANCELED']);
  });

  it('tell a conditional order from its birth to its end', async () => {
    await client.order({});
    const ear = await listen(`/private/ws/${await listenKey()}`);
    await client.algo({ triggerPrice: '49000', closePosition: true, clientAlgoId: 'stop' });
    venue.market.setPrice('BTCUSDT', '48000');
    const algo = () => ear.events.filter(({ e }) => e === 'ALGO_UPDATE').map(({ o }) => o);
    await expect.poll(() => algo().map(({ X }) => X)).toEqual(['NEW', 'TRIGGERING', 'TRIGGERED', 'FINISHED']);
    expect(algo()[0]).toMatchObject({ caid: 'stop', ai: '', tp: '49000.00', cp: true });
    expect(algo()[3]).toMatchObject({ ap: '47999.90', aq: '0.01000000', act: 'MARKET' });
    const { o: order } = ear.events.find(({ e, o }) => e === 'ORDER_TRADE_UPDATE' && o.X === 'FILLED');
    expect(algo()[3].ai).toBe(String(order.i));
  });

  it('tell leverage, funding and liquidation', async () => {
    const ear = await listen(`/private/ws/${await listenKey()}`);
    await client.call('POST', '/fapi/v1/leverage', { symbol: 'BTCUSDT', leverage: 100 });
    await client.order({ quantity: '1' });
    venue.market.payFunding('BTCUSDT', '0.0001');
    venue.market.setPrice('BTCUSDT', '39000');
    const forced = () => ear.events.find(({ e, o }) => e === 'ORDER_TRADE_UPDATE' && o.c.startsWith('autoclose-'));
    await expect.poll(forced).toMatchObject({ o: { o: 'LIQUIDATION', S: 'SELL' } });
    expect(ear.events[0]).toMatchObject({ e: 'ACCOUNT_CONFIG_UPDATE', ac: { s: 'BTCUSDT', l: 100 } });
    expect(ear.events).toContainEqual(
      expect.objectContaining({ a: expect.objectContaining({ m: 'FUNDING_FEE', P: [] }) }),
    );
  });
});

describe('a stream that fails', () => {
  it('loses what happens while it is cut', async () => {
    const key = await listenKey();
    const first = await listen(`/private/ws/${key}`);
    venue.faults.cutStreams();
    await expect.poll(() => first.isOpen()).toBe(false);
    await client.order({ newClientOrderId: 'missed' });
    const second = await listen(`/private/ws/${key}`);
    await client.order({ newClientOrderId: 'heard' });
    await expect.poll(() => kinds(second)).toHaveLength(4);
    expect(JSON.stringify([...first.events, ...second.events])).not.toContain('missed');
  });

  it('can lose events while it lives, and repeat them', async () => {
    const ear = await listen(`/private/ws/${await listenKey()}`);
    venue.faults.loseEvents = 3;
    venue.faults.repeatEvents = 1;
    await client.order({});
    await expect.poll(() => kinds(ear)).toEqual(['ACCOUNT_UPDATE', 'ACCOUNT_UPDATE']);
  });
});
