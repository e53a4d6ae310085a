// The owner closes positions through the front door: some or all, whole or a share, past every kill switch, once per idempotency key.

import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Sent, TestGateway } from '../support/gateway.ts';
import { createScriptedVenue } from '../support/scripted-venue.ts';
import { expectFaults, expectFilled, expectRefusal, freshGateway, tradeCount } from '../webhook/answers.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await freshGateway({ accounts: ['scalp'] });
});

const close = (body: unknown, of: TestGateway = gateway): Promise<Sent> => of.request('POST', '/positions/close', body);
const entriesOf = ({ status, body }: Sent): string[] => {
  expect([status, body.success]).toEqual([200, true]);
  return body.result.map((each: Record<string, unknown>) =>
    [each.key, each.status, each.executedQty, each.code ?? ''].join(' ').trim(),
  );
};
const held = async (of: TestGateway = gateway): Promise<string[]> =>
  (await of.request('GET', '/positions')).body.result.map(
    (row: Record<string, unknown>) =>
      `${row.key} ${row.quantity}${(row.strategies as { strategy: string; side: string; quantity: number }[])
        .map((share) => ` ${share.strategy} ${share.side} ${share.quantity}`)
        .sort()
        .join('')}`,
  );
const open = async (fields: Record<string, unknown>, of: TestGateway = gateway): Promise<void> =>
  expectFilled(await of.send(fields));
const clear = async (): Promise<void> => {
  await gateway.request('PUT', '/admin/kill-switch', { active: false });
  await close({ all: true });
  expect(await held()).toEqual([]);
};

describe('a close', () => {
  it('closes one position whole, as a trade of its own by the owner', async () => {
    await open({ symbol: 'SOLUSDT', quantity: 3 });
    const sent = await close({ positions: ['binance:SOLUSDT:LONG'] });
    expect(entriesOf(sent)).toEqual(['binance:SOLUSDT:LONG Filled 3']);
    const [entry] = sent.body.result;
    expect(entry).toMatchObject({ requestId: sent.body.requestId, success: true, queued: false, error: null });
    const story = await gateway.trade(entry.requestId);
    expect(story).toMatchObject({ source: 'owner', keyLabel: 'api 127.0.0.1', action: 'CLOSE_LONG', status: 'Filled' });
    expect(story.orders).toMatchObject([{ reduceOnly: true, quantity: 3 }]);
    expect(await held()).toEqual([]);
  });

  it('closes several, and what is not there fails none of the others', async () => {
    await open({ symbol: 'SOLUSDT', quantity: 3 });
    await open({ symbol: 'ETHUSDT', quantity: 1, action: 'SHORT', account: 'scalp' });
    const sent = await close({
      positions: [
        ...['binance:BTCUSDT:LONG', 'binance:scalp:eth/usdt:short', 'nonsense', 'binance:SOLUSDT:LONG'],
        ...['binance:main:SOLUSDT:LONG', 'binance:nobody:SOLUSDT:LONG', 'binance:SOLUSDT:SHORT'],
      ],
    });
    expect(entriesOf(sent)).toEqual([
      'binance:BTCUSDT:LONG  0 POSITION_NOT_FOUND',
      'binance:scalp:ETHUSDT:SHORT Filled 1',
      'nonsense  0 POSITION_NOT_FOUND',
      'binance:SOLUSDT:LONG Filled 3',
      'binance:nobody:SOLUSDT:LONG  0 POSITION_NOT_FOUND',
      'binance:SOLUSDT:SHORT  0 POSITION_NOT_FOUND',
    ]);
    const { requestId, result } = sent.body;
    expect(result.map((each: { requestId: string | null }) => each.requestId)).toEqual([
      ...[null, requestId, null, `${requestId}.2`, null, null],
    ]);
    expect(result[0]).toMatchObject({ exchange: null, account: null, mode: null });
    expect(result[1]).toMatchObject({ exchange: 'binance', account: 'scalp', mode: 'paper' });
    expect(result[0].error).toContain('GET /positions');
    expect(result[2].error).toContain('exchange:symbol:LONG');
    expect(await held()).toEqual([]);
  });

  it('closes all, and with nothing open answers an empty list', async () => {
    await clear();
    expect((await close({ all: true })).body.result).toEqual([]);
    for (const exchange of ['binance', 'bybit', 'mexc']) await open({ exchange, symbol: 'SOLUSDT', quantity: 2 });
    const sent = await close({ all: true });
    expect(entriesOf(sent)).toEqual(
      ['binance', 'bybit', 'mexc'].map((exchange) => `${exchange}:SOLUSDT:LONG Filled 2`),
    );
    expect(await held()).toEqual([]);
  });

  it('closes more than thirty at once: each has an order id of its own', async () => {
    const hedge = await freshGateway({ positionMode: 'hedge' });
    const symbols = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT', 'XRPUSDT', 'DOGEUSDT', 'LINKUSDT'];
    const quantities = [0.01, 0.1, 1, 30, 300, 3];
    for (const exchange of ['binance', 'bybit', 'mexc'])
      for (const [index, symbol] of symbols.entries())
        for (const action of ['LONG', 'SHORT'])
          await open({ exchange, symbol, action, quantity: quantities[index] }, hedge);
    const sent = await close({ all: true }, hedge);
    expect(entriesOf(sent)).toHaveLength(36);
    expect(sent.body.result.every((each: { status: string }) => each.status === 'Filled')).toBe(true);
    expect(await held(hedge)).toEqual([]);
    const last = (await hedge.trade(`${sent.body.requestId}.36`)).orders[0].clientOrderId;
    expect(last).toHaveLength(32);
    const paged = await hedge.request('GET', `/trades?limit=1&before=${sent.body.requestId}.36`);
    expect(paged.body.result[0].requestId).toBe(`${sent.body.requestId}.35`);
  });
});

