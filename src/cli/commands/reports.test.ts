// How trades, signals, refusals, positions and the audit log are shown.

import { describe, expect, it } from 'vitest';
import { ok, run } from '../testing/fake-host.ts';

const AT_MS = Date.UTC(2026, 2, 1, 14, 5, 9);
const AT = '2026-03-01 14:05:09 UTC';

describe('what is shown', () => {
  it('trades with market orders, numbers to the right, and errors', async () => {
    const trade = {
      requestId: 'r-1',
      receivedAt: AT_MS,
      exchange: 'binance',
      action: 'LONG',
      market: 'BTCUSDT',
      quantity: '0.01',
      price: null,
      status: 'Filled',
      executedQty: '0.01',
      averagePrice: '68000',
      realizedPnl: -1.25,
      mode: 'paper',
      source: 'webhook',
      error: null,
    };
    const failed = {
      ...trade,
      source: 'stop-loss',
      requestId: 'r-2',
      price: '5',
      quantity: '100',
      quantityType: 'quote',
      status: 'Rejected',
      executedQty: '0',
      averagePrice: null,
      error: 'too big',
      strategy: 'trend',
    };
    const { out } = await run(['trades'], ok([trade, failed]));
    expect(out.split('\n')).toEqual([
      'received                 exchange  action  market    quantity   price  status    filled  average  realised  mode   source     strategy  request id  error',
      `${AT}  binance   LONG    BTCUSDT       0.01  market  Filled      0.01    68000     -1.25  paper  webhook    -         r-1         -`,
      `${AT}  binance   LONG    BTCUSDT  100 quote       5  Rejected       0        -     -1.25  paper  stop-loss  trend     r-2         too big`,
    ]);
  });

  it('signals in an aligned table, whatever a source is called', async () => {
    const signal = { signal_id: 's-1', timestamp: AT_MS, symbol: 'BTC/USDT', signal_type: 'LONG', source: 'webhook' };
    const { out } = await run(
      ['signals'],
      ok([
        { ...signal, decision: 'accepted' },
        { ...signal, signal_id: 's-2', source: 'a\u001b[31mb', signal_type: 'NOTE', decision: 'stored' },
        { ...signal, signal_id: 's-3', decision: 'KILL_SWITCH_ACTIVE' },
      ]),
    );
    expect(out.split('\n')).toEqual([
      'time                     source   type  symbol    decision            signal id',
      `${AT}  webhook  LONG  BTC/USDT  accepted            s-1`,
      `${AT}  a·[31mb  NOTE  BTC/USDT  stored              s-2`,
      `${AT}  webhook  LONG  BTC/USDT  KILL_SWITCH_ACTIVE  s-3`,
    ]);
  });

  it('signals with the names of alerts where there are any', async () => {
    const { out } = await run(['signals'], ok([{ signal_id: 's-1', alert_id: 'BTC 1' }, { signal_id: 's-2' }]));
    expect(out.split('\n').map((line) => line.trimEnd().split(/ {2,}/).slice(-2))).toEqual([
      ['signal id', 'alert id'],
      ['s-1', 'BTC 1'],
      ['s-2', '-'],
    ]);
  });

  it('decisions on a terminal in their colours: taken, refused, only written down', async () => {
    const rows = ['accepted', 'RATE_LIMITED', 'stored'].map((decision) => ({ decision }));
    const lines = (await run(['signals'], { ...ok(rows), isTty: true })).out.split('\n');
    expect(lines[1]).toContain('\u001b[32maccepted');
    expect(lines[2]).toContain('\u001b[31mRATE_LIMITED');
    expect(lines[3]).toMatch(/ {2}stored/);
  });

  it('the story of one trade with its events', async () => {
    const { out } = await run(
      ['trades', 'r-1'],
      ok({
        requestId: 'r-1',
        receivedAt: AT_MS,
        mode: 'live',
        status: 'Filled',
        orders: [],
        fills: [{ price: '1', quantity: '2' }],
        events: [{ at: AT_MS, kind: 'accepted', detail: { lane: 1 } }],
      }),
    );
    expect(out).toBe(
      `requestId   r-1\nreceivedAt  ${AT}\nmode        LIVE\nstatus      Filled\n\nfills\nprice  quantity\n1      2\n\nevents\nat                       kind      detail\n${AT}  accepted  {"lane":1}`,
    );
  });

  it('positions say that prices are simulated', async () => {
    const { out } = await run(
      ['positions'],
      ok([
        {
          exchange: 'mexc',
          market: 'ETHUSDT',
          side: 'SHORT',
          quantity: '2',
          entryPrice: '1',
          markPrice: '1',
          unrealizedPnl: '-0.5',
          realizedPnl: '0',
          mode: 'paper',
          prices: 'simulated',
        },
      ]),
    );
    expect(out).toContain('paper  simulated');
  });

  it('positions with their leverage, margin and stops', async () => {
    const asked = { percent: 2 };
    const protections = [
      { strategy: null, status: 'active', stopLoss: { price: 900, asked }, trail: { asked, stopPrice: 980 } },
      {
        ...{
          strategy: 'trend',
          status: 'waiting',
          trail: { asked, activationPrice: 1100 },
          closesAt: 1_794_852_000_000,
        },
        ...{ targets: [{ price: 1200, asked: { price: 1200 }, share: 0.5, isHit: false }], breakEvenAfter: 1 },
      },
    ];
    const rows = [
      { market: 'ETHUSDT', leverage: 5, margin: 200.5, liquidationPrice: 812.4, protections },
      { market: 'SOLUSDT', leverage: null, margin: null, protections: [] },
    ];
    const { out } = await run(['positions'], ok(rows));
    expect(out).toMatch(/ETHUSDT .* 5 +200\.5 +812\.4 +loss 900 \(2%\), trails 2%, now 980; /);
    expect(out).toContain(
      'trend: trails 2% from 1100 on, target 1200 closes 0.5, break-even after target 1, closes 2026-11-16T18:00:00Z (waiting)',
    );
    expect(out).toMatch(/SOLUSDT( +-)+/);
  });

  it('accounts with what they are worth and have earned', async () => {
    const row = {
      exchange: 'binance',
      account: 'scalp',
      mode: 'paper',
      equity: 990.5,
      balance: 1000,
      freeMargin: 790.5,
    };
    const { out, calls } = await run(
      ['account', '--exchange', 'binance', '--account', 'scalp'],
      ok([
        {
          ...row,
          usedMargin: 200,
          unrealizedPnl: -9.5,
          realizedToday: 1,
          feesToday: 2,
          realizedTotal: 3,
          feesTotal: 4,
          fundingTotal: -0.7,
        },
      ]),
    );
    expect(calls[0]?.path).toBe('/account?exchange=binance&account=scalp');
    expect(out).toMatch(/binance:scalp +paper +990\.5 +1000 +790\.5 +200 +-9\.5 +1 +2 +3 +4 +-0\.7 +- +-/);
    expect((await run(['account'], ok([]))).calls[0]?.path).toBe('/account');
  });

  it('performance with a total of each mode below the groups, and times in their largest units', async () => {
    const numbers = {
      trades: 3,
      winRate: 0.6667,
      profitFactor: 1.5,
      pnl: -2,
      fees: 1,
      funding: -0.5,
      net: -3.5,
      expectancy: -1,
      maxDrawdown: 4,
    };
    const groups = [
      { group: 'trend', mode: 'live', ...numbers, averageHoldingSeconds: 93_600 },
      { group: null, mode: 'paper', ...numbers, winRate: null, averageHoldingSeconds: null },
      { group: 'range', mode: 'paper', ...numbers, averageHoldingSeconds: 0 },
    ];
    const totals = [
      { mode: 'live', ...numbers, averageHoldingSeconds: 65 },
      { mode: 'paper', ...numbers, averageHoldingSeconds: 5 },
    ];
    const flags = ['--by', 'strategy', '--from', '2026-11-01', '--to', '2026-11-08', '--exchange', 'binance'];
    const { out, calls } = await run(
      ['performance', ...flags, '--account', 'main', '--mode', 'live'],
      ok({ by: 'strategy', total: null, totals, groups }),
    );
    expect(calls[0]?.path).toBe(
      '/performance?by=strategy&from=2026-11-01&to=2026-11-08&exchange=binance&account=main&mode=live',
    );
    const lines = out.split('\n');
    expect(lines[0]).toMatch(
      /^strategy +mode +trades +won +factor +P&L +fees +funding +net +per trade +drawdown +held/,
    );
    expect(lines[1]).toMatch(/^trend +LIVE +3 +66\.7 % +1\.5 +-2 +1 +-0\.5 +-3\.5 +-1 +4 +1d 2h$/);
    expect(lines[2]).toMatch(/^- +paper +3 +- .* -$/);
    expect(lines[3]).toMatch(/^range .* 0s$/);
    expect(lines[4]).toMatch(/^in all +LIVE .* 1m 5s$/);
    expect(lines[5]).toMatch(/^in all +paper .* 5s$/);
    const nothing = await run(['performance'], ok({ by: 'day', total: null, totals, groups: [] }));
    expect(nothing.out).toBe('Nothing was traded in that time.');
  });

  it('real accounts beside their paper twins, with the parts that are not nothing', async () => {
    const parts = { delay: -6.1, spread: 0, fees: -3.6, other: 0 };
    const row = { exchange: 'binance', account: 'main', mode: 'live', trades: 12 };
    const flags = ['--strategy', 'trend', '--from', '2026-11-01', '--account', 'main'];
    const { out, calls } = await run(
      ['performance', '--twin', ...flags],
      ok([
        { ...row, result: { live: 84.2, twin: 93.9, gap: -9.7, parts }, warnings: ['BTCUSDT: by hand'] },
        { ...row, account: 'scalp', result: null, warnings: [] },
      ]),
    );
    expect(calls[0]?.path).toBe('/performance/twin?strategy=trend&from=2026-11-01&account=main');
    const lines = out.split('\n');
    expect(lines[0]).toMatch(/^exchange +mode +trades +real +paper +gap +delay +fees$/);
    expect(lines[1]).toMatch(/^binance +LIVE +12 +84\.2 +93\.9 +-9\.7 +-6\.1 +-3\.6$/);
    expect(lines[2]).toMatch(/^binance:scalp +LIVE +12( +-){5}$/);
    expect(lines.slice(3)).toEqual(['BTCUSDT: by hand']);
    expect((await run(['performance', '--twin'], ok([]))).out).toContain('PAPER_TWIN=yes');
    expect((await run(['performance', '--twin', '--by', 'day'], ok([]))).calls).toEqual([]);
    expect((await run(['performance', '--twin', '--mode', 'live'], ok([]))).calls).toEqual([]);
    expect((await run(['performance', '--strategy', 'trend'], ok([]))).calls).toEqual([]);
  });

  it('small amounts in digits, as venues write them', async () => {
    const { out } = await run(
      ['positions'],
      ok([{ market: 'PEPEUSDT', entryPrice: 4e-7, fees: 1.25e-9, realizedPnl: -3e-8 }]),
    );
    expect(out).toContain('0.0000004');
    expect(out).toContain('-0.00000003');
    expect(out).not.toMatch(/\de-/);
  });

  it('the audit log with both values, cut when long', async () => {
    const { out } = await run(
      ['audit'],
      ok([{ at: AT_MS, actor: 'cli', setting: 'allowlist', before: { entries: [] }, after: 'x'.repeat(200) }]),
    );
    expect(out).toContain(`${AT}  cli    allowlist  {"entries":[]}  ${'x'.repeat(79)}…`);
  });
});

