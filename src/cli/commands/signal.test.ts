// `signalbox signal`: what it sends, and how it tells what became of the signal.

import { describe, expect, it } from 'vitest';
import { run } from '../testing/fake-host.ts';

const KEY_ENV = { SIGNALBOX_WEBHOOK_KEY: 'whk_env' };
const SIGNAL = ['signal', '--exchange', 'binance', '--action', 'LONG', '--symbol', 'BTCUSDT', '--quantity', '0.01'];

it('a signal carries numbers as numbers and the key from the flag or the environment', async () => {
  const more = ['--price', '68000.5', '--leverage', '5', '--idempotency-key', 'uuid', '--key', 'whk_flag'];
  const base = { exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 };
  const send = async (...argv: string[]) => (await run([...SIGNAL, ...argv], { env: KEY_ENV })).calls;
  expect(await send()).toEqual([{ method: 'POST', path: '/webhook', body: { apiKey: 'whk_env', ...base } }]);
  expect(await send(...more)).toMatchObject([
    { body: { apiKey: 'whk_flag', ...base, price: 68000.5, leverage: 5, idempotencyKey: 'uuid' } },
  ]);
  const terms = ['--price', '1', '--time-in-force', 'gtc', '--post-only', '--cancel-after', '300'];
  expect(await send(...terms)).toMatchObject([
    { body: { ...base, price: 1, timeInForce: 'GTC', postOnly: true, cancelAfterSeconds: 300 } },
  ]);
  expect(await send('--quantity-type', 'risk_percent', '--stop-loss', '60000')).toMatchObject([
    { body: { ...base, quantityType: 'risk_percent', stopLoss: { price: 60000 } } },
  ]);
  const levels = [
    '--stop-loss',
    '2%',
    '--take-profit',
    '40 ticks',
    '--trail',
    '1.5%',
    '--activation',
    '70000',
    '--max-hold',
    '60',
  ];
  expect(await send(...levels)).toMatchObject([
    {
      body: {
        ...{ ...base, stopLoss: { percent: 2 }, takeProfit: { ticks: 40 } },
        ...{ trail: { percent: 1.5 }, activationPrice: 70000, maxHoldSeconds: 60 },
      },
    },
  ]);
  expect(await send('--targets', '2%:0.5,70000:0.5', '--break-even-after', '1')).toMatchObject([
    {
      body: {
        ...base,
        targets: [
          { percent: 2, share: 0.5 },
          { price: 70000, share: 0.5 },
        ],
        breakEvenAfter: 1,
      },
    },
  ]);
  expect(await send('--alert-id', 'BTC-1')).toMatchObject([{ body: { ...base, alertId: 'BTC-1' } }]);
  const words = { strategy: 'trend', comment: 'first' };
  expect(await send('--strategy', 'trend', '--comment', 'first')).toMatchObject([{ body: { ...base, ...words } }]);
});

