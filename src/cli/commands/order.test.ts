// `signalbox order`: shows what the order would do, asks, and sends it; `--dry-run` only shows, `--yes` only sends.

import { describe, expect, it } from 'vitest';
import { run } from '../testing/fake-host.ts';

const ORDER = ['order', '--exchange', 'binance', '--action', 'LONG', '--symbol', 'BTCUSDT', '--quantity', '0.01'];
const BASE = { exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 };
const ACCOUNT = {
  ...{ exchange: 'binance', account: 'main', mode: 'live', market: 'BTCUSDT', outcome: 'would_trade' },
  orders: [
    { leg: 'flatten', side: 'BUY', positionSide: 'SHORT', quantity: 0.03, price: null },
    { leg: 'open', side: 'BUY', positionSide: 'LONG', quantity: 0.01, price: null },
  ],
  ...{ notional: 680, price: 68000, leverage: 5, cancels: ['sbx1'], warnings: ['quantity: was cut'] },
  ...{ leverageInForce: 5, margin: 136, fee: 1.3611, cautions: ['The order is large.'] },
  risk: { loss: 13.6, percentOfEquity: 0.136, stopDistancePercent: 2 },
  protection: {
    stopLoss: 66640,
    takeProfit: null,
    targets: [{ price: 70000, share: 0.5 }],
    trailPercent: 2,
    trailAmount: null,
  },
};
const FORESEEN = { outcome: 'would_trade', code: null, error: null, accounts: [ACCOUNT], warnings: [] };
const REFUSED = { outcome: 'would_refuse', code: 'LIMIT_LEVERAGE', error: 'too high', accounts: [], warnings: [] };
const TRADED = {
  ...{ success: true, requestId: 'r-1' },
  tradeResult: { status: 'Filled', executedQty: 0.01, price: 68000, orderId: 'o-1', mode: 'live', account: 'main' },
};

/** The first answer is that of the dry run, unless it is left out. */
function answering(
  foreseen: object | undefined,
  sent: { status: number; body: object } = { status: 200, body: TRADED },
) {
  const answers = [
    ...(foreseen ? [{ status: 200, body: { success: true, requestId: 'r-0', result: foreseen } }] : []),
    sent,
  ];
  return { route: async () => answers.shift() as { status: number; body: object } };
}

describe('an order', () => {
  it('is shown first, and sent after a yes', async () => {
    const { code, out, err, calls } = await run(ORDER, { ...answering(FORESEEN), input: 'yes\n' });
    expect(code).toBe(0);
    expect(calls).toEqual([
      { method: 'POST', path: '/orders', body: { ...BASE, dryRun: true } },
      { method: 'POST', path: '/orders', body: BASE },
    ]);
    expect(err.split('\n').slice(0, 13)).toEqual([
      'LIVE binance:main BUY 0.03 BTCUSDT at market, about 68000 first, which closes the SHORT that is held',
      'LIVE binance:main BUY 0.01 BTCUSDT at market, about 68000',
      'Worth about 680 USDT.',
      'Leverage 5.',
      'Binds about 136 USDT at 5x.',
      'Fee about 1.36 USDT.',
      'Stop loss at 66640.',
      'Target at 70000, of 0.5.',
      'Trailing stop 2% behind the best price.',
      'Loses about 13.6 USDT at its stop, 0.14 % of the account.',
      'Canceled first: sbx1.',
      'Warning: quantity: was cut',
      'Caution: The order is large.',
    ]);
    expect(err).toContain('Send it? Type yes:');
    expect(out).toContain('Filled: 0.01 at 68000');
  });

  it.each([['no'], ['']])('is not sent after %j', async (typed) => {
    const { code, calls, err } = await run(ORDER, { ...answering(FORESEEN), input: `${typed}\n` });
    expect([code, calls.length]).toEqual([1, 1]);
    expect(err).toContain('Nothing was done');
  });

  it('that would be refused, or would wait, is not asked about', async () => {
    const refused = await run(ORDER, { ...answering(REFUSED), input: 'yes\n' });
    expect([refused.code, refused.calls.length]).toEqual([1, 1]);
    expect(refused.err).toContain('It would be refused (LIMIT_LEVERAGE): too high\nNothing was sent.');
    const waits = { ...REFUSED, outcome: 'would_wait', code: null, error: 'binance is away' };
    const waiting = await run(ORDER, { ...answering(waits), input: 'yes\n' });
    expect([waiting.code, waiting.calls.length]).toEqual([1, 1]);
    expect(waiting.err).toContain('It would wait: binance is away');
  });

  it('is sent at once with --yes', async () => {
    const { code, calls } = await run([...ORDER, '--yes'], answering(undefined));
    expect([code, calls]).toEqual([0, [{ method: 'POST', path: '/orders', body: BASE }]]);
  });

  it('that is refused after all ends with 1', async () => {
    const body = { success: false, requestId: 'r', error: 'no margin', code: 'ORDER_REJECTED' };
    const { code, err } = await run([...ORDER, '--yes'], answering(undefined, { status: 422, body }));
    expect(code).toBe(1);
    expect(err).toContain('Refused (422 ORDER_REJECTED): no margin');
  });
});

