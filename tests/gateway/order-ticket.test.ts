// The owner's own orders through the front door: they go the way of a signal, past no gate but that of the key, and can be looked at first.

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { setLimits } from '../limits/provoke.ts';
import { openProtected } from '../protection/written-market.ts';
import type { GatewayOptions, Sent, TestGateway } from '../support/gateway.ts';
import { storedRows } from '../support/stored-rows.ts';
import {
  expectDuplicateOf,
  expectEnvelope,
  expectFaults,
  expectFilled,
  expectRefusal,
  freshGateway,
  tradeCount,
} from '../webhook/answers.ts';

const BASE = { exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 };
const send = (gateway: TestGateway, fields: object = {}, headers: Record<string, string> = {}): Promise<Sent> =>
  gateway.request('POST', '/orders', { ...BASE, ...fields }, { headers });

describe('an order of the owner', () => {
  it('trades as a signal does, and is journaled with its source and with who sent it', async () => {
    const { gateway } = await openProtected();
    const fields = {
      strategy: 'mine',
      comment: 'by hand',
      stopLoss: 49_000,
      targets: [{ percent: 2, share: 0.5 }],
      leverage: 5,
    };
    const sent = await send(gateway, fields, { 'x-signalbox-actor': 'cli' });
    expectEnvelope(sent);
    expectFilled(sent);
    const { requestId } = sent.body;
    const [trade] = (await gateway.request('GET', '/trades?limit=1')).body.result;
    expect(trade).toMatchObject({
      ...{ requestId, source: 'ticket', keyLabel: 'cli 127.0.0.1', action: 'LONG', status: 'Filled', strategy: 'mine' },
      comment: 'by hand',
    });
    const [signal] = (await gateway.request('GET', '/signals?limit=1')).body.result;
    expect(signal).toMatchObject({ signal_id: requestId, source: 'ticket', decision: 'accepted' });
    const [guard] = (await gateway.request('GET', '/protections')).body.result;
    expect(guard).toMatchObject({ requestId, strategy: 'mine', stopLoss: { price: 49_000 } });
    expect(guard.targets).toHaveLength(1);
  });

  it('waits at its limit, and is canceled like any other', async () => {
    const { gateway } = await openProtected();
    const sent = await send(gateway, { price: 40_000 });
    expect(sent.body.tradeResult.status).toBe('Submitted');
    const [open] = (await gateway.request('GET', '/orders')).body.result;
    expect(open).toMatchObject({ requestId: sent.body.requestId, price: 40_000, keyLabel: 'api 127.0.0.1' });
    expect((await gateway.request('DELETE', `/orders/${open.clientOrderId}`)).status).toBe(200);
  });

  it('is sized in money, in percent of the account and by its risk', async () => {
    const { gateway } = await openProtected();
    const quantityOf = async (fields: object) =>
      (await send(gateway, { ...fields, dryRun: true })).body.result.accounts[0].quantity;
    expect(await quantityOf({ quantity: 1000, quantityType: 'quote' })).toBe(0.02);
    expect(await quantityOf({ quantity: 10, quantityType: 'percent_equity' })).toBe(0.2);
    expect(await quantityOf({ quantity: 1, quantityType: 'risk_percent', stopLoss: 49_000 })).toBe(1);
  });

  it('closes the share of its strategy, and only while the kill switch lets closes through', async () => {
    const { gateway } = await openProtected();
    expectFilled(await send(gateway, { strategy: 'mine' }));
    expectFilled(await send(gateway, { strategy: 'other' }));
    await gateway.request('PUT', '/admin/kill-switch', { active: true });
    const close = { action: 'CLOSE_LONG', quantity: 1, strategy: 'mine' };
    expectRefusal(await send(gateway, close), 'KILL_SWITCH_ACTIVE');
    await gateway.request('PUT', '/admin/kill-switch', { active: true, scope: 'entries' });
    expectFilled(await send(gateway, close));
    const [held] = (await gateway.request('GET', '/positions')).body.result;
    expect(held).toMatchObject({ quantity: 0.01, strategies: [{ strategy: 'other' }] });
  });

  it('with an idempotency key trades once, however often it is clicked', async () => {
    const gateway = await freshGateway();
    const idempotencyKey = randomUUID();
    const all = await Promise.all([1, 2, 3].map(() => send(gateway, { idempotencyKey })));
    const filled = all.filter(({ status }) => status === 200);
    expect(filled).toHaveLength(1);
    for (const other of all) if (other !== filled[0]) expectDuplicateOf(other, filled[0] as Sent);
    expect(await tradeCount(gateway)).toBe(1);
    // Under its name a signal trades no second time either.
    expectDuplicateOf(await gateway.send({ idempotencyKey }), filled[0] as Sent);
  });

  it('is known by its key for two days, however short the window of senders is: its page sends it again for a day', async () => {
    const gateway = await freshGateway({ idempotencyWindowMs: 1000 });
    const idempotencyKey = randomUUID();
    const first = await send(gateway, { idempotencyKey });
    expectFilled(first);
    gateway.clock.offsetMs += 2 * 86_400_000 - 60_000;
    expectDuplicateOf(await send(gateway, { idempotencyKey }), first);
    expect((await send(gateway, { idempotencyKey, dryRun: true })).body.result.outcome).toBe('would_refuse');
    // A signal with it goes by the window of senders.
    expectFilled(await gateway.send({ idempotencyKey }));
  });

  it('is queued where signals are', async () => {
    const gateway = await freshGateway({ controls: { queueMode: 'async' } });
    const sent = await send(gateway);
    expect([sent.status, sent.body.status]).toEqual([202, 'Enqueued']);
    await gateway.until(sent.body.requestId, 'Filled');
  });
});

