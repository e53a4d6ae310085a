// Entries that wait for their fill while the owner changes stops: what he says later stands when they fill, what he takes away stays
// away, and stops that wait can be changed and taken away themselves.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { expectFilled, expectRefusal } from '../webhook/answers.ts';
import { forbid } from './forbid.ts';
import { openProtected, type Protected } from './written-market.ts';

const KEY = 'binance:BTCUSDT:LONG';
const pathOf = (strategy?: string, key = KEY): string =>
  `/positions/${encodeURIComponent(key)}/protection${strategy === undefined ? '' : `?strategy=${strategy}`}`;
const put = (own: Protected, body: object, strategy?: string) => own.gateway.request('PUT', pathOf(strategy), body);
const remove = (own: Protected, strategy?: string) => own.gateway.request('DELETE', pathOf(strategy));
const guards = async (own: Protected) => (await own.gateway.request('GET', '/protections')).body.result;

/** A limit entry of 0.1 that waits. Its request id. */
async function wait(own: Protected, price: number, fields: object): Promise<string> {
  const { body } = await own.gateway.send({ quantity: 0.1, price, ...fields });
  expect(body.tradeResult.status).toBe('Submitted');
  return body.requestId;
}

/** The market trades just below its price. */
async function fill(own: Protected, requestId: string, price: number): Promise<void> {
  own.market.trade(price - 1);
  await own.gateway.until(requestId, 'Filled');
}

describe('what the owner set while an entry waited', () => {
  it('stands when the entry fills, and the rest comes with the entry', async () => {
    const own = await openProtected();
    expectFilled(await own.gateway.send({ quantity: 0.1, stopLoss: 45_000 }));
    const entry = await wait(own, 49_000, { stopLoss: 44_000, takeProfit: 60_000, maxHoldSeconds: 600 });
    expect((await put(own, { stopLoss: 47_000 })).body).toMatchObject({ waitingEntries: 1 });
    expect(await guards(own)).toMatchObject([
      { status: 'active', stopLoss: { price: 47_000 }, takeProfit: null },
      { status: 'waiting for the fill', stopLoss: null, takeProfit: { price: 60_000 } },
    ]);
    await fill(own, entry, 49_000);
    expect(await guards(own)).toMatchObject([
      { status: 'active', stopLoss: { price: 47_000 }, takeProfit: { price: 60_000 }, maxHoldSeconds: 600 },
    ]);
    await own.trade(46_900);
    expect(await own.closes()).toMatchObject([{ source: 'stop-loss', executedQty: 0.2 }]);
  });

  it('stands where the entry brings nothing else, with the peak of its trail and the targets that were hit', async () => {
    const own = await openProtected();
    expectFilled(await own.gateway.send({ quantity: 0.1 }));
    const entry = await wait(own, 49_000, { trailPercent: 1, takeProfit: 70_000 });
    await put(own, { trailPercent: 8, targets: [{ price: 51_000, share: 0.5 }] });
    await own.trade(52_000);
    const [before] = await guards(own);
    expect(before).toMatchObject({ trail: { peak: 52_000 }, targets: [{ isHit: true }] });
    await fill(own, entry, 49_000);
    expect(await guards(own)).toEqual([before]);
  });

  it('also where nothing guarded the share before, and across a restart', async () => {
    const own = await openProtected();
    expectFilled(await own.gateway.send({ quantity: 0.1 }));
    const entry = await wait(own, 49_000, { stopLoss: { percent: 1 } });
    await put(own, { stopLoss: { percent: 10 } });
    const again = await own.restart(1000);
    await fill(again, entry, 49_000);
    expect(await guards(again)).toMatchObject([{ stopLoss: { asked: { percent: 10 } } }]);
  });

  it('gives way to an entry that was sent after it, and not to the older one that fills last', async () => {
    const own = await openProtected();
    expectFilled(await own.gateway.send({ quantity: 0.1, stopLoss: 45_000 }));
    const older = await wait(own, 48_000, { stopLoss: 43_000 });
    own.gateway.clock.offsetMs += 10;
    await put(own, { stopLoss: 46_000 });
    own.gateway.clock.offsetMs += 10;
    const newer = await wait(own, 49_000, { stopLoss: 44_000 });
    await fill(own, newer, 49_000);
    expect(await guards(own)).toMatchObject([{ stopLoss: { price: 44_000 } }]);
    await fill(own, older, 48_000);
    expect(await guards(own)).toMatchObject([{ stopLoss: { price: 44_000 } }]);
  });

  it('is newer than an entry that waits already, also by a clock that was set back', async () => {
    const own = await openProtected();
    expectFilled(await own.gateway.send({ quantity: 0.1 }));
    const entry = await wait(own, 49_000, { stopLoss: 43_000 });
    own.gateway.clock.offsetMs -= 5000;
    await put(own, { stopLoss: 46_000 });
    own.gateway.clock.offsetMs += 10_000;
    await fill(own, entry, 49_000);
    expect(await guards(own)).toMatchObject([{ stopLoss: { price: 46_000 } }]);
  });

  it('leaves the entries of other strategies alone', async () => {
    const own = await openProtected();
    expectFilled(await own.gateway.send({ quantity: 0.1, strategy: 'a' }));
    const entry = await wait(own, 49_000, { strategy: 'b', stopLoss: 43_000 });
    expect((await put(own, { stopLoss: 46_000 }, 'a')).body.waitingEntries).toBe(0);
    expect((await remove(own, 'a')).body.waitingEntries).toBe(0);
    await fill(own, entry, 49_000);
    expect(await guards(own)).toMatchObject([{ strategy: 'b', stopLoss: { price: 43_000 } }]);
  });
});