describe('a share', () => {
  it.each([
    [0.5, 'Filled 1.5', 1.5],
    [0.999, 'Filled 2.99', 0.01],
    [1, 'Filled 3', 0],
    [0.004, 'Filled 0.01', 2.99],
    [0.003, 'Rejected 0 ORDER_REJECTED', 3],
  ])('of %d closes no more than that, on the step', async (share, outcome, left) => {
    await clear();
    await open({ symbol: 'SOLUSDT', quantity: 3 });
    const sent = await close({ positions: ['binance:SOLUSDT:LONG'], share });
    expect(entriesOf(sent)).toEqual([`binance:SOLUSDT:LONG ${outcome}`]);
    expect(await held()).toEqual(left === 0 ? [] : [`binance:SOLUSDT:LONG ${left}`]);
  });

  it('leaves resting orders alone; a whole close takes them away', async () => {
    await clear();
    await open({ symbol: 'SOLUSDT', quantity: 3 });
    const target = await gateway.send({ action: 'CLOSE_LONG', symbol: 'SOLUSDT', quantity: 1, price: 100_000 });
    const entry = await gateway.send({ symbol: 'SOLUSDT', quantity: 1, price: 20, strategy: 'trend' });
    const statuses = async (): Promise<string[]> =>
      Promise.all([target, entry].map(async ({ body }) => (await gateway.trade(body.requestId)).status));
    await close({ positions: ['binance:SOLUSDT:LONG'], share: 0.5 });
    expect(await statuses()).toEqual(['Submitted', 'Submitted']);
    await close({ positions: ['binance:SOLUSDT:LONG'] });
    expect(await statuses()).toEqual(['Canceled', 'Canceled']);
    expect(await held()).toEqual([]);
  });
});

describe('strategies', () => {
  it('lose their shares with the position, also those that stand against it', async () => {
    await clear();
    await open({ symbol: 'ETHUSDT', quantity: 1, strategy: 'trend' });
    await open({ symbol: 'ETHUSDT', quantity: 0.4, strategy: 'range', action: 'SHORT' });
    expect(await held()).toEqual(['binance:ETHUSDT:LONG 0.6 range SHORT 0.4 trend LONG 1']);
    expect(entriesOf(await close({ all: true }))).toEqual(['binance:ETHUSDT:LONG Filled 0.6']);
    expect(await held()).toEqual([]);
    // Nothing of them is left that a later signal could close.
    for (const [strategy, action] of [['trend', 'CLOSE_LONG'] as const, ['range', 'CLOSE_SHORT'] as const])
      expect((await gateway.send({ symbol: 'ETHUSDT', quantity: 1, strategy, action })).body.code).toBe(
        'ORDER_REJECTED',
      );
  });

  it('keep what adds up to the rest when a share is closed', async () => {
    await clear();
    await open({ symbol: 'ETHUSDT', quantity: 1 });
    await open({ symbol: 'ETHUSDT', quantity: 1, strategy: 'trend' });
    await close({ all: true, share: 0.75 });
    expect(await held()).toEqual(['binance:ETHUSDT:LONG 0.5 trend LONG 0.5']);
  });
});

describe('the kill switch and the age of a signal', () => {
  it.each(['all', 'entries'])('scope %s does not stop the owner', async (scope) => {
    await clear();
    await open({ symbol: 'SOLUSDT', quantity: 3 });
    await gateway.request('PUT', '/admin/kill-switch', { active: true, scope });
    expect(entriesOf(await close({ all: true }))).toEqual(['binance:SOLUSDT:LONG Filled 3']);
    await clear();
  });

  it('a close that waited longer than SIGNAL_MAX_AGE is carried out', async () => {
    const venue = createScriptedVenue('binance');
    const slow = await freshGateway({ venues: [venue] });
    await open({ symbol: 'SOLUSDT', quantity: 3 }, slow);
    venue.down = 'not-sent';
    const sent = await close({ all: true }, slow);
    expect(sent.body.result).toMatchObject([{ status: 'Enqueued', queued: true, success: true }]);
    slow.clock.offsetMs += 3_600_000;
    venue.down = undefined;
    expect(await slow.until(sent.body.result[0].requestId, 'Filled', 'Expired')).toMatchObject({ status: 'Filled' });
  });
});

