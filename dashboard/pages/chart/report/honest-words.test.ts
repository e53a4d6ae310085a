// Tests of what must be known of a report.

import { expect, it } from 'vitest';
import { honestWords } from './honest-words.ts';

const HOUR_MS = 3_600_000;
const NOON = new Date(2026, 10, 17, 12).getTime();
const time = Float64Array.from({ length: 50 }, (_, i) => NOON + i * HOUR_MS);
const FACTS = {
  ...{ bars: { count: 50, time }, result: { leftOut: 0, warnings: [] }, trades: 3 },
  ...{ source: 'binance', isReplay: false },
};

it('says which bars there are, and nothing more where there is nothing more', () => {
  expect(honestWords(FACTS)).toEqual({
    ...{ isSimulated: false, warnings: [] },
    bars: '50 closed bars from 2026-11-17 to 2026-11-19 13:00',
  });
});

it('tells simulated prices, a replay, and bars that are left out', () => {
  const words = honestWords({ ...FACTS, source: 'simulated', isReplay: true, result: { leftOut: 40, warnings: [] } });
  expect(words.isSimulated).toBe(true);
  expect(words.bars).toBe('10 closed bars from 2026-11-19 to 2026-11-19 13:00, as far as the replay has come');
  expect(words.warnings).toEqual([expect.stringMatching(/its last 10 bars.*40 before them are left out/)]);
});

it('tells that there were no trades, and what the run itself warns of', () => {
  const place = { line: 1, column: 1, endLine: 1, endColumn: 2 };
  const warning = {
    severity: 'warning',
    code: 'PE404',
    message: 'Not paid.',
    remedy: 'Order less.',
    ...place,
  } as const;
  expect(honestWords({ ...FACTS, trades: 0, result: { leftOut: 0, warnings: [warning] } }).warnings).toEqual([
    expect.stringContaining('no trades'),
    'Not paid. Order less.',
  ]);
});
