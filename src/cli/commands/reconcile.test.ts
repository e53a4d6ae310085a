// `signalbox reconcile`: what it calls, what it shows, and its exit code.

import { expect, test } from 'vitest';
import { ok, run } from '../testing/fake-host.ts';

const AGREES = {
  ...{ exchange: 'binance', account: 'main', mode: 'live', agrees: true, comparedAt: 1_750_000_000_000, error: null },
  ...{ positions: 1, orders: 2, differences: [], earlier: [] },
};
const DIFFERENCE = { kind: 'position', outcome: 'adopted', market: 'BTCUSDT', detail: 'our books had 0.01' };

test('asks for a comparison, and says for each account that it agrees', async () => {
  const { code, out, calls } = await run(['reconcile'], ok([AGREES]));
  expect([code, calls]).toEqual([0, [{ method: 'POST', path: '/reconciliation', body: {} }]]);
  expect(out).toBe('binance:main (LIVE): agrees (1 position, 2 resting orders)');
});

test('shows what differs, and ends with 1', async () => {
  const differs = { ...AGREES, exchange: 'bybit', agrees: false, differences: [DIFFERENCE] };
  const { code, err } = await run(['reconcile'], ok([AGREES, differs]));
  expect(code).toBe(1);
  expect(err).toContain('binance:main (LIVE): agrees');
  expect(err).toMatch(/bybit:main \(LIVE\): differs[\s\S]*position +BTCUSDT +adopted +our books had 0.01/);
});

test('shows what was found before, beside an account that agrees now', async () => {
  const { code, out } = await run(
    ['reconcile'],
    ok([{ ...AGREES, earlier: [{ ...DIFFERENCE, at: 1_750_000_000_000 }] }]),
  );
  expect(code).toBe(0);
  expect(out).toMatch(/agrees[\s\S]*Earlier, since the start:[\s\S]*2025-06-15[\s\S]*our books had 0.01/);
});

test('an account that could not be compared is no success', async () => {
  const { code, err } = await run(
    ['reconcile'],
    ok([{ ...AGREES, agrees: false, error: 'Binance cannot be reached' }]),
  );
  expect(code).toBe(1);
  expect(err).toContain('binance:main (LIVE): could not be compared: Binance cannot be reached');
});

test('on paper there is nothing to compare', async () => {
  const { code, out } = await run(['reconcile'], ok([]));
  expect([code, out]).toEqual([0, 'Every account is on paper, where nobody else can trade: nothing to compare.']);
});