describe('deployments pause and remove', () => {
  const left = { name: 'Cross', symbol: 'BTCUSDT', interval: '1h', note: 'It still holds long 2 BTCUSDT.' };

  it('say what is still held, and nothing where nothing is', async () => {
    const words = 'Cross (BTCUSDT 1h). It still holds long 2 BTCUSDT.';
    expect((await run(['deployments', 'pause', 'd-1'], ok(left))).out).toContain(`Paused ${words}`);
    expect((await run(['deployments', 'remove', 'd-1', '--keep'], ok(left))).out).toContain(`Removed ${words}`);
    const { out } = await run(['deployments', 'remove', 'd-1'], ok({ ...left, note: null }));
    expect(out.trim()).toBe('Removed Cross (BTCUSDT 1h).');
  });

  it('--keep is for remove alone', async () => {
    expect((await run(['deployments', 'pause', 'd-1', '--keep'], ok(left))).err).toContain(
      'is for "deployments remove"',
    );
  });
});

describe('deployments opinions', () => {
  it('shows the text to paste as it is, counts, and what became of each alert', async () => {
    const message = '{\n  "alertId": "d/{{strategy.order.id}}"\n}';
    const alert = { path: '/webhook/tradingview', message, note: 'Paste it.' };
    const late = {
      barTime: AT_MS,
      alertId: 'd/L',
      state: 'late',
      words: 'It came 20 s late.',
      sent: 'sent by us as r-1',
    };
    const { out } = await run(['deployments', 'opinions', 'd-1'], ok({ alert, counts: { late: 1 }, opinions: [late] }));
    expect(out).toContain(`Paste it.\nWebhook: /webhook/tradingview\n\n${message}\n\nlate 1\n`);
    expect(out).toMatch(/d\/L +late +It came 20 s late\. +sent by us as r-1/);
  });

  it('says so where there is none, and where nothing was expected yet', async () => {
    const none = { alert: null, counts: {}, opinions: [] };
    expect((await run(['deployments', 'opinions', 'd-1'], ok(none))).out).toContain('It has no second opinion');
    const quiet = { ...none, alert: { path: '/webhook', message: null, note: 'In the script.' } };
    expect((await run(['deployments', 'opinions', 'd-1'], ok(quiet))).out).toContain('Nothing was expected yet.');
  });
});