const GATES: readonly [string, GatewayOptions, object, (gateway: TestGateway) => Promise<unknown> | unknown][] = [
  ['KILL_SWITCH_ACTIVE', { controls: { killSwitch: { active: true, scope: 'entries' } } }, {}, () => {}],
  ['LIVE_NOT_CONFIRMED', { liveConfirmations: { isConfirmed: () => false } }, {}, () => {}],
  ['UNKNOWN_ACCOUNT', {}, { account: 'nobody' }, () => {}],
  ['UNKNOWN_SYMBOL', {}, { symbol: 'NOSUCHUSDT' }, () => {}],
  ['LIMIT_LARGEST_ORDER', {}, {}, (gateway) => setLimits(gateway, 'account', 'binance:main', { largestOrder: 1 })],
  ['LIMIT_RATE', {}, {}, (gateway) => setLimits(gateway, 'symbol', 'BTCUSDT', { rate: 1 }).then(() => send(gateway))],
  [
    'STRATEGY_PAUSED',
    {},
    { strategy: 'ema' },
    (gateway) => gateway.request('PUT', '/admin/restrictions/strategy/ema/pause', { paused: true }),
  ],
  [
    'RATE_LIMITED',
    { controls: { limits: { webhookRatePerMinute: 1, failedAuthPerMinute: 30 } }, frozenLimits: true },
    {},
    (gateway) => send(gateway),
  ],
  ['ORDER_REJECTED', {}, { action: 'CLOSE_SHORT' }, () => {}],
  ['STOP_WRONG_SIDE', {}, { stopLoss: 1_000_000 }, () => {}],
];

