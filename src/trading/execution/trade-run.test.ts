// One trade's way into the journal: impossible steps leave no trace, claims go back only when nothing was placed.

import { describe, expect, test } from 'vitest';
import { nextRequestId, orderOf, START_MS } from '../../../tests/ports/sample-trades.ts';
import type { OutcomeStep, TradeState, UnfinishedTrade } from '../books/journal.ts';
import { PositionBook } from '../books/position-book.ts';
import { decimal, ZERO } from '../decimal.ts';
import type { SignalOrder } from '../signal.ts';
import type { OrderReport } from '../venue.ts';
import { TradeRun } from './trade-run.ts';

const KEY = '6f1c0f7e-58b7-4b30-9d5a-2c8a3a4d9b10';

function open(
  order: Partial<SignalOrder> = {},
  changes: Partial<UnfinishedTrade> = {},
  mode: 'paper' | 'live' = 'paper',
) {
  const steps: OutcomeStep[] = [];
  const lanes: string[] = [];
  const alarms: string[] = [];
  const trade = {
    requestId: nextRequestId(),
    receivedAtMs: START_MS,
    source: 'webhook',
    keyLabel: 'k',
    mode,
    account: 'main',
    order: orderOf({ idempotencyKey: KEY, ...order }),
    seq: 9,
    state: 'accepted',
    executedQuantity: ZERO,
  } as const;
  const parts = {
    laneJournal: {
      record: async (step: OutcomeStep, lane: string) => {
        steps.push(step);
        lanes.push(lane);
        return step.message ? { messageId: steps.length } : {};
      },
    },
    book: new PositionBook([]),
    nowMs: () => START_MS + 5,
    onAlarm: (_: string, text: string) => void alarms.push(text),
  };
  const run = new TradeRun({ trade, orders: [], fills: [], ...changes }, parts, 0);
  const step = async (state: TradeState): Promise<OutcomeStep> => {
    await run.write(state, { kind: state });
    return steps.at(-1) as OutcomeStep;
  };
  return { run, steps, lanes, step, alarms };
}

const report = (changes: Partial<OrderReport> = {}): OrderReport => ({
  clientOrderId: 'sbx1',
  orderId: 'o1',
  market: 'BTCUSDT',
  side: 'BUY',
  positionSide: 'LONG',
  reduceOnly: false,
  status: 'filled',
  quantity: decimal('1'),
  executedQuantity: decimal('1'),
  averagePrice: decimal('100'),
  fills: [{ fillId: 'f1', quantity: decimal('1'), price: decimal('100'), fee: ZERO, atMs: START_MS }],
  ...changes,
});

describe('a run', () => {
  test('refuses an impossible step and writes nothing', async () => {
    const { run, steps } = open();
    expect(() => run.write('filled', { kind: 'filled' })).toThrow('a trade cannot go from accepted to filled');
    expect(steps).toEqual([]);
    expect(run.state).toBe('accepted');
  });

  test('leaves the books alone when a report leads to an impossible step', async () => {
    const { run, steps } = open();
    expect(() => run.book(report(), 'filled', { counts: true })).toThrow('a trade cannot go from accepted to filled');
    run.state = 'sending';
    await run.book(report(), 'filled', { counts: true });
    // Had the first report been booked, its fill would be missing here.
    expect(steps[0]?.fills).toHaveLength(1);
    expect(steps[0]?.positions?.[0]?.quantity).toBe(decimal('1'));
  });

  test('writes the whole word of the venue in one step, in the lane of its market', async () => {
    const { run, steps, lanes } = open();
    run.state = 'sending';
    const settled = await run.book(report({ reason: 'why not' }), 'filled', { counts: true, note: 'noted' });
    expect(lanes).toEqual(['paper:binance:main:BTCUSDT']);
    expect(steps).toMatchObject([
      {
        seq: 9,
        atMs: START_MS + 5,
        state: 'filled',
        orderId: 'o1',
        executedQuantity: decimal('1'),
        averagePrice: decimal('100'),
        event: { kind: 'filled', detail: 'o1, 1 at 100, why not, noted' },
        order: { clientOrderId: 'sbx1', state: 'filled', orderId: 'o1', reason: 'why not' },
      },
    ]);
    expect(settled).toMatchObject({ state: 'filled', orderId: 'o1', executedQuantity: decimal('1') });
  });

  test('books the fills it was found with no second time', async () => {
    const booked = { clientOrderId: 'sbx1', fillId: 'f1', realizedPnl: ZERO };
    const fills = [{ ...booked, quantity: decimal('1'), price: decimal('100'), fee: ZERO, atMs: START_MS }];
    const { run, steps } = open({}, { fills });
    run.state = 'unknown';
    await run.book(report(), 'filled', { counts: true });
    expect(steps[0]).toMatchObject({ fills: [], positions: [] });
  });

  test('counts what its orders made for it, at the price of all of them, and not what they gave up', async () => {
    const { run } = open();
    run.state = 'sending';
    run.noteOrder('sbx1', { leg: 'flatten', side: 'BUY', givenUp: decimal('0.5') });
    await run.book(report(), 'sending', { counts: false });
    run.noteOrder('sbx2', { leg: 'open', side: 'BUY', givenUp: ZERO });
    const more = { clientOrderId: 'sbx2', executedQuantity: decimal('1.5'), averagePrice: decimal('110'), fills: [] };
    const settled = await run.book(report(more), 'filled', { counts: true });
    expect(settled).toMatchObject({ executedQuantity: decimal('2'), averagePrice: decimal('107.5') });
  });

  test('does not count the order that only made room', async () => {
    const { run, steps } = open();
    run.state = 'sending';
    run.noteOrder('sbx1', { leg: 'flatten', side: 'BUY', givenUp: decimal('1') });
    const settled = await run.book(report(), 'sending', { counts: false });
    expect(settled).toMatchObject({ orderId: undefined, executedQuantity: ZERO });
    expect(steps[0]?.fills).toHaveLength(1);
  });
});