/** Longer than any cell. */
const REASON = `${'an order of 93.6798 USDT is below the minimum of 100 USDT on BTCUSDT; '.repeat(2)}raise the quantity`;

describe('a sentence is whole, because its last words are the remedy', () => {
  it.each([
    [['trades'], [{ requestId: 'r-1', error: REASON }]],
    [['refusals'], [{ id: 'x-1', code: 'INVALID_PAYLOAD', error: REASON }]],
    [['deployments', 'list'], [{ id: 'd-1', reason: REASON }]],
    [
      ['deployments', 'opinions', 'd-1'],
      {
        alert: { path: '/webhook', message: null, note: 'x' },
        counts: {},
        opinions: [{ alertId: 'a', state: 'missing', words: REASON, sent: null }],
      },
    ],
    [['kill-switch'], { active: true, scope: 'all', reason: REASON }],
    [['trades', 'r-1'], { requestId: 'r-1', error: REASON }],
    [['trades', 'r-1'], { requestId: 'r-1', orders: [{ leg: 'open', reason: REASON }] }],
    [['trades', 'r-1'], { requestId: 'r-1', events: [{ at: AT_MS, kind: 'rejected', detail: REASON }] }],
  ])('%j of %j', async (argv, result) => {
    expect((await run(argv, ok(result))).out).toContain(REASON);
  });
});
