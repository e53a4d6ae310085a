// `deployments compare` through the command line's front door: the table, JSON, CSV, the page, and what is refused.

import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ComparedFill, LiveComparison } from '../../library/live-comparison/compared-fill.ts';
import { run as cli, type Given, ok } from '../testing/fake-host.ts';

const HOUR_MS = 3_600_000;
const FROM_MS = Date.UTC(2026, 0, 1);
const FILLED: ComparedFill = {
  ...{ verdict: 'filled', reason: null, barTimeMs: FROM_MS + HOUR_MS, orderId: 'L', keyLabel: 'mine' },
  expected: { side: 'buy', quantity: 2, price: 101 },
  told: { side: 'buy', quantity: 2, price: 101, atMs: FROM_MS + HOUR_MS + 900 },
  trade: { requestId: 'r1', status: 'Filled', account: 'binance:main' },
  live: { side: 'buy', quantity: 2, price: 101.5, atMs: FROM_MS + HOUR_MS + 1500, fee: 0.1 },
  ...{ delayMs: 1500, slippage: 0.5, slippageMoney: 1 },
};
const EVIL = '=HYPERLINK("x"),<script>alert(1)</script>';
const MISSING: ComparedFill = {
  ...{
    verdict: 'missing',
    reason: 'it was never told',
    barTimeMs: FROM_MS + 3 * HOUR_MS,
    orderId: EVIL,
    keyLabel: null,
  },
  expected: { side: 'sell', quantity: 2, price: 103 },
  ...{ told: null, trade: null, live: null, delayMs: null, slippage: null, slippageMoney: null },
};
const COMPARISON: LiveComparison = {
  ...{ deploymentId: 'd1', name: 'My <b>', symbol: 'BTCUSDT', interval: '1h', mode: 'trade' },
  ...{ fromMs: FROM_MS, toMs: FROM_MS + 5 * HOUR_MS, fills: [FILLED, MISSING] },
  totals: {
    ...{ verdicts: { filled: 1, missing: 1 }, slippageMoney: 1, fees: 0.1, meanDelayMs: 1500 },
    ...{ backtestProfit: 4, liveProfit: 1.25 },
  },
};
const BARS = Array.from({ length: 30 }, (_, place) => {
  const open = 90 + place;
  return {
    time: FROM_MS + (place - 24) * HOUR_MS,
    open,
    high: open + 1,
    low: open - 1,
    close: open,
    volume: 1,
    closed: true,
  };
});

let folder: string;
const at = (name: string): string => join(folder, name);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-compare-'));
});

const given: Given = {
  route: async (path) => ({
    status: 200,
    body: { success: true, result: path.startsWith('/bars') ? { symbol: 'BTCUSDT', bars: BARS } : COMPARISON },
  }),
};

describe('deployments compare', () => {
  it('shows what both made, and each fill with what became of it', async () => {
    const { code, out, calls } = await cli(['deployments', 'compare', 'd1'], ok(COMPARISON));
    expect(code).toBe(0);
    expect(calls.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /admin/deployments/d1/compare']);
    expect(out).toMatch(/^fills +1 filled, 1 missing$/m);
    expect(out).toMatch(/^live +1\.25, -2\.75 to the backtest$/m);
    expect(out).toMatch(/^slippage +1\.00, fees 0\.1, delay 1\.5 s on average$/m);
    expect(out).toMatch(/L +buy +2 +101 +101\.5 +2 +1\.5 s +1\.00 +0\.1 +filled +-$/m);
    expect(out).toMatch(/sell +2 +103 +- .* missing +it was never told$/m);
  });

  it('prints the answer as JSON and nothing else', async () => {
    const { out } = await cli(['deployments', 'compare', 'd1', '--json'], ok(COMPARISON));
    expect(JSON.parse(out).result).toEqual(COMPARISON);
  });

  it('writes every fill as CSV, in which no text can be a formula', async () => {
    const { code, err } = await cli(['deployments', 'compare', 'd1', '--fills', at('fills.csv')], given);
    expect([code, err]).toEqual([0, `${at('fills.csv')} was written.`]);
    const [head, first, second, end] = readFileSync(at('fills.csv'), 'utf8').split('\n');
    expect(head?.split(',')).toHaveLength(20);
    expect(first).toBe(
      `${FROM_MS + HOUR_MS},L,filled,,buy,2,101,${FROM_MS + HOUR_MS + 900},101,mine,r1,Filled,binance:main,${FROM_MS + HOUR_MS + 1500},101.5,2,0.1,1500,0.5,1`,
    );
    expect(second).toContain(`,"'=HYPERLINK(""x""),<script>alert(1)</script>",missing,it was never told,sell,2,103,`);
    expect(end).toBe('');
  });

  it('writes a page with the fills of both on the price, in which no text can be markup', async () => {
    const ran = await cli(['deployments', 'compare', 'd1', '--report', at('page.html')], given);
    expect(ran.code).toBe(0);
    expect(ran.calls[1]?.path).toMatch(
      /^\/bars\?symbol=BTCUSDT&timeframe=1h&limit=26&to=2026-01-01T05%3A00%3A00\.001Z$/,
    );
    const page = readFileSync(at('page.html'), 'utf8');
    expect(page).toContain('<title>My &lt;b&gt;: live over backtest</title>');
    expect(page).not.toContain('<script');
    expect(page).not.toMatch(/NaN|undefined|Infinity|\[object/);
    for (const dots of ['long', 'short', 'live']) expect(page).toMatch(new RegExp(`class="dots ${dots}" d="M[^"]+"`));
    expect(page).toMatch(/class="trade between" d="M[^"]+"/);
    expect(page).toContain('it was never told');
  });

  it('of a deployment that filled nothing yet says so', async () => {
    const empty = { ...COMPARISON, fills: [], totals: { ...COMPARISON.totals, verdicts: {}, meanDelayMs: null } };
    expect((await cli(['deployments', 'compare', 'd1'], ok(empty))).out).toContain(
      'The script has filled nothing yet.',
    );
  });

  it('tells a refusal, and writes nothing', async () => {
    const body = { success: false, requestId: 'r', code: 'DEPLOYMENT_NOT_COMPARABLE', error: 'it is an indicator' };
    const refused: Given = { answer: { status: 422, body } };
    const ran = await cli(['deployments', 'compare', 'd1', '--fills', at('fills.csv')], refused);
    expect(ran).toMatchObject({ code: 1, out: '', err: expect.stringContaining('it is an indicator') });
    expect(existsSync(at('fills.csv'))).toBe(false);
    const asJson = await cli(['deployments', 'compare', 'd1', '--json'], refused);
    expect([asJson.code, JSON.parse(asJson.out)]).toEqual([1, body]);
  });

  it.each([
    [['compare'], 'The id of the deployment is missing'],
    [['compare', 'd1', 'd2'], 'one word too many'],
    [['compare', 'd1', '--fills', ''], 'need the name of a file'],
    [['compare', 'd1', '--fills', 'x', '--report', 'x'], 'name the same file'],
    [['list', '--fills', 'x'], '--fills is for "deployments compare"'],
    [['pause', 'd1', '--report', 'x'], '--report is for "deployments compare"'],
  ])('%j is a wrong command line', async (words, message) => {
    expect(await cli(['deployments', ...words], given)).toMatchObject({
      code: 2,
      err: expect.stringContaining(message),
    });
  });
});
