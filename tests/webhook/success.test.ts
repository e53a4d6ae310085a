// The success answers of POST /webhook, field by field.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { TestGateway } from '../support/gateway.ts';
import { eventually, expectDuplicateOf, expectEnvelope, expectFilled, freshGateway, KEY_1 } from './answers.ts';

describe.concurrent('200', () => {
  it('holds success, requestId, tradeResult and notificationResult, and nothing else', async () => {
    const gateway = await freshGateway();
    const sent = await gateway.send();
    expect(sent.status).toBe(200);
    expectEnvelope(sent);
    expect(sent.body).toEqual({
      success: true,
      requestId: expect.any(String),
      tradeResult: {
        success: true,
        orderId: expect.stringMatching(/^paper-binance-\d+$/),
        status: 'Filled',
        executedQty: 0.01,
        price: expect.any(Number),
        queued: false,
        mode: 'paper',
        account: 'main',
      },
      notificationResult: null,
    });
    expect(sent.body.tradeResult.price).toBeGreaterThan(0);
  });

  it.each(['direct', 'failover'] as const)('is what %s mode answers when the venue fills', async (queueMode) => {
    const gateway = await freshGateway({ controls: { queueMode } });
    expectFilled(await gateway.send());
  });

  it('has a request id of its own for every signal, in the order of arrival', async () => {
    const gateway = await freshGateway();
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push((await gateway.send()).body.requestId);
    expect(new Set(ids).size).toBe(5);
    expect([...ids].sort()).toEqual(ids);
  });

  it('does not take a request id from the sender', async () => {
    const gateway = await freshGateway();
    const { body } = await gateway.send({ requestId: KEY_1 }, { headers: { 'x-request-id': KEY_1 } });
    expect(body.requestId).not.toBe(KEY_1);
  });
});

describe.concurrent('202', () => {
  it('is what async mode answers, with exactly four fields', async () => {
    const gateway = await freshGateway({ controls: { queueMode: 'async' } });
    const sent = await gateway.send();
    expect(sent.status).toBe(202);
    expectEnvelope(sent);
    expect(sent.body).toEqual({
      success: true,
      requestId: expect.any(String),
      status: 'Enqueued',
      message: `queued for execution; GET /trades/${sent.body.requestId} tells the outcome`,
    });
    expect((await gateway.until(sent.body.requestId, 'Filled')).executedQty).toBe(0.01);
  });
});

describe.concurrent('the record of signals', () => {
  const stored = async (gateway: TestGateway) => {
    const db = new DatabaseSync(join(gateway.dataDir, 'signalbox.db'), { readOnly: true });
    const rows = db.prepare('SELECT * FROM trade_signals ORDER BY rowid').all();
    db.close();
    return rows.map((row) => ({ ...row }));
  };

  it('holds every signal that carried a good key, accepted or not, and no other', async () => {
    const gateway = await freshGateway();
    const accepted = await gateway.send({ idempotencyKey: KEY_1 });
    expectDuplicateOf(await gateway.send({ idempotencyKey: KEY_1 }), accepted);
    await gateway.controls.set('killSwitch', { active: true, scope: 'all' }, 'test');
    await gateway.send({ action: 'SHORT', symbol: 'ETHUSDT' });
    await gateway.send({ apiKey: 'wrong' });
    await gateway.send({ quantity: 0 });
    const rows = await stored(gateway);
    expect(rows.map((row) => [row.symbol, row.signal_type, row.source, row.decision])).toEqual([
      ['BTCUSDT', 'LONG', 'webhook', 'accepted'],
      ['BTCUSDT', 'LONG', 'webhook', 'DUPLICATE_SIGNAL'],
      ['ETHUSDT', 'SHORT', 'webhook', 'KILL_SWITCH_ACTIVE'],
    ]);
    expect(rows[0]?.signal_id).toBe(accepted.body.requestId);
  });

  it('has the whole life of a trade beside it', async () => {
    const gateway = await freshGateway();
    const { body } = await gateway.send({ notify: {} });
    const kinds = async (): Promise<string[]> =>
      (await gateway.trade(body.requestId)).events.map((event: { kind: string }) => event.kind);
    await eventually(kinds, (found) => found.length === 4);
    expect(await kinds()).toEqual(['accepted', 'sending', 'filled', 'notified']);
  });
});