describe('an idempotency key', () => {
  it('is good for one call: the second closes nothing and names the trades of the first', async () => {
    await clear();
    const idempotencyKey = randomUUID();
    await open({ symbol: 'XRPUSDT', quantity: 40 });
    await open({ symbol: 'LINKUSDT', quantity: 4 });
    const body = { all: true, share: 0.5, idempotencyKey };
    const first = await close(body);
    expect(entriesOf(first)).toHaveLength(2);
    const before = await tradeCount(gateway);
    for (const again of [body, { positions: ['binance:BTCUSDT:LONG'], idempotencyKey: idempotencyKey.toUpperCase() }]) {
      const second = await close(again);
      expectRefusal(second, 'DUPLICATE_SIGNAL', 'originalRequestId', 'originalRequestIds');
      const { requestId } = first.body;
      expect(second.body.originalRequestId).toBe(requestId);
      expect(second.body.originalRequestIds).toEqual([requestId, `${requestId}.2`]);
    }
    expect(await tradeCount(gateway)).toBe(before);
    expect(await held()).toEqual(['binance:LINKUSDT:LONG 2', 'binance:XRPUSDT:LONG 20']);
  });

  it('at the same instant is good for one of them', async () => {
    await clear();
    await open({ symbol: 'LINKUSDT', quantity: 4 });
    const idempotencyKey = randomUUID();
    const all = await Promise.all([1, 2, 3].map(() => close({ all: true, share: 0.5, idempotencyKey })));
    expect(all.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect(await held()).toEqual(['binance:LINKUSDT:LONG 2']);
  });

  it('is given back where certainly nothing was sent', async () => {
    await clear();
    const idempotencyKey = randomUUID();
    await open({ symbol: 'SOLUSDT', quantity: 4 });
    expect(entriesOf(await close({ positions: ['binance:BTCUSDT:LONG'], idempotencyKey }))).toHaveLength(1);
    expect((await close({ all: true, share: 0.001, idempotencyKey })).body.result[0].code).toBe('ORDER_REJECTED');
    expect(entriesOf(await close({ all: true, idempotencyKey }))).toEqual(['binance:SOLUSDT:LONG Filled 4']);
  });

  it('counts for two days, also where senders have a shorter window, because a page sends again for a day', async () => {
    const short = await freshGateway({ idempotencyWindowMs: 1000 });
    const idempotencyKey = randomUUID();
    await open({ symbol: 'SOLUSDT', quantity: 4 }, short);
    await close({ all: true, share: 0.5, idempotencyKey }, short);
    expect((await close({ all: true, idempotencyKey }, short)).status).toBe(409);
    short.clock.offsetMs += 2 * 86_400_000 - 60_000;
    expect((await close({ all: true, idempotencyKey }, short)).status).toBe(409);
    short.clock.offsetMs += 60_001;
    expect((await close({ all: true, idempotencyKey }, short)).status).toBe(200);
  });
});

describe('a body', () => {
  it.each([
    [{}, ['positions']],
    [{ all: true, positions: ['binance:BTCUSDT:LONG'] }, ['positions']],
    [{ all: false }, ['all']],
    [{ positions: [] }, ['positions']],
    [{ positions: [''] }, ['positions.0']],
    [{ positions: Array.from({ length: 201 }, () => 'binance:BTCUSDT:LONG') }, ['positions']],
    [{ positions: 'binance:BTCUSDT:LONG' }, ['positions']],
    [{ all: true, share: 0 }, ['share']],
    [{ all: true, share: -0.5 }, ['share']],
    [{ all: true, share: 1.0001 }, ['share']],
    [{ all: true, share: 1e-13 }, ['share']],
    [{ all: true, share: '0.5' }, ['share']],
    [{ all: true, idempotencyKey: 'x' }, ['idempotencyKey']],
  ])('%j is refused and closes nothing', async (body, fields) => {
    const before = await tradeCount(gateway);
    expectFaults(await close(body), ...fields);
    expect(await tradeCount(gateway)).toBe(before);
  });

  it('with a field it does not know is refused', async () => {
    const sent = await close({ all: true, percent: 50 });
    expect([sent.status, sent.body.code]).toEqual([400, 'INVALID_PAYLOAD']);
    expect(sent.body.error).toContain('percent');
  });

  it('of a stranger is refused: the door is internal', async () => {
    const guarded = await freshGateway({ internalToken: 'the-token-of-the-owner' });
    expect((await close({ all: true }, guarded)).status).toBe(401);
  });
});
