// Every failure of a venue in every mode: the right answer, one outcome on disk, and never two orders for one signal.

import { beforeEach, describe, expect, test } from 'vitest';
import type { Script } from '../../../tests/support/scripted-venue.ts';
import { decimal } from '../decimal.ts';
import { QUEUE_MODES } from '../intake/controls.ts';
import { passTime, passTimeUntil } from '../testing/hurry.ts';
import {
  detailOf,
  ended,
  market,
  openDesk,
  stopDesk,
  trade,
  useScriptedDesks,
  venue,
} from '../testing/scripted-desks.ts';
import type { TestDesk } from '../testing/test-desk.ts';

const FIRST = '01a1dcfa-440e-74cd-9307-1046bd82b29f';
useScriptedDesks();

/** The next order is taken without an answer, and shows only after every look of the first search. */
async function hideNextOrder({ desk }: TestDesk): Promise<void> {
  // The desk's own looks at older orders of this file come first.
  await passTimeUntil(() => desk.backlog() === 0);
  venue.script.push({ fail: 'unknown', taken: true });
  venue.hiddenLooks = 7;
}

describe.each(QUEUE_MODES)('in %s mode', (mode) => {
  const cases: [string, Script[], boolean, string, string][] = [
    ['a fill', [], false, 'settled filled', 'filled'],
    ['a resting order', [{ rest: true }], false, 'settled submitted', 'submitted'],
    ['a refusal', [{ fail: 'rejected', message: 'no margin' }], false, 'settled rejected', 'rejected'],
    [
      'an unknown outcome of an order that was taken',
      [{ fail: 'unknown', taken: true }],
      false,
      'settled filled',
      'filled',
    ],
    ['a duplicate id, which is success', [{ fail: 'duplicate', taken: true }], false, 'settled filled', 'filled'],
    ['an order nobody can find', [{ fail: 'unknown' }], false, 'deadline', 'unknown'],
    ['an order that certainly is not there', [{ fail: 'unknown' }], true, 'waiting', 'filled'],
    ['a venue out of reach', [{ fail: 'not-sent' }, { fail: 'not-sent' }], false, 'waiting', 'filled'],
  ];
  test.each(cases)('%s', async (_, script, certain, answer, outcome) => {
    venue.script.push(...script);
    venue.certain = certain;
    const desk = await openDesk();
    const { requestId, dispatched } = await trade(desk, mode);
    const unreachable = answer === 'waiting' && mode === 'direct';
    const told =
      dispatched.kind === 'settled'
        ? `settled ${dispatched.settled.state}`
        : 'why' in dispatched
          ? dispatched.why
          : 'waiting';
    expect(told).toBe(mode === 'async' ? 'async' : unreachable ? 'settled rejected' : answer);

    const final = unreachable ? 'rejected' : outcome;
    const detail = await ended(requestId, final);
    expect(detail.events.filter(({ kind }) => kind === final)).toHaveLength(1);
    expect(new Set(venue.sent.map(({ clientOrderId }) => clientOrderId)).size).toBe(1);
    const heldSizes = (await venue.positions(market)).map(({ quantity }) => quantity);
    expect(heldSizes).toEqual(final === 'filled' ? [decimal('0.5')] : []);
    expect(detail.fills).toHaveLength(final === 'filled' ? 1 : 0);
    expect(desk.troubles).toEqual([]);
  });
});

