// What a venue itself orders, through the whole gateway: each is booked once, whatever the venue calls it, whichever market it was in,
// and whatever becomes of the other venues.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { decimal } from '../../src/trading/decimal.ts';
import { startBinance } from '../support/emulated-venues/binance/venue.ts';
import { startBybitVenue } from '../support/emulated-venues/bybit/bybit-venue.ts';
import type { EmulatedVenue } from '../support/emulated-venues/emulated-venue.ts';
import { type LiveGateway, openLiveGateway } from '../support/live-accounts-gateway.ts';
import { eventually } from '../support/stops-gateway.ts';

interface Compared {
  readonly exchange: string;
  readonly agrees: boolean;
  readonly error: string | null;
  readonly differences: readonly { readonly kind: string; readonly outcome: string }[];
}

let dataDir: string;
let binance: EmulatedVenue;
let bybit: EmulatedVenue | undefined;
let gateway: LiveGateway;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'signalbox-forced-'));
  bybit = undefined;
  binance = await startBinance();
  binance.market.setPrice('BTCUSDT', '50000');
  binance.market.setPrice('ETHUSDT', '3000');
});
afterEach(async () => {
  await gateway.close();
  await binance.close();
  await bybit?.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const open = async (): Promise<void> => {
  gateway = await openLiveGateway({ venues: { binance, ...(bybit && { bybit }) }, dataDir });
};

/** Binance calls every order of its automatic deleveraging so. */
const deleverage = (symbol: string, quantity: string): void => {
  const order = { clientOrderId: 'adl_autoclose', symbol, side: 'SELL', positionSide: 'BOTH' } as const;
  const rest = { quantity: decimal(quantity), timeInForce: 'IOC', reduceOnly: true } as const;
  binance.market.place({ ...order, ...rest }, { forced: 'liquidation' });
};

/** As often as it takes until nothing is in flux any more. */
async function compare(exchange = 'binance'): Promise<Compared | undefined> {
  for (;;) {
    const accounts = (await gateway.compare()).result as readonly Compared[];
    const compared = accounts.find((each) => each.exchange === exchange);
    if (!compared?.differences.some(({ outcome }) => outcome === 'open')) return compared;
  }
}

const read = async (path: string): Promise<readonly Readonly<Record<string, unknown>>[]> =>
  (await gateway.read(path)).result as readonly Readonly<Record<string, unknown>>[];
const forced = async (): Promise<readonly string[]> =>
  (await read('/trades'))
    .filter(({ source }) => source === 'liquidation')
    .map(({ symbol, status, executedQty }) => `${symbol} ${status} ${executedQty}`);
const held = async (): Promise<readonly string[]> =>
  (await read('/positions')).map(({ side, quantity, market }) => `${side} ${quantity} ${market}`);

test('two orders of the venue that have one name are two trades, and no more after a restart', async () => {
  await open();
  await gateway.signal({ exchange: 'binance', quantity: 0.03 });
  deleverage('BTCUSDT', '0.01');
  expect(await compare()).toMatchObject({ agrees: true, differences: [] });
  expect([await forced(), await held()]).toEqual([['BTCUSDT Filled 0.01'], ['LONG 0.02 BTCUSDT']]);
  deleverage('BTCUSDT', '0.005');
  expect(await compare()).toMatchObject({ agrees: true, differences: [] });
  const both = ['BTCUSDT Filled 0.005', 'BTCUSDT Filled 0.01'];
  expect([await forced(), await held()]).toEqual([both, ['LONG 0.015 BTCUSDT']]);
  await gateway.close();
  // While nobody listened there was a third.
  deleverage('BTCUSDT', '0.005');
  await open();
  await eventually(async () =>
    expect([await forced(), await held()]).toEqual([['BTCUSDT Filled 0.005', ...both], ['LONG 0.01 BTCUSDT']]),
  );
  expect(await compare()).toMatchObject({ agrees: true, differences: [] });
  expect(await forced()).toHaveLength(3);
});

test('one that nobody has told of is booked before the entry that finds it', async () => {
  await open();
  await gateway.signal({ exchange: 'binance', quantity: 0.03 });
  binance.faults.loseEvents = 100;
  binance.market.setPrice('BTCUSDT', '40000');
  deleverage('BTCUSDT', '0.03');
  await gateway.signal({ exchange: 'binance', quantity: 0.01 });
  const trades = async () =>
    (await read('/trades')).map(({ action, status, executedQty }) => `${action} ${executedQty} ${status}`);
  await eventually(async () =>
    expect(await trades()).toEqual(['CLOSE_LONG 0.03 Filled', 'LONG 0.01 Filled', 'LONG 0.03 Filled']),
  );
  // What is held now was bought by the second entry alone.
  const [position] = await read('/positions');
  expect(position?.entryPrice).toBeCloseTo(40_000, -1);
  expect(await held()).toEqual(['LONG 0.01 BTCUSDT']);
});

test('one in a market that is delisted since does not hide those in the others', async () => {
  await open();
  await gateway.signal({ exchange: 'binance', quantity: 0.03 });
  await gateway.close();
  binance.market.place({
    ...{ clientOrderId: 'web_1', symbol: 'ETHUSDT', side: 'BUY', positionSide: 'BOTH', quantity: decimal('0.1') },
    ...{ timeInForce: 'GTC', reduceOnly: false },
  });
  deleverage('ETHUSDT', '0.1');
  deleverage('BTCUSDT', '0.01');
  const info = (await (await fetch(`${binance.baseUrl}/fapi/v1/exchangeInfo`)).json()) as {
    readonly symbols: readonly { readonly symbol: string }[];
  };
  const left = { ...info, symbols: info.symbols.filter(({ symbol }) => symbol !== 'ETHUSDT') };
  const reply = { status: 200, text: JSON.stringify(left) };
  binance.faults.plan({ path: '/fapi/v1/exchangeInfo' }, { type: 'answer', when: 'before', reply }, 1000);
  await open();
  await eventually(async () =>
    expect([await forced(), await held()]).toEqual([['BTCUSDT Filled 0.01'], ['LONG 0.02 BTCUSDT']]),
  );
});

test('a venue that is down keeps no other from being compared, nor from what it has ordered itself', async () => {
  bybit = await startBybitVenue();
  bybit.market.setPrice('BTCUSDT', '50000');
  await open();
  await gateway.signal({ exchange: 'binance', quantity: 0.03 });
  bybit.faults.maintenance = true;
  deleverage('BTCUSDT', '0.01');
  expect(await compare()).toMatchObject({ agrees: true, error: null, differences: [] });
  expect(await compare('bybit')).toMatchObject({ agrees: false, error: expect.stringMatching(/./) });
  expect([await forced(), await held()]).toEqual([['BTCUSDT Filled 0.01'], ['LONG 0.02 BTCUSDT']]);
});
