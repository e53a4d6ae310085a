// close and flatten: what they ask the gateway for, how they tell what became of each position, and that flatten asks first.

import { describe, expect, it } from 'vitest';
import { ok, run } from '../testing/fake-host.ts';

const CLOSED = {
  key: 'binance:BTCUSDT:LONG',
  requestId: 'r-1',
  success: true,
  status: 'Filled',
  executedQty: 0.5,
  price: 68000,
  orderId: 'o',
  queued: false,
  error: null,
  code: null,
};
const MISSING = {
  ...CLOSED,
  key: 'binance:ETHUSDT:LONG',
  requestId: null,
  success: false,
  status: null,
  error: 'there is no open position',
  code: 'POSITION_NOT_FOUND',
};

describe('close', () => {
  it('closes the named positions', async () => {
    const { code, out, calls } = await run(['close', 'binance:BTCUSDT:LONG', 'bybit:ETHUSDT:SHORT'], ok([CLOSED]));
    expect(code).toBe(0);
    expect(calls).toEqual([
      {
        method: 'POST',
        path: '/positions/close',
        body: { positions: ['binance:BTCUSDT:LONG', 'bybit:ETHUSDT:SHORT'] },
      },
    ]);
    expect(out).toBe('binance:BTCUSDT:LONG Filled: 0.5 at 68000.\n  its story: signalbox trades r-1');
  });

  it.each([
    ['live', 'LIVE'],
    ['testnet', 'testnet'],
  ])('names the account and whose money it was: %s', async (mode, shown) => {
    const closed = { ...CLOSED, ...{ exchange: 'binance', account: 'main', mode } };
    const words = `binance:BTCUSDT:LONG on binance:main (${shown}) Filled: 0.5 at 68000.`;
    expect((await run(['close', 'binance:BTCUSDT:LONG'], ok([closed]))).out).toContain(words);
    expect((await run(['flatten', '--yes'], ok([closed]))).out).toContain(words);
    const body = { success: true, result: { active: true, scope: 'all', flatten: true }, closed: [closed] };
    const thrown = await run(['kill-switch', 'on', '--flatten'], { answer: { status: 200, body } });
    expect(thrown.out).toContain(words);
  });

  it('closes a share', async () => {
    const { calls } = await run(['close', 'binance:BTCUSDT:LONG', '--share', '0.5'], ok([CLOSED]));
    expect(calls[0]?.body).toEqual({ positions: ['binance:BTCUSDT:LONG'], share: 0.5 });
  });

  it('fails where one of them could not be closed, and says which and why', async () => {
    const { code, out, err } = await run(
      ['close', 'binance:BTCUSDT:LONG', 'binance:ETHUSDT:LONG'],
      ok([CLOSED, MISSING]),
    );
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('binance:BTCUSDT:LONG Filled: 0.5 at 68000.');
    expect(err).toContain('binance:ETHUSDT:LONG not closed: there is no open position');
  });

  it('tells of one that waits', async () => {
    const waiting = { ...CLOSED, status: 'Enqueued', queued: true, executedQty: 0, price: 0 };
    const { code, out } = await run(['close', 'binance:BTCUSDT:LONG'], ok([waiting]));
    expect([code, out]).toEqual([
      0,
      'binance:BTCUSDT:LONG Enqueued: waits for its venue and goes on by itself.\n  its story: signalbox trades r-1',
    ]);
  });

  it.each(['0', '1.01', '50%', '-0.5', 'half'])('--share=%s is no share', async (share) => {
    const { code, calls } = await run(['close', 'binance:BTCUSDT:LONG', `--share=${share}`]);
    expect([code, calls]).toEqual([2, []]);
  });

  it('without a position says where they are listed', async () => {
    const { code, err, calls } = await run(['close']);
    expect([code, calls]).toEqual([2, []]);
    expect(err).toContain('signalbox positions');
  });
});

describe('flatten', () => {
  it.each(['yes\n', 'YES', ' y \n'])('asks, and closes everything after %j', async (input) => {
    const { code, err, calls } = await run(['flatten'], { ...ok([CLOSED]), input });
    expect([code, calls.map(({ body }) => body)]).toEqual([0, [{ all: true }]]);
    expect(err).toContain('Really close every open position at market?');
  });

  it.each(['no\n', '', '\n', 'yess', 'yes please'])('does nothing after %j', async (input) => {
    const { code, out, err, calls, connects } = await run(['flatten'], { ...ok([CLOSED]), input });
    expect([code, out, calls, connects]).toEqual([1, '', [], []]);
    expect(err).toContain('Nothing was done.');
  });

  it('does not ask with --yes', async () => {
    const { code, out, err, calls } = await run(['flatten', '--yes'], ok([]));
    expect([code, out, calls.length]).toEqual([0, 'There are no open positions.', 1]);
    expect(err).not.toContain('Really');
  });
});