describe('the gates of signals', () => {
  it.each(GATES)('stop it with %s, and a dry run says so beforehand', async (code, options, fields, prepare) => {
    const gateway = await freshGateway(options);
    await prepare(gateway);
    const told = (await send(gateway, { ...fields, dryRun: true })).body.result;
    const sent = await send(gateway, fields);
    // The price may have moved between the two.
    const words = (error: unknown): string => String(error).replaceAll(/\d[\d.]*/g, '#');
    expect([told.outcome, told.code, told.status, words(told.error)]).toEqual([
      'would_refuse',
      code,
      sent.status,
      words(sent.body.error),
    ]);
    expect(sent.body.code).toBe(code);
  });

  it('but for the allowlist, which is about senders: the owner stands behind the internal door', async () => {
    const gateway = await freshGateway({ controls: { allowlist: ['203.0.113.1'] } });
    expectFilled(await send(gateway));
  });

  it('are not asked for a stranger', async () => {
    const gateway = await freshGateway({ internalToken: 'secret-token' });
    const sent = await gateway.request('POST', '/orders', BASE, { peer: '198.51.100.1' });
    expectRefusal(sent, 'UNAUTHORIZED');
    expect(await gateway.data.journal.trades({ limit: 1 })).toEqual([]);
  });
});

describe('dryRun', () => {
  it('in the address is refused with what it is, and nothing trades', async () => {
    const gateway = await freshGateway();
    const sent = await gateway.request('POST', '/orders?dryRun=true', BASE);
    expectRefusal(sent, 'INVALID_QUERY');
    expect(await tradeCount(gateway)).toBe(0);
  });

  it('answers as POST /webhook/check does, and nothing is written', async () => {
    const { gateway } = await openProtected();
    expectFilled(await send(gateway));
    await gateway.desk.atRest();
    const before = storedRows(gateway.dataDir);
    const answer = await send(gateway, { action: 'SHORT', quantity: 0.02, idempotencyKey: randomUUID(), dryRun: true });
    expect(storedRows(gateway.dataDir)).toEqual(before);
    expectEnvelope(answer);
    const told = answer.body.result;
    const checked = await gateway.request('POST', '/webhook/check', { body: JSON.stringify(gateway.signal()) });
    expect(Object.keys(told).sort()).toEqual(Object.keys(checked.body.result).sort());
    expect(told).toMatchObject({ outcome: 'would_trade', route: '/orders', key: 'api 127.0.0.1', address: null });
    expect(told.gates.every(({ outcome }: { outcome: string }) => outcome === 'passed')).toBe(true);
    expect(told.accounts[0].orders).toMatchObject([
      { leg: 'flatten', side: 'SELL', quantity: 0.01, reduceOnly: true },
      { leg: 'open', side: 'SELL', quantity: 0.02, reduceOnly: false },
    ]);
    expect(await tradeCount(gateway)).toBe(1);
  });
});

describe('a body', () => {
  it('with faults is refused with all of them, dry run or not', async () => {
    const gateway = await freshGateway();
    for (const dryRun of [true, false]) {
      expectFaults(await send(gateway, { quantity: '1', sl: 5, dryRun }), 'quantity', 'sl');
      expectFaults(await send(gateway, { apiKey: 'whk_x', dryRun }), 'body');
    }
    expectFaults(await send(gateway, { dryRun: 'yes' }), 'dryRun');
    expectFaults(await send(gateway, { action: 'CLOSE_LONG', stopLoss: 1 }), 'stopLoss');
    expectRefusal(await gateway.request('POST', '/orders', '{'), 'INVALID_JSON');
    expect(await tradeCount(gateway)).toBe(0);
  });

  it('may name a market as the symbol map does', async () => {
    const gateway = await freshGateway();
    await gateway.request('PUT', '/admin/symbol-map', { symbol: 'MY BITCOIN CHART OF OLD', market: 'BTCUSDT' });
    const sent = await send(gateway, { symbol: 'MY BITCOIN CHART OF OLD' });
    expectFilled(sent);
    expect(sent.body.warnings[0]).toContain('symbol map');
  });

  it('is not taken where Signalbox does not run', async () => {
    const gateway = await freshGateway({ isStopped: true });
    expectRefusal(await send(gateway), 'NOT_TRADING');
    expectRefusal(await send(gateway, { dryRun: true }), 'NOT_TRADING');
  });
});
