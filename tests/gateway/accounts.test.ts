// Named accounts through the front door: each has its own money, positions and stops, and a signal trades on the one it names.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sent, TestGateway } from '../support/gateway.ts';
import { expectFault, expectFilled, expectRefusal, freshGateway, tradeCount } from '../webhook/answers.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await freshGateway({ accounts: ['scalp', 'swing'] });
});
afterAll(() => gateway.close());

const balances = async (of: TestGateway = gateway): Promise<Record<string, number>> => {
  const { body } = await of.request('GET', '/accounts');
  return Object.fromEntries(
    body.result.map((row: Record<string, unknown>) => [`${row.exchange}:${row.account}`, row.balance]),
  );
};
const positionsOf = async (of: TestGateway = gateway): Promise<string[]> => {
  const { body } = await of.request('GET', '/positions');
  return body.result.map((row: Record<string, unknown>) => `${row.account} ${row.market} ${row.side} ${row.quantity}`);
};

describe('GET /accounts', () => {
  it('lists every account with its mode and balance', async () => {
    const { status, body } = await gateway.request('GET', '/accounts');
    expect(status).toBe(200);
    expect(body.result).toContainEqual({
      ...{ exchange: 'binance', account: 'scalp', mode: 'paper', positionMode: 'one-way', balance: 100_000 },
    });
    expect(Object.keys(await balances())).toEqual([
      ...['binance:main', 'bybit:main', 'mexc:main', 'binance:scalp', 'binance:swing'],
    ]);
  });

  it('is for the owner alone', async () => {
    const sent = await gateway.request('GET', '/accounts', undefined, { peer: '198.51.100.1' });
    expectRefusal(sent, 'UNAUTHORIZED');
  });
});

