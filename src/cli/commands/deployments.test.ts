// `signalbox deployments`: what it asks the routes for, and how it shows what comes back.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../host.ts';
import { ok, run } from '../testing/fake-host.ts';

const NOW_MS = 1_700_000_000_000;
const MINUTE_MS = 60_000;
const ID = '019a1f0c-8f6e-7d31-b7a4-5f6d1c0a9e21';
const ROW = {
  id: ID,
  userId: '41f04c1e41f04c1e41f04c1e41f04c1e',
  name: 'Trend',
  symbol: 'BTCUSDT',
  interval: '1h',
  state: 'running',
  reason: null,
  targets: ['trade under paper'],
  createdAt: NOW_MS - 90 * MINUTE_MS,
  lastRunAt: NOW_MS - 40_000,
  lastBarTime: NOW_MS - 61 * MINUTE_MS,
  runs: 3,
  alerts: 1,
  scriptId: 'trend',
  revision: 2,
  scriptType: 'strategy',
  inputs: { Length: '20' },
  initialCapital: 10_000,
  mode: 'trade',
  position: 0.5,
  positionSince: NOW_MS - 3 * 60 * MINUTE_MS,
  drift: null,
};

const account = (mode: string | null, name = 'main') => ({ exchange: 'binance', account: name, mode });