describe('what the owner took away while an entry waited', () => {
  it.each([
    ['all of it', (own: Protected) => remove(own)],
    ['the last part of it', (own: Protected) => put(own, { stopLoss: null })],
  ])('stays away when the entry fills: %s', async (_, take) => {
    const own = await openProtected();
    expectFilled(await own.gateway.send({ quantity: 0.1, stopLoss: 45_000 }));
    const entry = await wait(own, 49_000, { stopLoss: 44_000 });
    expect((await take(own)).body).toMatchObject({ success: true, waitingEntries: 1 });
    expect(await guards(own)).toEqual([]);
    const again = await own.restart(1000);
    await fill(again, entry, 49_000);
    expect(await guards(again)).toEqual([]);
  });

  it('leaves what he did not name to come with the entry', async () => {
    const own = await openProtected();
    expectFilled(await own.gateway.send({ quantity: 0.1, stopLoss: 45_000 }));
    const entry = await wait(own, 49_000, { stopLoss: 44_000, takeProfit: 60_000 });
    await put(own, { stopLoss: null });
    await fill(own, entry, 49_000);
    expect(await guards(own)).toMatchObject([{ stopLoss: null, takeProfit: { price: 60_000 } }]);
  });
});

describe('stops that wait for a fill', () => {
  it('are changed in what is named, and the fill meets them as they are then', async () => {
    const own = await openProtected();
    const entry = await wait(own, 49_000, { strategy: 'rw', stopLoss: 45_000, targets: [{ percent: 2, share: 0.5 }] });
    const changed = await put(own, { stopLoss: { percent: 4 }, trail: { percent: 5 }, activationPrice: 52_000 });
    expect(changed.body).toMatchObject({
      waitingEntries: 1,
      result: {
        ...{ status: 'waiting for the fill', strategy: 'rw', requestId: entry, targets: [{ share: 0.5 }] },
        ...{ stopLoss: { price: null, asked: { percent: 4 } }, trail: { activationPrice: 52_000 } },
      },
    });
    const again = await own.restart(1000);
    expect(await guards(again)).toEqual([changed.body.result]);
    await fill(again, entry, 49_000);
    expect(await guards(again)).toMatchObject([
      { status: 'active', stopLoss: { price: 47_040 }, trail: { activationPrice: 52_000, peak: null } },
    ]);
  });

  it('are taken away, one part or all', async () => {
    const own = await openProtected();
    const entry = await wait(own, 49_000, { stopLoss: 45_000, takeProfit: 60_000 });
    expect((await put(own, { takeProfit: null }, '')).body.result).toMatchObject({ takeProfit: null });
    expect((await remove(own, '')).body).toMatchObject({
      waitingEntries: 1,
      result: { stopLoss: { price: 45_000 }, status: 'waiting for the fill' },
    });
    expect(await guards(own)).toEqual([]);
    expectRefusal(await remove(own), 'STOP_NOT_FOUND');
    await fill(own, entry, 49_000);
    expect(await guards(own)).toEqual([]);
  });

  it('are gone with their entry, whoever asks first', async () => {
    const own = await openProtected();
    const entry = await wait(own, 49_000, { stopLoss: 45_000 });
    await own.gateway.request('POST', '/orders/cancel', { all: true });
    await own.gateway.until(entry, 'Canceled');
    expectRefusal(await put(own, { stopLoss: 46_000 }), 'STOP_CONFLICT');
    const next = await wait(own, 49_000, { stopLoss: 45_000 });
    await own.gateway.request('POST', '/orders/cancel', { all: true });
    await own.gateway.until(next, 'Canceled');
    expectRefusal(await remove(own), 'STOP_NOT_FOUND');
  });

  it('are changed for every entry of the share, and for no other', async () => {
    const own = await openProtected();
    await wait(own, 49_000, { strategy: 'a', stopLoss: 45_000 });
    await wait(own, 48_000, { strategy: 'a', stopLoss: 44_000 });
    await wait(own, 48_000, { strategy: 'b', stopLoss: 43_000 });
    const unclear = await put(own, { stopLoss: 46_000 });
    expectRefusal(unclear, 'STOP_CONFLICT');
    expect(unclear.body.error).toContain('"a", "b"');
    expect((await put(own, { stopLoss: 46_000 }, 'a')).body.waitingEntries).toBe(2);
    const prices = (await guards(own)).map((guard: { stopLoss: { price: number } }) => guard.stopLoss.price);
    expect(prices).toEqual([46_000, 46_000, 43_000]);
    expectRefusal(await put(own, { stopLoss: 46_000 }, 'c'), 'STOP_CONFLICT');
  });

  it('are judged by the price at which their entry waits', async () => {
    const own = await openProtected();
    await wait(own, 49_000, { stopLoss: 45_000 });
    expectRefusal(await put(own, { stopLoss: 49_500 }), 'STOP_WRONG_SIDE');
    expectRefusal(await put(own, { breakEvenAfter: 1 }), 'INVALID_PAYLOAD', 'faults');
    expect(await guards(own)).toMatchObject([{ stopLoss: { price: 45_000 } }]);
  });

  it('are as they were when the disk cannot take the change, also where the entry fills at that moment', async () => {
    const own = await openProtected();
    const entry = await wait(own, 49_000, { stopLoss: 45_000 });
    forbid(own.gateway.dataDir, 'BEFORE UPDATE ON pending_stops');
    expectRefusal(await put(own, { stopLoss: 46_000 }), 'STORAGE_FAILED');
    expect(await guards(own)).toMatchObject([{ stopLoss: { price: 45_000 } }]);
    const changing = put(own, { stopLoss: 46_000 });
    await fill(own, entry, 49_000);
    const { status } = await changing;
    const stopLoss = (await guards(own))[0].stopLoss.price;
    expect([
      [500, 45_000],
      [200, 46_000],
    ]).toContainEqual([status, stopLoss]);
  });

  it('never leave a position without what was acknowledged, whenever the entry fills', async () => {
    const own = await openProtected();
    for (let round = 0; round < 12; round++) {
      const strategy = `round-${round}`;
      const entry = await wait(own, 49_000, { strategy, stopLoss: 45_000 });
      const changes = [46_000, 46_500, 47_000].map((stopLoss) => put(own, { stopLoss }, strategy));
      for (let turns = 0; turns < round; turns++) await new Promise((resolve) => setImmediate(resolve));
      await fill(own, entry, 49_000);
      for (const { body } of await Promise.all(changes)) expect(body.success).toBe(true);
      const [guard] = (await own.gateway.request('GET', pathOf(strategy))).body.result;
      expect(guard).toMatchObject({ status: 'active', stopLoss: { price: 47_000 } });
      own.market.trade(50_000);
    }
  });
});