describe('a signal', () => {
  it('that names no account trades on main, and says so', async () => {
    const sent = await gateway.send({ symbol: 'ETHUSDT', quantity: 0.1 });
    expectFilled(sent);
    expect(sent.body.tradeResult).toMatchObject({ mode: 'paper', account: 'main' });
    expect(sent.body.tradeResult.orderId).toMatch(/^paper-binance-\d{6}$/);
  });

  it('trades on the account that it names, and touches no other', async () => {
    const before = await balances();
    const sent = await gateway.send({ account: 'scalp' });
    expectFilled(sent);
    expect(sent.body.tradeResult.account).toBe('scalp');
    expect(sent.body.tradeResult.orderId).toMatch(/^paper-binance-scalp-\d{6}$/);
    expect(await positionsOf()).toContain('scalp BTCUSDT LONG 0.01');
    const after = await balances();
    expect(after['binance:scalp']).toBeLessThan(before['binance:scalp'] as number);
    expect({ ...after, 'binance:scalp': 0 }).toEqual({ ...before, 'binance:scalp': 0 });
    const trade = (await gateway.request('GET', `/trades/${sent.body.requestId}`)).body.result;
    expect(trade).toMatchObject({ account: 'scalp', mode: 'paper', status: 'Filled' });
  });

  it('closes on its own account only: what another one holds is not there for it', async () => {
    expectFilled(await gateway.send({ account: 'scalp', symbol: 'SOLUSDT', quantity: 1 }));
    expectRefusal(
      await gateway.send({ action: 'CLOSE_LONG', symbol: 'SOLUSDT', quantity: 1 }),
      ...(['ORDER_REJECTED', 'tradeResult', 'notificationResult'] as const),
    );
    expect(await positionsOf()).toContain('scalp SOLUSDT LONG 1');
    expectFilled(await gateway.send({ action: 'SHORT', symbol: 'SOLUSDT', quantity: 2 }));
    expect(await positionsOf()).toEqual(expect.arrayContaining(['scalp SOLUSDT LONG 1', 'main SOLUSDT SHORT 2']));
  });

  it('for an account that is not there is refused with the names there are, and nothing is accepted', async () => {
    const trades = await tradeCount(gateway);
    const sent = await gateway.send({ account: 'scalper', idempotencyKey: '323e4567-e89b-42d3-a456-426614174000' });
    expectRefusal(sent, 'UNKNOWN_ACCOUNT');
    expect(sent.status).toBe(422);
    expect(sent.body.error).toContain('binance has no account "scalper"; it has main, scalp, swing');
    expectRefusal(await gateway.send({ account: 'scalp', exchange: 'bybit' }), 'UNKNOWN_ACCOUNT');
    expectRefusal(await gateway.send({ account: 'Scalp' }), 'UNKNOWN_ACCOUNT');
    expect(await tradeCount(gateway)).toBe(trades);
    const [record] = (await gateway.request('GET', '/signals?limit=1')).body.result;
    expect(record.decision).toBe('UNKNOWN_ACCOUNT');
    // Nothing was claimed: with a name that is there the same alert trades.
    expectFilled(await gateway.send({ account: 'swing', idempotencyKey: '323e4567-e89b-42d3-a456-426614174000' }));
  });

  it('hears nothing of accounts without a good key', async () => {
    expectRefusal(await gateway.send({ apiKey: 'wrong', account: 'scalper' }), 'AUTHENTICATION_FAILED');
  });

  it.each([
    ['', 'account'],
    ['a'.repeat(33), 'account'],
    [7, 'account'],
    [null, 'account'],
  ])('whose account is %j is at fault', async (account, field) => {
    const sent = await gateway.send({ account });
    expect([sent.status, sent.body.code]).toEqual([400, 'INVALID_PAYLOAD']);
    expect(sent.body.faults[0].startsWith(`${field}:`)).toBe(true);
  });

  it('with 32 characters in the name is only unknown', async () => {
    expectRefusal(await gateway.send({ account: 'a'.repeat(32) }), 'UNKNOWN_ACCOUNT');
  });

  it('that misspells the field is not traded on main instead', async () => {
    for (const field of ['Account', 'acount', 'sub_account'])
      await expectFault(gateway, field, 'scalp', 'send account');
  });

  it('of TradingView or of a mail names its account too', async () => {
    const { apiKey } = gateway.signal();
    const alert = {
      apiKey,
      exchange: 'BINANCE',
      action: 'buy',
      ticker: 'XRPUSDT',
      contracts: '10',
      marketPosition: 'long',
    };
    const sent = await gateway.request('POST', '/webhook/tradingview', { ...alert, account: 'swing' });
    expectFilled(sent);
    expect(await positionsOf()).toContain('swing XRPUSDT LONG 10');
    expectRefusal(
      await gateway.request('POST', '/webhook/tradingview', { ...alert, account: 'nobody' }),
      'UNKNOWN_ACCOUNT',
    );
    const mail = (text: string): Promise<Sent> => gateway.request('POST', '/email-signal', { text });
    expectFilled(await mail(`LONG 20 XRPUSDT on binance\naccount: scalp\napiKey: ${apiKey}`));
    expect(await positionsOf()).toContain('scalp XRPUSDT LONG 20');
    expectRefusal(await mail(`LONG 20 XRPUSDT on binance\naccount: nobody\napiKey: ${apiKey}`), 'UNKNOWN_ACCOUNT');
  });
});

it('GET /trades filters by account', async () => {
  const { body } = await gateway.request('GET', '/trades?account=swing&limit=100');
  expect(body.result.length).toBeGreaterThan(0);
  expect(new Set(body.result.map((trade: { account: string }) => trade.account))).toEqual(new Set(['swing']));
  expect((await gateway.request('GET', '/trades?account=nobody')).body.result).toEqual([]);
  expect((await gateway.request('GET', '/trades?account=')).body.code).toBe('INVALID_QUERY');
});