describe('answers', () => {
  test('a venue out of reach in direct mode is told as such, and the key is free again', async () => {
    venue.script.push({ fail: 'not-sent', message: 'connection refused' });
    const desk = await openDesk();
    const idempotencyKey = '11111111-1111-4111-8111-111111111111';
    const { dispatched } = await trade(desk, 'direct', { order: { idempotencyKey } });
    expect(dispatched).toMatchObject({
      settled: { cause: 'venue-unreachable', error: 'binance cannot be reached, nothing was sent: connection refused' },
    });
    const again = await trade(desk, 'direct', { order: { idempotencyKey } });
    expect(again.dispatched).toMatchObject({ settled: { state: 'filled' } });
  });

  test('an unknown outcome names the order to look for, and keeps the key', async () => {
    venue.script.push({ fail: 'unknown' });
    const desk = await openDesk();
    const idempotencyKey = '22222222-2222-4222-8222-222222222222';
    const { requestId } = await trade(desk, 'async', { order: { idempotencyKey } });
    const detail = await ended(requestId, 'unknown');
    expect(detail.trade.error).toContain(`look for order ${detail.orders[0]?.clientOrderId} there`);
    await expect(desk.accept({ order: { idempotencyKey } })).rejects.toThrow(requestId);
  });

  test('a fault of ours while sending is asked about at the venue, not answered as a failure', async () => {
    const place = venue.placeOrder;
    venue.placeOrder = async (request) => {
      await place(request);
      throw new TypeError('cannot read properties of undefined');
    };
    const desk = await openDesk();
    const { dispatched } = await trade(desk, 'direct');
    expect(dispatched).toMatchObject({ kind: 'settled', settled: { state: 'filled' } });
    expect(desk.troubles.join()).toContain('cannot read properties');
  });

  test('a fault of ours before anything was sent is a refusal that says where to look', async () => {
    venue.market = () => Promise.reject(new TypeError('odd'));
    const desk = await openDesk();
    const { dispatched } = await trade(desk, 'direct');
    expect(dispatched).toMatchObject({ settled: { state: 'rejected', cause: 'internal' } });
    expect(venue.sent).toEqual([]);
    expect(desk.troubles.join()).toContain('odd');
  });

  test('a slow venue is answered as enqueued at the deadline, and the outcome follows', async () => {
    venue.script.push({ waitMs: 4000 });
    const { requestId, dispatched } = await trade(await openDesk(), 'direct');
    expect(dispatched).toEqual({ kind: 'enqueued', why: 'deadline' });
    expect((await ended(requestId)).trade.state).toBe('filled');
  });

  test('a venue that is away beyond the deadline ends no signal of direct mode that was answered as enqueued: it is tried again', async () => {
    venue.script.push({ waitMs: 4000, thenFail: 'not-sent' });
    const { requestId, dispatched } = await trade(await openDesk(), 'direct');
    expect(dispatched).toEqual({ kind: 'enqueued', why: 'deadline' });
    expect((await ended(requestId)).trade).toMatchObject({ state: 'filled' });
    expect(venue.sent).toHaveLength(2);
  });

  test('a venue that is away ends no signal of direct mode of which somebody was told meanwhile that it is taken', async () => {
    venue.script.push({ waitMs: 1000, thenFail: 'not-sent' });
    const { desk, trade: send } = await openDesk();
    const first = send('direct', { requestId: FIRST, order: { market, symbol: market } });
    await passTimeUntil(() => venue.sent.length === 1);
    // Another signal, whose id only begins like it.
    expect(await desk.dispatcher.noteTold(FIRST.slice(0, -1))).toBe(true);
    expect(await desk.dispatcher.noteTold(FIRST)).toBe(true);
    const { requestId, dispatched } = await passTime(first);
    expect(dispatched).toEqual({ kind: 'queued' });
    expect((await ended(requestId)).trade.state).toBe('filled');
  });

  test('a leverage that cannot be set stops the order', async () => {
    venue.ensureLeverage = () => Promise.reject(Object.assign(new Error('odd')));
    const { dispatched } = await trade(await openDesk(), 'direct', { order: { leverage: 5 } });
    expect(dispatched).toMatchObject({ settled: { state: 'rejected' } });
    expect(venue.sent).toEqual([]);
  });

  test('the notification comes with the answer, and a slow one does not delay it', async () => {
    const quick = await openDesk();
    const notify = { parseMode: 'Plain' } as const;
    expect((await trade(quick, 'direct', { order: { notify } })).dispatched).toMatchObject({
      notification: { success: true, messageId: 1 },
    });
    const slow = await openDesk({ send: () => new Promise(() => undefined) });
    expect((await trade(slow, 'direct', { order: { notify } })).dispatched).toMatchObject({
      settled: { state: 'filled' },
      notification: { success: false, messageId: null },
    });
  });
});