describe('an exit of real money', () => {
  test('that is refused is told while something is open, and never where there is nothing', async () => {
    const exit = { action: 'CLOSE_LONG', quantity: decimal('1'), closesAll: true } as const;
    const flat = open(exit, {}, 'live');
    await flat.step('rejected');
    expect(flat.alarms).toEqual([]);
    const left = open(exit, {}, 'live');
    left.run.state = 'sending';
    await left.run.book(report(), 'sending', { counts: false });
    await left.step('rejected');
    expect(left.alarms).toEqual([expect.stringMatching(/was refused.*may still be open/)]);
  });

  test('is told as left open where the venue shows more than our books', async () => {
    const { run, step, alarms } = open({ action: 'CLOSE_LONG', quantity: decimal('1'), closesAll: true }, {}, 'live');
    run.isLeftOpen = true;
    await step('rejected');
    expect(alarms).toHaveLength(1);
  });

  test('is told as left open, however late it fills, where our books have more of it than it closed', async () => {
    const { run, steps, alarms } = open({ action: 'CLOSE_LONG', quantity: decimal('5') }, {}, 'live');
    run.state = 'sending';
    await run.book(report(), 'sending', { counts: false });
    const fills = [{ fillId: 'f2', quantity: decimal('0.4'), price: decimal('100'), fee: ZERO, atMs: START_MS }];
    const sold = {
      side: 'SELL',
      reduceOnly: true,
      quantity: decimal('0.4'),
      executedQuantity: decimal('0.4'),
    } as const;
    run.noteOrder('sbx2', { leg: 'close', side: 'SELL', givenUp: ZERO });
    await run.book(report({ clientOrderId: 'sbx2', ...sold, fills }), 'filled', { counts: true });
    expect(steps.at(-1)?.error).toBe('0.6 BTCUSDT of what it was to close is still open in our books');
    expect(alarms).toEqual([expect.stringMatching(/has not closed all: 0.6 BTCUSDT/)]);
  });

  // A part that was cut to the step is whole; what is left of a part is no more than was asked for.
  test.each([
    ['0.4567', '0.1', null],
    ['0.4567', '0.001', '0.056'],
    ['0.4567', undefined, '0.0567'],
    ['5', '0.1', '0.6'],
  ] as const)(
    'that asked for %s, of which a step is %s, and closed 0.4 of 1 has left %s',
    async (asked, step, left) => {
      const { run, steps, alarms } = open({ action: 'CLOSE_LONG', quantity: decimal(asked) }, {}, 'live');
      run.stepSize = step === undefined ? undefined : decimal(step);
      run.state = 'sending';
      // What is held is no part of what it closes.
      run.noteOrder('sbx1', { leg: 'flatten', side: 'BUY', givenUp: decimal('1') });
      await run.book(report(), 'sending', { counts: false });
      const sold = { side: 'SELL', quantity: decimal('0.4'), executedQuantity: decimal('0.4') } as const;
      const fills = [{ fillId: 'f2', quantity: decimal('0.4'), price: decimal('100'), fee: ZERO, atMs: START_MS }];
      run.noteOrder('sbx2', { leg: 'close', side: 'SELL', givenUp: ZERO });
      await run.book(report({ clientOrderId: 'sbx2', reduceOnly: true, ...sold, fills }), 'filled', { counts: true });
      const words = left === null ? undefined : `${left} BTCUSDT of what it was to close is still open in our books`;
      expect([steps.at(-1)?.error, alarms.length]).toEqual([words, left === null ? 0 : 1]);
    },
  );
});

