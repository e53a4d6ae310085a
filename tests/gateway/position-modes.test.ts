// Accounts of different position modes behind one key: each signal is planned for each account by that account's own mode.

import { afterEach, beforeEach, expect, it } from 'vitest';
import { commandLineHere } from '../cli/command-line.ts';
import { SEED } from '../replay/busy-hour.ts';
import { openGateway, type TestGateway } from '../support/gateway.ts';
import { expectFilled, expectRefusal } from '../webhook/answers.ts';

const RESULTS = ['tradeResult', 'tradeResults', 'notificationResult'] as const;
const symbol = 'SOLUSDT';

let gateway: TestGateway;
let apiKey: string;
let startMs: number;
beforeEach(async () => {
  startMs = Date.now();
  gateway = await openGateway({ accounts: ['net', 'both:hedge'] });
  const routes = ['net', 'both'].map((account) => ({ account, multiplier: 1 }));
  apiKey = (await gateway.keys.create({ label: 'routed', routes })).apiKey;
});
afterEach(() => gateway.close());

const send = (fields: Record<string, unknown>) => gateway.send({ apiKey, symbol, ...fields });

/** What each account holds: `both LONG 2, both SHORT 3, net SHORT 3`. */
async function held(): Promise<string> {
  const { body } = await gateway.request('GET', '/positions');
  const rows: readonly { account: string; side: string; quantity: number }[] = body.result;
  return rows
    .map(({ account, side, quantity }) => `${account} ${side} ${quantity}`)
    .sort()
    .join(', ');
}

it('a SHORT turns the one-way account around, and stands beside the LONG on the hedge account', async () => {
  expectFilled(await send({ quantity: 2 }));
  expectFilled(await send({ action: 'SHORT', quantity: 3 }));
  expect(await held()).toBe('both LONG 2, both SHORT 3, net SHORT 3');
  expectFilled(await send({ action: 'LONG', quantity: 1 }));
  expect(await held()).toBe('both LONG 3, both SHORT 3, net LONG 1');
});

it('a close finds its side only where it is held, and says on which account it is not', async () => {
  expectFilled(await send({ quantity: 2 }));
  expectFilled(await send({ action: 'SHORT', quantity: 3 }));
  const { status, body } = await send({ action: 'CLOSE_LONG', quantity: 2 });
  // One account has an order, so the signal counts.
  expect(status).toBe(200);
  expect(body.tradeResults).toMatchObject([
    { account: 'net', error: expect.stringContaining('there is no long position in SOLUSDT on binance:net to close') },
    { account: 'both', status: 'Filled' },
  ]);
  expect(await held()).toBe('both SHORT 3, net SHORT 3');
});

it('a limit order against a position is refused on the one-way account alone, with its remedy', async () => {
  expectFilled(await send({ quantity: 2 }));
  const { body } = await send({ action: 'SHORT', quantity: 2, price: 100_000 });
  expect(body.tradeResults[0]).toMatchObject({ account: 'net', code: 'OPPOSITE_POSITION' });
  expect(body.tradeResults[0].error).toMatch(
    /^binance:net holds LONG 2 SOLUSDT, .*:hedge behind its balance in PAPER_ACC/,
  );
  expect(body.tradeResults[1]).toMatchObject({ account: 'both', status: 'Submitted' });
  expectRefusal(
    await send({ account: 'net', action: 'SHORT', quantity: 2, price: 100_000 }),
    'OPPOSITE_POSITION',
    ...[RESULTS[0], RESULTS[2]],
  );
});

it("a TradingView strategy that turns around leaves its old side on both, and another's on the hedge account stays", async () => {
  const alert = (fields: Record<string, unknown>) =>
    gateway.request('POST', '/webhook/tradingview', { apiKey, exchange: 'BINANCE', ticker: symbol, ...fields });
  expectFilled(await send({ account: 'both', action: 'LONG', quantity: 1, strategy: 'other' }));
  const enters = { action: 'buy', contracts: '2', marketPosition: 'long', prevMarketPosition: 'flat', strategy: 'tv' };
  expectFilled(await alert(enters));
  expect(await held()).toBe('both LONG 3, net LONG 2');
  const turns = { action: 'sell', contracts: '4', marketPosition: 'short', marketPositionSize: '2' };
  expectFilled(await alert({ ...turns, prevMarketPosition: 'long', prevMarketPositionSize: '2', strategy: 'tv' }));
  expect(await held()).toBe('both LONG 1, both SHORT 2, net SHORT 2');
  const leaves = { action: 'buy', contracts: '2', marketPosition: 'flat', marketPositionSize: '0' };
  expectFilled(await alert({ ...leaves, prevMarketPosition: 'short', prevMarketPositionSize: '2', strategy: 'tv' }));
  expect(await held()).toBe('both LONG 1');
});

it("the owner's close of all and the kill switch that flattens leave nothing on either", async () => {
  for (const end of ['close', 'flatten']) {
    expectFilled(await send({ quantity: 2 }));
    expectFilled(await send({ action: 'SHORT', quantity: 1 }));
    expect(await held()).toBe('both LONG 2, both SHORT 1, net SHORT 1');
    if (end === 'close') await gateway.request('POST', '/positions/close', { all: true });
    else await gateway.request('PUT', '/admin/kill-switch', { active: true, scope: 'entries', flatten: true });
    await gateway.desk.atRest();
    expect(await held()).toBe('');
  }
});

it('one side of the hedge account is closed alone, and with shares of strategies each account nets as its mode says', async () => {
  expectFilled(await send({ quantity: 2, strategy: 'a' }));
  expectFilled(await send({ action: 'SHORT', quantity: 1, strategy: 'b' }));
  expect(await held()).toBe('both LONG 2, both SHORT 1, net LONG 1');
  await gateway.request('POST', '/positions/close', { positions: ['binance:both:SOLUSDT:SHORT'] });
  expect(await held()).toBe('both LONG 2, net LONG 1');
});

it('each account tells its mode, and a replay has each in its own', async () => {
  const modes = async (path: string) =>
    (await gateway.request('GET', path)).body.result.map(
      ({ account, positionMode }: Record<string, string>) => `${account} ${positionMode}`,
    );
  expect(await modes('/accounts')).toEqual([
    ...['main one-way', 'main one-way', 'main one-way', 'net one-way', 'both hedge'],
  ]);
  expect((await gateway.request('GET', '/account?account=both')).body.result[0].positionMode).toBe('hedge');
  await send({ quantity: 2 });
  await send({ action: 'SHORT', quantity: 3 });
  await send({ action: 'CLOSE_LONG', quantity: 1 });
  const endMs = Date.now() + 1000;
  const check = async (both: string) => {
    const env = { DATA_DIR: gateway.dataDir, MARKET_SEED: SEED, PAPER_ACCOUNTS: `binance:net=1,binance:both=1${both}` };
    const args = ['--from', String(startMs), '--to', String(endMs), '--check'];
    return (await commandLineHere(env).json('replay', ...args)).body;
  };
  expect(await check(':hedge')).toMatchObject({ same: true, holdings: [], troubles: [] });
  expect(await check('')).toMatchObject({ same: false });
});