describe('a reversal', () => {
  beforeEach(() => venue.hold('SHORT', '1'));
  const held = async () => (await venue.positions(market)).map(({ side, quantity }) => [side, quantity]);

  test('closes, then opens', async () => {
    const { dispatched } = await trade(await openDesk(), 'direct');
    expect(dispatched).toMatchObject({ settled: { state: 'filled', executedQuantity: decimal('0.5') } });
    expect(await held()).toEqual([['LONG', decimal('0.5')]]);
  });

  test('whose closing is refused opens nothing', async () => {
    venue.script.push({ fail: 'rejected', message: 'no' });
    const { dispatched } = await trade(await openDesk(), 'direct');
    expect(dispatched).toMatchObject({ settled: { state: 'rejected', error: 'no' } });
    expect(await held()).toEqual([['SHORT', decimal('1')]]);
  });

  test('whose opening is refused says that the old position is gone', async () => {
    venue.script.push({ waitMs: 0 }, { fail: 'rejected', message: 'no margin' });
    const { dispatched } = await trade(await openDesk(), 'direct');
    const error = 'the opposite position was closed, but opening was refused: no margin';
    expect(dispatched).toMatchObject({ settled: { state: 'rejected', error } });
  });

  test('cut off between its halves says that the old position is gone', async () => {
    venue.script.push({ waitMs: 0 }, { fail: 'not-sent', message: 'connection refused' });
    const { dispatched } = await trade(await openDesk(), 'direct');
    expect(dispatched).toMatchObject({
      settled: { cause: 'venue-unreachable', error: expect.stringContaining('the opposite position was closed') },
    });
    expect(await held()).toEqual([]);
  });

  test('cut off between its halves goes on in failover mode', async () => {
    venue.script.push({ waitMs: 0 }, { fail: 'not-sent' });
    const { requestId, dispatched } = await trade(await openDesk(), 'failover');
    expect(dispatched).toEqual({ kind: 'queued' });
    const detail = await ended(requestId);
    expect(detail.trade.state).toBe('filled');
    expect(detail.orders.map(({ leg }) => leg)).toEqual(['flatten', 'open']);
    expect(await held()).toEqual([['LONG', decimal('0.5')]]);
  });

  test('whose closing comes to light late is not taken for the opening', async () => {
    const desk = await openDesk();
    await hideNextOrder(desk);
    const { requestId } = await trade(desk, 'async');
    await ended(requestId, 'unknown');
    await passTime(desk.desk.dispatcher.reconcile());
    const { trade: late, fills } = await ended(requestId);
    expect(late).toMatchObject({ state: 'rejected', executedQuantity: 0n });
    expect(late.error).toMatch(/closed too late to open the new one/);
    expect(fills).toHaveLength(1);
    expect(venue.sent).toHaveLength(1);
  });
});

describe('closing', () => {
  test('first cancels our own resting orders of that side, and books what became of them', async () => {
    const desk = await openDesk();
    venue.script.push({ rest: true });
    const resting = await trade(desk, 'direct', { order: { price: decimal('90') } });
    venue.hold('LONG', '0.5');
    const { dispatched } = await trade(desk, 'direct', { order: { action: 'CLOSE_LONG' } });
    expect(dispatched).toMatchObject({ settled: { state: 'filled' } });
    expect((await detailOf(resting.requestId)).trade.state).toBe('canceled');
    expect(await venue.positions(market)).toEqual([]);
  });

  test('with nothing to close is refused', async () => {
    const { dispatched } = await trade(await openDesk(), 'direct', { order: { action: 'CLOSE_LONG' } });
    expect(dispatched).toMatchObject({
      settled: { state: 'rejected', error: expect.stringContaining('no long position') },
    });
  });
});

describe('orders that live on', () => {
  const rest = async (desk: TestDesk): Promise<string> => {
    venue.script.push({ rest: true });
    return (await trade(desk, 'direct', { order: { price: decimal('90') } })).requestId;
  };
  const orderOfTrade = async (requestId: string): Promise<string> =>
    (await detailOf(requestId)).orders[0]?.clientOrderId as string;

  test('are booked when the venue reports them, once', async () => {
    const desk = await openDesk();
    const requestId = await rest(desk);
    const id = await orderOfTrade(requestId);
    venue.fill(id);
    const detail = await ended(requestId);
    expect(detail.trade).toMatchObject({ state: 'filled', executedQuantity: decimal('0.5') });
    venue.fill(id);
    await passTimeUntil(() => desk.desk.backlog() === 0);
    expect((await detailOf(requestId)).fills).toHaveLength(1);
  });

  test('that filled while nobody looked are found at the next start', async () => {
    const requestId = await rest(await openDesk());
    await stopDesk();
    venue.fill(await orderOfTrade(requestId));
    await openDesk();
    expect((await ended(requestId)).trade.state).toBe('filled');
  });

  test('whose venue is down at the next start are asked about again', async () => {
    const requestId = await rest(await openDesk());
    await stopDesk();
    venue.fill(await orderOfTrade(requestId));
    venue.down = 'not-sent';
    const { desk } = await openDesk();
    await passTimeUntil(() => desk.backlog() === 0);
    expect((await detailOf(requestId)).trade.state).toBe('submitted');
    venue.down = undefined;
    expect((await ended(requestId)).trade.state).toBe('filled');
  });

  test('without a clear outcome are settled as soon as they come to light', async () => {
    const desk = await openDesk();
    await hideNextOrder(desk);
    const { requestId } = await trade(desk, 'async');
    await ended(requestId, 'unknown');
    expect((await ended(requestId)).trade.state).toBe('filled');
    expect(venue.sent).toHaveLength(1);
  });
});