describe('the idempotency key', () => {
  test.each(['rejected', 'canceled', 'expired'] as const)(
    'goes back when it ends as %s with nothing placed',
    async (state) => {
      expect((await open().step(state)).releaseClaim).toBe(true);
    },
  );

  test('stays while the trade goes on', async () => {
    const { step } = open();
    expect((await step('sending')).releaseClaim).toBeUndefined();
    expect((await step('unknown')).releaseClaim).toBeUndefined();
  });

  test('stays once an order may have reached the venue', async () => {
    const { run, step } = open();
    run.noteSent('sbx1');
    expect((await step('rejected')).releaseClaim).toBeUndefined();
  });

  test('goes back when the order that may have reached the venue is proved absent, and only then', async () => {
    const { run, step } = open();
    run.noteSent('sbx1f');
    run.noteSent('sbx1o');
    run.noteNotSent('sbx1o');
    expect(run.placed).toBe(true);
    run.noteNotSent('sbx1f');
    expect((await step('rejected')).releaseClaim).toBe(true);
  });

  test.each([
    ['sending', false],
    ['unknown', false],
    ['submitted', false],
    ['filled', false],
    ['accepted', true],
    ['rejected', true],
  ] as const)('of a trade found with an order that is %s', async (state, released) => {
    const order = { clientOrderId: 'sbx1', leg: 'open', side: 'BUY', positionSide: 'LONG', reduceOnly: false } as const;
    const orders = [{ ...order, netted: true, givenUp: ZERO, quantity: decimal('1'), executedQuantity: ZERO, state }];
    expect((await open({}, { orders }).step('expired')).releaseClaim).toBe(released ? true : undefined);
  });
});

describe('messages', () => {
  const messages = (steps: readonly OutcomeStep[]) =>
    steps.flatMap(({ message }) => (message ? [message.summary] : []));
  const walk = async (notify: SignalOrder['notify']) => {
    const { run, steps, step } = open({ notify });
    await step('sending');
    await step('accepted');
    await step('sending');
    run.orderId = 'o1';
    await step('submitted');
    await step('submitted');
    run.executedQuantity = decimal('0.5');
    run.averagePrice = decimal('99.5');
    await step('partially_filled');
    await step('canceled');
    return messages(steps);
  };

  test('are none when nobody asked', async () => {
    expect(await walk(undefined)).toEqual([]);
  });

  test('tell every change of status once when there is no text', async () => {
    expect(await walk({ parseMode: 'Plain' })).toEqual([
      'LONG 0.5 BTCUSDT on binance (paper): Submitted',
      'LONG 0.5 BTCUSDT on binance (paper): PartiallyFilled 0.5 at 99.5',
      'LONG 0.5 BTCUSDT on binance (paper): Canceled 0.5 at 99.5',
    ]);
  });

  test('with a text of their own leave once, at the first outcome', async () => {
    expect(await walk({ parseMode: 'HTML', message: 'mine' })).toHaveLength(1);
  });

  test('carry the reason and the number they were stored under', async () => {
    const { run } = open({ notify: { parseMode: 'Plain' } });
    const settled = await run.write('rejected', { kind: 'rejected' }, { error: 'too small' });
    expect(settled.message).toMatchObject({ id: 1, seq: 9, attempts: 0 });
    expect(settled.message?.message.summary).toBe('LONG 0.5 BTCUSDT on binance (paper): Rejected. too small');
  });
});