describe('deployments list', () => {
  test('shows mode, state, position with its side and age, drift and the last bar', async () => {
    const { out, code } = await run(['deployments', 'list'], ok([ROW]));
    expect(code).toBe(0);
    const [, line = ''] = out.split('\n');
    expect(line.split(/ {2,}/)).toEqual([ID, 'Trend', 'BTCUSDT 1h', 'trade', 'running', 'long 0.5 3h', 'no', '1h ago']);
  });

  test.each([
    [{ position: -2, positionSince: null }, 'short 2'],
    [{ position: 0, positionSince: null }, 'flat'],
    [{ position: null, positionSince: null }, '-'],
    [{ position: 1, positionSince: NOW_MS - 59_999 }, 'long 1 59s'],
    [{ position: 1, positionSince: NOW_MS - MINUTE_MS }, 'long 1 1m'],
    [{ position: 1, positionSince: NOW_MS - 48 * 60 * MINUTE_MS }, 'long 1 2d'],
    // The clock of the other machine may be ahead.
    [{ position: 1, positionSince: NOW_MS + 5000 }, 'long 1 0s'],
  ])('shows the position %j as %s', async (fields, shown) => {
    const { out } = await run(['deployments', 'list'], ok([{ ...ROW, ...fields }]));
    expect(out.split('\n')[1]?.split(/ {2,}/)[5]).toBe(shown);
  });

  test('says drift and errors in whole sentences below the table, which fits into 120 columns', async () => {
    const drift = `The script is long 1, the book is flat. ${'Close or open the difference. '.repeat(5)}`;
    const long = {
      ...ROW,
      ...{ name: 'A strategy with a long name', symbol: 'BINANCE:BTCUSDTPERP', interval: '240m' },
      ...{ position: -12345.678901, drift, reason: 'line 3: division by zero', mode: 'dry-run', state: 'paused' },
    };
    const { out } = await run(['deployments'], ok([ROW, long]));
    const [table = '', notes = ''] = out.split('\n\n');
    expect(Math.max(...table.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120);
    expect(table).toContain('dry run  paused');
    expect(table).toContain('yes');
    expect(notes.split('\n')).toEqual([`${ID} drift: ${drift}`, `${ID} last error: line 3: division by zero`]);
  });

  test('says below where the bars come from: in one line, or by source', async () => {
    const [own, paper] = [
      { ...ROW, barsFrom: 'bybit' },
      { ...ROW, id: 'other', barsFrom: 'simulated' },
    ];
    expect((await run(['deployments'], ok([own]))).out).toMatch(/\n\nBars: bybit\.$/m);
    expect((await run(['deployments'], ok([own, paper]))).out).toContain(
      `Bars of bybit: ${ID}\nBars of simulated: other`,
    );
  });

  test('says in capitals whose money those move that trade, and below on which accounts', async () => {
    const live = { ...ROW, tradesOn: [account('live'), account('paper', 'scalp')] };
    const paper = { ...ROW, id: 'other', tradesOn: [account('paper', 'scalp')] };
    const dry = { ...ROW, id: 'third', mode: 'dry-run', tradesOn: [account('live')] };
    const { out } = await run(['deployments', 'list'], ok([live, paper, { ...live, id: 'fourth' }, dry]));
    expect(out.split('\n').map((line) => line.split(/ {2,}/)[3])).toEqual(
      expect.arrayContaining(['mode', 'LIVE', 'PAPER', 'LIVE', 'dry run']),
    );
    const both = 'LIVE money on binance:main and PAPER money on binance:scalp';
    expect(out).toContain(`Trades ${both}: ${ID}, fourth\nTrades PAPER money on binance:scalp: other\n\n`);
    expect(out).not.toContain('third\n\nBars');
  });

  test('says of one that trades nothing no mode, and how the first is made where there is none', async () => {
    const { out } = await run(['deployments', 'list'], ok([{ ...ROW, targets: ['signals'] }]));
    expect(out.split('\n')[1]).toMatch(/BTCUSDT 1h +- +running/);
    expect((await run(['deployments', 'list'], ok([]))).out).toContain('signalbox deployments create script.pine');
  });
});

describe('deployments show', () => {
  test('tells everything about one', async () => {
    const { out, calls } = await run(
      ['deployments', 'show', ID],
      ok({ ...ROW, drift: 'They differ.', barsFrom: 'bybit testnet' }),
    );
    expect(calls).toEqual([{ method: 'GET', path: `/admin/deployments/${ID}` }]);
    for (const line of [
      /^script +trend, revision 2 \(strategy\)$/m,
      /^inputs +Length = 20$/m,
      /^bars +bybit testnet$/m,
      /^capital +10000$/m,
      /^targets +trade under paper$/m,
      /^position +long 0\.5 since 2023-11-14 19:13:20 UTC$/m,
      /^drift +They differ\.$/m,
      /^user id +41f0/m,
    ])
      expect(out).toMatch(line);
    expect(out).not.toContain('last error');
  });

  test.each([
    [{ tradesOn: [account('live')] }, /^trades +LIVE money on binance:main$/m],
    [{ tradesOn: [account('testnet')], mode: 'dry-run' }, /^would trade +TESTNET money on binance:main$/m],
    [{ tradesOn: [account(null)] }, /^trades +nothing on binance:main, which is not traded as things are set$/m],
  ])('tells whose money %j is', async (fields, line) => {
    expect((await run(['deployments', 'show', ID], ok({ ...ROW, ...fields }))).out).toMatch(line);
  });

  test('needs an id', async () => {
    expect(await run(['deployments', 'show'])).toMatchObject({ code: 2, err: /The id of the deployment is missing/ });
  });
});

describe('deployments log', () => {
  const LINES = [
    { at: NOW_MS, kind: 'delivered', message: 'trade: dry run, not sent: {}' },
    { at: NOW_MS - 1000, kind: 'order', message: 'Order buy @ 1 filled' },
  ];

  test('has the newest line last', async () => {
    const { out, calls } = await run(['deployments', 'log', ID], ok(LINES));
    expect(out.split('\n')).toEqual([
      '2023-11-14 22:13:19 UTC  order      Order buy @ 1 filled',
      '2023-11-14 22:13:20 UTC  delivered  trade: dry run, not sent: {}',
    ]);
    expect(calls[0]?.path).toBe(`/admin/deployments/${ID}/logs?limit=30`);
  });

  test('asks for as many lines as are wanted', async () => {
    const { calls } = await run(['deployments', 'log', ID, '--limit', '100'], ok(LINES));
    expect(calls[0]?.path).toBe(`/admin/deployments/${ID}/logs?limit=100`);
    expect(await run(['deployments', 'log', ID, '--limit', 'all'])).toMatchObject({ code: 2, calls: [] });
  });
});

test.each([
  ['keep', ['deployments', 'list', '--keep'], 'remove'],
  ['limit', ['deployments', 'show', ID, '--limit', '3'], 'log'],
  ['symbol', ['deployments', 'list', '--symbol', 'BTCUSDT'], 'create'],
  ['replaces', ['deployments', 'resume', ID, '--replaces', ID], 'create'],
  ['input', ['deployments', 'list', '--input', 'Length=20'], 'create'],
  ['report', ['deployments', 'list', '--report', 'x.html'], 'compare'],
])('--%s is refused where it means nothing', async (flag, words, owner) => {
  const { code, err, calls } = await run(words);
  expect([code, calls]).toEqual([2, []]);
  expect(err).toContain(`--${flag} is for "deployments ${owner}"; leave it out.`);
});

describe('deployments create', () => {
  let folder: string;
  let file: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'signalbox-create-'));
    file = join(folder, 'My trend.pine');
    writeFileSync(file, 'plot(close)');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const deployment = { ...ROW, targets: [{ type: 'trade' }], mode: 'dry-run' };
  const DEPLOYED = { status: 201, body: { status: 'success', deployment, warnings: ['Ten percent is all.'] } };
  const NONE = { status: 404, body: { status: 'error', code: 'NOT_FOUND', message: 'no such script' } };
  const routes =
    (script: Answer = NONE, deployed: Answer = DEPLOYED) =>
    async (path: string): Promise<Answer> =>
      path === '/api/deployments' ? deployed : script;
  const KEYS = { SIGNALBOX_SCRIPT_KEY: 'pn_1', SIGNALBOX_WEBHOOK_KEY: 'whk_1' };
  const MARKET = ['--symbol', 'BTCUSDT', '--interval', '1h'];

  test('stores the script under the name of its file, deploys it, and says what comes next', async () => {
    const saved: Answer = { status: 200, body: { status: 'success', script: { content: 'plot(open)' } } };
    const words = ['deployments', 'create', file, ...MARKET, '--exchange', 'binance', '--strategy', 'trend'];
    const more = ['--capital', '10000', '--name', 'T', '--input', 'Length=20', '--mode', 'dry-run'];
    const { code, out, calls } = await run([...words, ...more], { env: KEYS, route: routes(saved) });
    expect(code).toBe(0);
    expect(calls).toEqual([
      { method: 'GET', path: '/api/scripts/My-trend', key: 'pn_1' },
      { method: 'PUT', path: '/api/scripts/My-trend', key: 'pn_1', body: { name: 'My trend', content: 'plot(close)' } },
      {
        method: 'POST',
        path: '/api/deployments',
        key: 'pn_1',
        body: {
          ...{ scriptId: 'My-trend', symbol: 'BTCUSDT', interval: '1h', mode: 'dry-run', name: 'T' },
          ...{ inputs: { Length: '20' }, initialCapital: 10_000 },
          targets: [{ type: 'trade', apiKey: 'whk_1', exchange: 'binance', strategy: 'trend' }],
        },
      },
    ]);
    expect(out).toContain('It is a dry run');
    expect(out).toContain('Warning: Ten percent is all.');
    expect(out).toContain(`signalbox deployments log ${ID}`);
  });

  test('takes the place of a dry run, and tells of a dry run how that is done', async () => {
    const live = {
      status: 201,
      body: { status: 'success', deployment: { ...deployment, mode: 'trade' }, warnings: [] },
    };
    const words = ['deployments', 'create', '--script', 'trend', ...MARKET, '--mode', 'trade', '--replaces', ID];
    const { code, out, calls } = await run(words, { env: KEYS, route: routes(NONE, live) });
    expect([code, calls.map(({ body }) => body)]).toEqual([
      0,
      [expect.objectContaining({ mode: 'trade', replaces: ID }), undefined],
    ]);
    // Whose money that is could not be read back.
    expect(out).toContain('It trades from now on, with the money of whichever account its key goes to');
    const dry = await run(['deployments', 'create', '--script', 'trend', ...MARKET], { env: KEYS, route: routes() });
    expect(dry.calls[0]?.body).not.toHaveProperty('replaces');
    expect(dry.out).toContain(`--mode trade --replaces ${ID} lets it trade.`);
  });

  test.each([
    ['live', 'It trades LIVE money on binance:main from now on.'],
    ['testnet', 'It trades TESTNET money on binance:main from now on.'],
    ['paper', 'It trades PAPER money on binance:main from now on.'],
  ])('says of one that trades whose money it is: %s', async (mode, words) => {
    const trading = { ...deployment, mode: 'trade' };
    const route = async (path: string): Promise<Answer> =>
      path === `/admin/deployments/${ID}`
        ? { status: 200, body: { success: true, result: { ...ROW, tradesOn: [account(mode)] } } }
        : { status: 201, body: { status: 'success', deployment: trading, warnings: [] } };
    const command = ['deployments', 'create', '--script', 'trend', ...MARKET, '--mode', 'trade'];
    expect((await run(command, { env: KEYS, route })).out).toContain(words);
    const resumed = await run(['deployments', 'resume', ID], ok({ ...ROW, tradesOn: [account(mode)] }));
    expect(resumed.out).toBe(`Resumed Trend (BTCUSDT 1h). ${words}`);
  });

  test('makes no new revision of a script that is unchanged', async () => {
    const same: Answer = { status: 200, body: { status: 'success', script: { content: 'plot(close)' } } };
    const { calls } = await run(
      ['deployments', 'create', file, '--symbol', 'X', '--interval', '1h', '--key', 'pn_2', '--webhook-key', 'whk_2'],
      { route: routes(same) },
    );
    expect(calls.map(({ method, key }) => `${method} ${key}`)).toEqual(['GET pn_2', 'POST pn_2']);
  });

  test('deploys a stored script, to other targets than the one that trades', async () => {
    const words = ['deployments', 'create', '--script', 'trend', '--revision', '3', ...MARKET, '--key', 'pn_…'];
    const { calls, err } = await run([...words, '--targets', 'signals,https://example.com/hook'], { route: routes() });
    expect(err).toContain('--key is no script key');
    expect(calls).toEqual([]);
    const done = await run(
      [
        'deployments',
        'create',
        '--script',
        'trend',
        '--symbol',
        'X',
        '--interval',
        '1h',
        '--key',
        'pn_1',
        '--revision',
        '3',
        '--targets',
        'signals,telegram,https://example.com/hook',
      ],
      { route: routes() },
    );
    expect(done.calls.map(({ body }) => body)).toEqual([
      {
        ...{ scriptId: 'trend', revision: 3, symbol: 'X', interval: '1h', inputs: {} },
        targets: [{ type: 'signals' }, { type: 'telegram' }, { type: 'webhook', url: 'https://example.com/hook' }],
      },
    ]);
  });

  test('deploys a second opinion under the key of the alerts', async () => {
    const words = ['deployments', 'create', '--script', 'trend', ...MARKET, '--targets', 'second-opinion'];
    const { calls } = await run([...words, '--exchange', 'binance'], { env: KEYS, route: routes() });
    expect(calls[0]?.body).toMatchObject({
      targets: [{ type: 'second-opinion', apiKey: 'whk_1', exchange: 'binance' }],
    });
  });

  test.each<[string, readonly string[], string]>([
    ['no file', MARKET, 'The file with the script is missing.'],
    ['no market', ['x.pine', '--symbol', 'BTCUSDT'], 'Missing: --interval.'],
    ['another mode', ['x.pine', ...MARKET, '--mode', 'live'], 'Mode "live" is not known; use one of dry-run, trade.'],
    ['another target', ['x.pine', ...MARKET, '--targets', 'mail'], 'Target "mail" is not known'],
    ['no target', ['x.pine', ...MARKET, '--targets', ','], '--targets names nothing'],
    ['nothing to replace', ['x.pine', ...MARKET, '--replaces', ''], '--replaces needs the id of the dry run'],
    ['a revision of a file', ['x.pine', ...MARKET, '--revision', '2'], '--revision goes with --script.'],
    [
      'an exchange for signals',
      ['x.pine', ...MARKET, '--targets', 'signals', '--exchange', 'mexc'],
      '--exchange goes with',
    ],
    ['a capital in words', ['x.pine', ...MARKET, '--capital', 'all'], '--capital all is no plain number'],
    ['a name of signs', ['???.pine', ...MARKET], 'makes no id for the library'],
  ])('refuses %s before anything is sent', async (_, words, reason) => {
    const at = words[0] === '???.pine' ? join(folder, '???.pine') : undefined;
    if (at !== undefined) writeFileSync(at, '');
    const given = at === undefined ? words : [at, ...words.slice(1)];
    const { code, err, calls } = await run(['deployments', 'create', ...given], { env: KEYS, route: routes() });
    expect([code, calls]).toEqual([2, []]);
    expect(err).toContain(reason);
  });

  test('says which key is missing, and which command makes it', async () => {
    const noWebhookKey = await run(['deployments', 'create', file, ...MARKET], {
      env: { SIGNALBOX_SCRIPT_KEY: 'pn_1' },
    });
    expect(noWebhookKey.err).toContain('SIGNALBOX_WEBHOOK_KEY. "signalbox keys create" makes one');
    const noKey = await run(['deployments', 'create', file, ...MARKET], { env: { SIGNALBOX_WEBHOOK_KEY: 'whk_1' } });
    expect(noKey.err).toContain('"signalbox keys create --scripts" makes one');
  });

  test('tells every fault of a script that does not compile, and a refusal of the library', async () => {
    const diagnostics = [
      { line: 1, message: 'first' },
      { line: 2, message: 'second', remedy: 'Mend it.' },
    ];
    const refused = {
      status: 400,
      body: { status: 'error', code: 'SCRIPT_ERROR', message: 'line 1: first', diagnostics },
    };
    const words = ['deployments', 'create', file, ...MARKET];
    const compiled = await run(words, { env: KEYS, route: routes(NONE, refused) });
    expect(compiled.code).toBe(1);
    expect(compiled.err).toContain('Refused (404 NOT_FOUND): no such script');
    const saved: Answer = { status: 200, body: { status: 'success', script: { content: 'plot(close)' } } };
    const failed = await run(words, { env: KEYS, route: routes(saved, refused) });
    expect(failed.err).toContain('Refused (400 SCRIPT_ERROR): line 1: first\n  line 2: second Mend it.');
    expect(JSON.parse((await run([...words, '--json'], { env: KEYS, route: routes(saved, refused) })).out)).toEqual(
      refused.body,
    );
  });

  test('needs a running instance', async () => {
    const stopped = await run(['deployments', 'create', file, ...MARKET], { env: KEYS, running: false });
    expect(stopped).toMatchObject({ code: 1, calls: [], err: /is not running, and deployments are kept by it/ });
  });
});