/** The request ids whose stops wait, as they are on disk at this moment. */
function waitingOnDisk(own: Protected): readonly unknown[] {
  const db = new DatabaseSync(join(own.gateway.dataDir, 'signalbox.db'), { timeout: 5000, readOnly: true });
  const rows = db.prepare('SELECT request_id FROM pending_stops ORDER BY created_at').all();
  db.close();
  return rows.map(({ request_id }) => request_id);
}

describe('an entry that waits without stops', () => {
  it('is given some, on disk with the answer, and its fill brings them', async () => {
    const own = await openProtected();
    const entry = await wait(own, 49_000, { strategy: 'rw' });
    const given = await put(own, { stopLoss: { percent: 4 }, takeProfit: 60_000 });
    expect(given.body).toMatchObject({
      waitingEntries: 1,
      result: { status: 'waiting for the fill', strategy: 'rw', requestId: entry, takeProfit: { price: 60_000 } },
    });
    expect(waitingOnDisk(own)).toEqual([entry]);
    const again = await own.restart(1000);
    expect(await guards(again)).toEqual([given.body.result]);
    await fill(again, entry, 49_000);
    expect(await guards(again)).toMatchObject([{ status: 'active', stopLoss: { price: 47_040 } }]);
    await again.trade(47_000);
    expect(await again.closes()).toMatchObject([{ source: 'stop-loss', executedQty: 0.1 }]);
    expect(waitingOnDisk(again)).toEqual([]);
  });

  it('because all of them were taken away, gets others', async () => {
    const own = await openProtected();
    const entry = await wait(own, 49_000, { stopLoss: 45_000 });
    expect((await put(own, { stopLoss: null })).body).toMatchObject({ success: true, result: null });
    expect((await put(own, { stopLoss: 46_000 })).body).toMatchObject({ success: true, waitingEntries: 1 });
    await remove(own);
    expect((await put(own, { stopLoss: 47_000 })).body).toMatchObject({ success: true, waitingEntries: 1 });
    await fill(own, entry, 49_000);
    expect(await guards(own)).toMatchObject([{ status: 'active', stopLoss: { price: 47_000 } }]);
  });

  it('is met beside those that have some, the oldest first, and no other share or side is', async () => {
    const own = await openProtected();
    const first = await wait(own, 49_000, { strategy: 'a' });
    const second = await wait(own, 48_000, { strategy: 'a', takeProfit: 60_000 });
    await wait(own, 48_000, { strategy: 'b' });
    await wait(own, 52_000, { action: 'SHORT', strategy: 'a' });
    const unclear = await put(own, { stopLoss: 46_000 });
    expectRefusal(unclear, 'STOP_CONFLICT');
    expect(unclear.body.error).toContain('"a", "b"');
    const { body } = await put(own, { stopLoss: 46_000 }, 'a');
    expect(body).toMatchObject({ waitingEntries: 2, result: { requestId: first, takeProfit: null } });
    expect(await guards(own)).toMatchObject([
      { requestId: first, stopLoss: { price: 46_000 }, takeProfit: null },
      { requestId: second, stopLoss: { price: 46_000 }, takeProfit: { price: 60_000 } },
    ]);
  });

  it('is judged by the price at which it waits, and nothing can be taken from it', async () => {
    const own = await openProtected();
    await wait(own, 49_000, {});
    expectRefusal(await put(own, { stopLoss: 49_500 }), 'STOP_WRONG_SIDE');
    expectRefusal(await put(own, { stopLoss: null }), 'INVALID_PAYLOAD', 'faults');
    expectRefusal(await remove(own), 'STOP_NOT_FOUND');
    expect(await guards(own)).toEqual([]);
  });

  it('gets none when it has ended, nor when it ends at that moment', async () => {
    const own = await openProtected();
    const ended = await wait(own, 49_000, {});
    await own.gateway.request('POST', '/orders/cancel', { all: true });
    await own.gateway.until(ended, 'Canceled');
    expectRefusal(await put(own, { stopLoss: 46_000 }), 'STOP_CONFLICT');
    const ending = await wait(own, 49_000, {});
    await Promise.all([put(own, { stopLoss: 46_000 }), own.gateway.request('POST', '/orders/cancel', { all: true })]);
    await own.gateway.until(ending, 'Canceled');
    expect(await guards(own)).toEqual([]);
    expect(waitingOnDisk(own)).toEqual([]);
  });

  it('has none when the disk cannot take them, also where it fills at that moment', async () => {
    const own = await openProtected();
    const entry = await wait(own, 49_000, {});
    forbid(own.gateway.dataDir, 'BEFORE INSERT ON pending_stops');
    expectRefusal(await put(own, { stopLoss: 46_000 }), 'STORAGE_FAILED');
    expect(await guards(own)).toEqual([]);
    const changing = put(own, { stopLoss: 46_000 });
    await fill(own, entry, 49_000);
    const { status } = await changing;
    expect([
      [500, 0],
      [200, 1],
    ]).toContainEqual([status, (await guards(own)).length]);
  });

  it('never leaves a position without what was acknowledged, whenever it fills', async () => {
    const own = await openProtected();
    for (let round = 0; round < 12; round++) {
      const strategy = `round-${round}`;
      const entry = await wait(own, 49_000, { strategy });
      const changes = [46_000, 46_500, 47_000].map((stopLoss) => put(own, { stopLoss }, strategy));
      for (let turns = 0; turns < round; turns++) await new Promise((resolve) => setImmediate(resolve));
      await fill(own, entry, 49_000);
      for (const { body } of await Promise.all(changes)) expect(body.success).toBe(true);
      const [guard] = (await own.gateway.request('GET', pathOf(strategy))).body.result;
      expect(guard).toMatchObject({ status: 'active', stopLoss: { price: 47_000 } });
      own.market.trade(50_000);
    }
    expect(waitingOnDisk(own)).toEqual([]);
  });
});
