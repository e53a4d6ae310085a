// stops: what it asks the gateway for in each form, and how it shows what guards a position.

import { describe, expect, it } from 'vitest';
import { ok, run } from '../testing/fake-host.ts';

const GUARD = {
  ...{ key: 'binance:BTCUSDT:LONG', exchange: 'binance', account: 'main', symbol: 'BTCUSDT', side: 'LONG' },
  ...{ strategy: 'trend', status: 'active', takeProfit: null, trail: null, breakEvenAfter: 1, maxHoldSeconds: 3600 },
  stopLoss: { price: 49000, asked: { percent: 2 }, isBreakEven: false },
  targets: [
    { price: 50500, asked: { price: 50500 }, share: 0.5, isHit: true },
    { price: 51000, asked: { ticks: 100 }, share: 0.5, isHit: false },
  ],
  closesAt: 1_763_300_000_000,
};
const KEY = 'binance:BTCUSDT:LONG';
const PATH = '/positions/binance%3ABTCUSDT%3ALONG/protection';

describe('stops', () => {
  it('lists what guards positions', async () => {
    const { code, out, calls } = await run(['stops'], ok([GUARD, { ...GUARD, strategy: null, closesAt: null }]));
    expect([code, calls]).toEqual([0, [{ method: 'GET', path: '/protections' }]]);
    expect(out).toContain('loss 49000 (2%), target 50500 closed 0.5, target 51000 (100 ticks) closes 0.5');
    expect(out).toContain('break-even after target 1, closes 2025-11-16T13:33:20Z');
    expect(out).toContain('closes 3600 s after its fill');
  });

  it('says which of them stand at the exchange, where that keeps stops', async () => {
    const atVenue = [{ id: 'sbx1s', kind: 'stop', price: 49000, quantity: 1, isKnown: true }];
    const { out } = await run(['stops'], ok([{ ...GUARD, atVenue }, { ...GUARD, atVenue: [] }, GUARD]));
    const [, first, second, third] = out.split('\n');
    expect(first).toMatch(/, at the exchange: stop 49000 +-$/);
    expect(second).toMatch(/, guarded by Signalbox alone +-$/);
    expect(third).not.toMatch(/exchange:|alone/);
  });

  it('says of a stop that its exchange has not told of yet that it is not known', async () => {
    const atVenue = [{ id: 'sbx1s', kind: 'stop', price: 49000, quantity: 1, isKnown: false }];
    const { out } = await run(['stops'], ok([{ ...GUARD, atVenue }]));
    expect(out).toContain('at the exchange: stop 49000 (placed, not known yet whether it stands)');
    expect(out).not.toContain('alone');
  });

  it('says that there are none', async () => {
    expect((await run(['stops'], ok([]))).out).toBe('Nothing is guarded: there are no stops.');
  });

  it('says so where no instance runs, with stops and without', async () => {
    const stopped = { running: false };
    expect((await run(['stops'], { ...ok([]), ...stopped })).out).toContain('No instance runs, so Signalbox guards');
    const { out } = await run(['stops'], { ...ok([GUARD]), ...stopped });
    expect(out).toMatch(/^No instance runs, .*only what stands at an exchange acts.*\n/);
    expect(out).toContain('loss 49000 (2%)');
  });

  it('sets what its flags say', async () => {
    const flags = [
      ...['--strategy', 'trend', '--stop-loss', '2%', '--take-profit', '75000', '--trail', '50ticks'],
      ...['--activation', '70000', '--break-even-after', '1', '--max-hold', '3600'],
    ];
    const { code, out, calls } = await run(['stops', 'set', KEY, ...flags], ok(GUARD));
    expect([code, calls]).toEqual([
      0,
      [
        {
          method: 'PUT',
          path: `${PATH}?strategy=trend`,
          body: {
            ...{ stopLoss: { percent: 2 }, takeProfit: { price: 75000 }, trail: { ticks: 50 }, activationPrice: 70000 },
            ...{ breakEvenAfter: 1, maxHoldSeconds: 3600 },
          },
        },
      ],
    ]);
    expect(out).toMatch(/^binance:BTCUSDT:LONG active: loss 49000 \(2%\)/);
  });

  it('sets targets', async () => {
    const { calls } = await run(['stops', 'set', KEY, '--targets', '2%:0.5, 51000:0.25'], ok(GUARD));
    expect(calls[0]?.body).toEqual({
      targets: [
        { percent: 2, share: 0.5 },
        { price: 51000, share: 0.25 },
      ],
    });
  });

  it('moves the stop loss', async () => {
    const { calls } = await run(['stops', 'move', KEY, '61000'], ok(GUARD));
    expect(calls).toEqual([{ method: 'PUT', path: PATH, body: { stopLoss: { price: 61000 } } }]);
  });

  it('removes parts, or everything', async () => {
    const parts = await run(['stops', 'remove', KEY, 'take-profit', 'break-even', 'max-hold'], ok(null));
    expect(parts.calls).toEqual([
      { method: 'PUT', path: PATH, body: { takeProfit: null, breakEvenAfter: null, maxHoldSeconds: null } },
    ]);
    expect(parts.out).toBe('Nothing guards binance:BTCUSDT:LONG any more.');
    const waiting = await run(['stops', 'remove', KEY], {
      answer: { status: 200, body: { success: true, result: GUARD, waitingEntries: 2 } },
    });
    expect(waiting.out).toBe(
      `Nothing guards ${KEY} any more. It is taken from the 2 entries that wait for their fill too.`,
    );
    const all = await run(['stops', 'remove', KEY], ok(GUARD));
    expect(all.calls).toEqual([{ method: 'DELETE', path: PATH }]);
  });

  it.each([
    [['stops', 'see'], 'verb'],
    [['stops', '--stop-loss', '2%'], 'stops set <key>'],
    [['stops', 'set'], 'Name the position'],
    [['stops', 'set', KEY], 'Say what to set'],
    [['stops', 'set', KEY, '--stop-loss', '2 percent'], '--stop-loss'],
    [['stops', 'set', KEY, '--targets', '2%'], '2%:0.5'],
    [['stops', 'move', KEY], 'Say where'],
    [['stops', 'move', KEY, 'up'], 'no level'],
    [['stops', 'remove', KEY, 'loss'], 'stop-loss'],
  ])('%j is a wrong line', async (line, words) => {
    const { code, err, calls } = await run(line as string[]);
    expect([code, calls]).toEqual([2, []]);
    expect(err).toContain(words);
  });
});