describe('--dry-run', () => {
  it('only shows, and ends with 0 where it would trade and 1 where it would not', async () => {
    const shown = await run([...ORDER, '--dry-run'], answering(FORESEEN));
    expect([shown.code, shown.calls.length]).toEqual([0, 1]);
    expect(shown.out).toContain('LIVE binance:main BUY 0.01 BTCUSDT');
    const refused = await run([...ORDER, '--dry-run', '--yes'], answering(REFUSED));
    expect([refused.code, refused.calls.length, refused.out]).toEqual([1, 1, '']);
  });

  it('prints the answer and nothing else with --json', async () => {
    const { code, out } = await run([...ORDER, '--dry-run', '--json'], answering(REFUSED));
    expect([code, JSON.parse(out)]).toEqual([1, { success: true, requestId: 'r-0', result: REFUSED }]);
    const sent = await run([...ORDER, '--yes', '--json'], answering(undefined));
    expect([sent.code, JSON.parse(sent.out)]).toEqual([0, TRADED]);
  });
});

it('every flag is passed on', async () => {
  const send = async (...argv: string[]) =>
    (await run([...ORDER, '--yes', ...argv], answering(undefined))).calls[0]?.body;
  const id = '123e4567-e89b-42d3-a456-426614174000';
  expect(await send('--price', '60000', '--leverage', '5', '--account', 'scalp', '--strategy', 'trend')).toEqual({
    ...{ ...BASE, price: 60000, leverage: 5, account: 'scalp', strategy: 'trend' },
  });
  expect(await send('--comment', 'mine', '--idempotency-key', id, '--quantity-type', 'quote')).toEqual({
    ...{ ...BASE, comment: 'mine', idempotencyKey: id, quantityType: 'quote' },
  });
  expect(await send('--price', '1', '--time-in-force', 'gtc', '--post-only', '--cancel-after', '300')).toEqual({
    ...{ ...BASE, price: 1, timeInForce: 'GTC', postOnly: true, cancelAfterSeconds: 300 },
  });
  expect(
    await send('--stop-loss', '2%', '--take-profit', '75000', '--trail', '50ticks', '--activation', '70000'),
  ).toEqual({
    ...{
      ...BASE,
      stopLoss: { percent: 2 },
      takeProfit: { price: 75000 },
      trail: { ticks: 50 },
      activationPrice: 70000,
    },
  });
  expect(await send('--targets', '2%:0.5', '--break-even-after', '1', '--max-hold', '3600')).toEqual({
    ...{ ...BASE, targets: [{ percent: 2, share: 0.5 }], breakEvenAfter: 1, maxHoldSeconds: 3600 },
  });
});

it('what is missing is a wrong command line', async () => {
  const { code, err, calls } = await run(['order', '--exchange', 'binance']);
  expect([code, calls]).toEqual([2, []]);
  expect(err).toContain('Missing: --action, --symbol, --quantity.');
  expect((await run([...ORDER, 'more'])).code).toBe(2);
});