describe('what became of a signal', () => {
  it('is told for each account that its key routes to', async () => {
    const main = { exchange: 'binance', account: 'main', status: 'Filled', executedQty: 4, price: 100, error: null };
    const scalp = { ...main, account: 'scalp', status: 'Rejected', executedQty: 0, error: 'no margin' };
    const { out } = await send(200, { tradeResult: main, tradeResults: [main, scalp] });
    expect(out).toContain('  binance:main Filled: 4 at 100\n  binance:scalp Rejected: no margin\n');
  });

  const send = (status: number, body: object) =>
    run(SIGNAL, { env: KEY_ENV, answer: { status, body: { success: true, requestId: 'r-1', ...body } } });

  it('a signal tells the leverage in force and every warning', async () => {
    const warnings = ['leverage 1000 is more than BTCUSDT allows: 125 is in force', 'the field "foo" is not known'];
    const tradeResult = { status: 'Filled', executedQty: '0.01', price: '94129.4', orderId: 'o-1', leverage: 125 };
    const answer = { status: 200, body: { success: true, requestId: 'r-1', warnings, tradeResult } };
    expect((await run(SIGNAL, { answer, env: KEY_ENV })).out.split('\n')).toEqual([
      'Filled: 0.01 at 94129.4, leverage 125.',
      'Warning: leverage 1000 is more than BTCUSDT allows: 125 is in force',
      'Warning: the field "foo" is not known',
      'Order o-1.',
      'Its story: signalbox trades r-1',
    ]);
  });

  it('a signal tells the resting orders that were canceled because of it, on every account', async () => {
    const filled = { exchange: 'binance', account: 'main', status: 'Filled', executedQty: 4, price: 100, error: null };
    const one = await send(200, { tradeResult: { ...filled, canceled: ['sbx1'] } });
    expect(one.out).toContain('\nCanceled a resting order because of it: sbx1.\n');
    const main = { ...filled, canceled: ['sbx1'] };
    const scalp = { ...filled, account: 'scalp', canceled: ['sbx2', 'sbx3'] };
    const both = await send(200, { tradeResult: main, tradeResults: [main, scalp, { ...filled, account: 'c' }] });
    expect(both.out).toContain('\nCanceled 3 resting orders because of it: sbx1, sbx2, sbx3.\n');
    expect((await send(200, { tradeResult: filled })).out).not.toContain('Canceled');
  });

  it('a text is not cut, however long it is', async () => {
    const message = `The signal is accepted and safe; GET /trades/01a1df03-6a51-7b0c-8f0e-51c1d2f0a9d4 tells the rest.`;
    const answer = { status: 202, body: { success: true, requestId: 'r-1', status: 'Enqueued', message } };
    expect((await run(SIGNAL, { answer, env: KEY_ENV })).out).toContain(`Enqueued: ${message}`);
  });

  it.each([
    [
      200,
      { tradeResult: { status: 'Filled', executedQty: 0.01, price: 68000, orderId: 'paper-1', mode: 'paper' } },
      'Filled: 0.01 at 68000.\nOrder paper-1, paper.\nIts story: signalbox trades r-1',
    ],
    [
      200,
      { tradeResult: { status: 'PartiallyFilled', executedQty: 1, price: 2 } },
      'PartiallyFilled: 1 at 2 so far; the rest is still open.',
    ],
    [
      200,
      { tradeResult: { status: 'Submitted', orderId: 'x' } },
      'Submitted: the venue has the order; nothing is filled yet.',
    ],
    [
      200,
      { tradeResult: { status: 'Enqueued', queued: true } },
      'the signal is safe in the queue and tried again until it expires',
    ],
    [202, { status: 'Enqueued', message: 'Accepted for execution.' }, 'Enqueued: Accepted for execution.'],
    [
      200,
      { tradeResult: { status: 'Canceled', executedQty: 0, price: null } },
      'Canceled: the order was canceled; filled 0 at -.',
    ],
    [200, { tradeResult: { status: 'Expired' } }, 'Expired: it was too old to trade'],
    [
      200,
      { tradeResult: { status: 'Unknown' } },
      'Unknown: the venue has not confirmed the order. Do not send it again',
    ],
    [200, { tradeResult: null }, '-: see the story of the trade.'],
  ])('%i %j is told in words', async (status, body, text) => {
    const ran = await send(status, body);
    expect(ran.code).toBe(0);
    expect(ran.out).toContain(text);
  });

  it('a refusal by the venue exits 1 with its reason', async () => {
    const ran = await send(422, {
      success: false,
      error: 'below the minimum of 0.001',
      code: 'ORDER_REJECTED',
      tradeResult: { status: 'Rejected' },
    });
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toContain('Refused (422 ORDER_REJECTED): below the minimum of 0.001');
  });

  it('the key is never shown', async () => {
    for (const ran of [
      await send(200, { tradeResult: { status: 'Filled' } }),
      await send(403, { success: false, error: 'Unknown key.' }),
    ])
      expect(ran.out + ran.err).not.toContain('whk_env');
  });
});