describe('a stop', () => {
  const stop = { exchange: 'binance', symbol: 'SOLUSDT', trailPercent: 50 };

  it('belongs to the position of one account, and has its name in its key', async () => {
    const scalp = await gateway.request('POST', '/agent/trailing-stops', { ...stop, account: 'scalp', side: 'LONG' });
    expect([scalp.status, scalp.body.result.key]).toEqual([201, 'binance:scalp:SOLUSDT:LONG']);
    const main = await gateway.request('POST', '/agent/trailing-stops', { ...stop, side: 'SHORT' });
    expect([main.status, main.body.result.key, main.body.result.account]).toEqual([
      ...[201, 'binance:SOLUSDT:SHORT', 'main'],
    ]);
    const nothing = await gateway.request('POST', '/agent/trailing-stops', { ...stop, side: 'LONG' });
    expect(nothing.body.code).toBe('STOP_CONFLICT');
    const unknown = await gateway.request('POST', '/agent/trailing-stops', { ...stop, account: 'x', side: 'LONG' });
    expectRefusal(unknown, 'UNKNOWN_ACCOUNT');
  });

  it('is taken away by the key of its account: the short key means main, and an unknown account is no other', async () => {
    const remove = (key: string) => gateway.request('DELETE', `/agent/trailing-stops/${key}`);
    expectRefusal(await remove('binance:SOLUSDT:LONG'), 'STOP_NOT_FOUND');
    expectRefusal(await remove('binance:nobody:SOLUSDT:SHORT'), 'STOP_NOT_FOUND');
    expect((await remove('binance:main:SOLUSDT:SHORT')).body.result.key).toBe('binance:SOLUSDT:SHORT');
    expect((await remove('binance:scalp:BINANCE:SOLUSDT.P:LONG')).body.result.account).toBe('scalp');
    await gateway.request('POST', '/agent/trailing-stops', { ...stop, side: 'SHORT' });
    expect((await remove('binance:BINANCE:SOLUSDT.P:SHORT')).body.result.account).toBe('main');
  });
});

it('a notification names the account where it is not main', async () => {
  await gateway.send({ account: 'swing', symbol: 'LTCUSDT', quantity: 1, notify: {} });
  expect(gateway.notices.at(-1)?.text).toMatch(/^LONG 1 LTCUSDT on binance:swing \(paper\): Filled/);
  await gateway.send({ symbol: 'LTCUSDT', quantity: 1, notify: { message: '{{exchange}}/{{account}}' } });
  expect(gateway.notices.at(-1)?.text).toBe('binance/main');
});

it('after a restart every account has its positions, its resting orders and its money', async () => {
  const first = await freshGateway({ accounts: ['scalp'] });
  expectFilled(await first.send({ account: 'scalp' }));
  const resting = await first.send({ account: 'scalp', symbol: 'ETHUSDT', quantity: 1, price: 100 });
  expect(resting.body.tradeResult.status).toBe('Submitted');
  const before = await balances(first);
  await first.close();
  const second = await freshGateway({ accounts: ['scalp'], dataDir: first.dataDir });
  expect(await positionsOf(second)).toEqual(['scalp BTCUSDT LONG 0.01']);
  expect(await balances(second)).toEqual(before);
  expectFilled(await second.send({ account: 'scalp', action: 'CLOSE_LONG' }));
  expect(await positionsOf(second)).toEqual([]);
  expect(second.troubles).toEqual([]);
});

it('trades of an account that is not opened wait until it is', async () => {
  const first = await freshGateway({ accounts: ['scalp'] });
  const resting = await first.send({ account: 'scalp', price: 50_000, quantity: 0.01 });
  expect(resting.body.tradeResult.status).toBe('Submitted');
  await first.close();
  const without = await freshGateway({ dataDir: first.dataDir });
  expect(without.recovered).toBe(0);
  expectRefusal(await without.send({ account: 'scalp' }), 'UNKNOWN_ACCOUNT');
  expect(without.troubles).toEqual([]);
  await without.close();
  const again = await freshGateway({ accounts: ['scalp'], dataDir: first.dataDir });
  expect(again.recovered).toBe(1);
});
