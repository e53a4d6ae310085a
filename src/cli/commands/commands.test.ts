// Every command that calls a route: what it asks for, and how it tells the answer.

import { describe, expect, it } from 'vitest';
import { ok, run } from '../testing/fake-host.ts';

const AT_MS = Date.UTC(2026, 2, 1, 14, 5, 9);
const AT = '2026-03-01 14:05:09 UTC';
const KEY_ENV = { SIGNALBOX_WEBHOOK_KEY: 'whk_env' };
const SIGNAL = ['signal', '--exchange', 'binance', '--action', 'LONG', '--symbol', 'BTCUSDT', '--quantity', '0.01'];

describe('what goes out', () => {
  it.each([
    [['keys'], 'GET', '/admin/webhook-keys', undefined],
    [['keys', 'list'], 'GET', '/admin/webhook-keys', undefined],
    [['keys', 'create', 'my chart'], 'POST', '/admin/webhook-keys', { label: 'my chart' }],
    [
      ['keys', 'create', '--label', 'a', '--exchanges', 'binance, bybit', '--symbols=BTCUSDT,'],
      'POST',
      '/admin/webhook-keys',
      { label: 'a', exchanges: ['binance', 'bybit'], symbols: ['BTCUSDT'] },
    ],
    [['keys', 'rotate', 'ab/c'], 'POST', '/admin/webhook-keys/ab%2Fc/rotate', {}],
    [
      ['keys', 'rotate', 'abc', '--grace-seconds', '60'],
      'POST',
      '/admin/webhook-keys/abc/rotate',
      { graceSeconds: 60 },
    ],
    [['keys', 'revoke', 'abc'], 'DELETE', '/admin/webhook-keys/abc', undefined],
    [['kill-switch'], 'GET', '/admin/kill-switch', undefined],
    [['kill-switch', 'status'], 'GET', '/admin/kill-switch', undefined],
    [['kill-switch', 'on'], 'PUT', '/admin/kill-switch', { active: true, scope: 'all' }],
    [
      ['kill-switch', 'on', '--scope', 'entries', '--reason', 'news at two'],
      'PUT',
      '/admin/kill-switch',
      { active: true, scope: 'entries', reason: 'news at two' },
    ],
    [['kill-switch', 'off'], 'PUT', '/admin/kill-switch', { active: false, scope: 'all' }],
    [['queue-mode'], 'GET', '/admin/queue-mode', undefined],
    [['queue-mode', 'async'], 'PUT', '/admin/queue-mode', { mode: 'async' }],
    [['allowlist'], 'GET', '/admin/allowlist', undefined],
    [
      ['allowlist', 'set', 'tradingview', '10.0.0.0/8,::1'],
      'PUT',
      '/admin/allowlist',
      { entries: ['tradingview', '10.0.0.0/8', '::1'] },
    ],
    [['allowlist', 'off'], 'PUT', '/admin/allowlist', { entries: [] }],
    [['limits'], 'GET', '/admin/limits', undefined],
    [['limits', '--webhook-rate-per-minute', '0'], 'PUT', '/admin/limits', { webhookRatePerMinute: 0 }],
    [['limits', '--failed-auth-per-minute', '9'], 'PUT', '/admin/limits', { failedAuthPerMinute: 9 }],
    [['trades'], 'GET', '/trades', undefined],
    [
      ['trades', '--limit', '5', '--symbol', 'BTC/USDT', '--status', 'Filled', '--exchange', 'mexc', '--before', 'x'],
      'GET',
      '/trades?limit=5&before=x&exchange=mexc&symbol=BTC%2FUSDT&status=Filled',
      undefined,
    ],
    [['trades', 'a b'], 'GET', '/trades/a%20b', undefined],
    [['signals'], 'GET', '/signals', undefined],
    [
      ['signals', '--source', 'my desk', '--limit', '5', '--symbol', 'BTC/USDT', '--before', 'x'],
      'GET',
      '/signals?limit=5&before=x&symbol=BTC%2FUSDT&source=my+desk',
      undefined,
    ],
    [['refusals'], 'GET', '/refusals', undefined],
    [
      [
        'refusals',
        '--code',
        'INVALID_PAYLOAD',
        '--limit',
        '5',
        '--key-label',
        'tv a',
        '--door',
        'smtp',
        '--before',
        'x',
      ],
      'GET',
      '/refusals?limit=5&before=x&code=INVALID_PAYLOAD&key=tv+a&door=smtp',
      undefined,
    ],
    [['positions'], 'GET', '/positions', undefined],
    [['accounts'], 'GET', '/accounts', undefined],
    [['trades', '--account', 'scalp'], 'GET', '/trades?account=scalp', undefined],
    [['audit', '--limit', '3'], 'GET', '/admin/audit?limit=3', undefined],
  ])('%j calls %s %s', async (argv, method, path, body) => {
    const { calls, code } = await run(argv);
    expect(code).toBe(0);
    expect(calls).toEqual([{ method, path, ...(body === undefined ? {} : { body }) }]);
  });

  it('a signal carries numbers as numbers and the key from the flag or the environment', async () => {
    const more = ['--price', '68000.5', '--leverage', '5', '--idempotency-key', 'uuid', '--key', 'whk_flag'];
    const base = { exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 };
    const send = async (...argv: string[]) => (await run([...SIGNAL, ...argv], { env: KEY_ENV })).calls;
    expect(await send()).toEqual([{ method: 'POST', path: '/webhook', body: { apiKey: 'whk_env', ...base } }]);
    expect(await send(...more)).toMatchObject([
      { body: { apiKey: 'whk_flag', ...base, price: 68000.5, leverage: 5, idempotencyKey: 'uuid' } },
    ]);
  });
});

describe('what is refused before it goes out', () => {
  it.each([
    [['keys', 'revok', 'x'], 'Did you mean "keys revoke"?'],
    [['keys', 'constructor'], 'keys cannot "constructor".'],
    [['keys', 'create'], 'The label is missing'],
    [['keys', 'create', 'two', 'words'], 'put the label in quotes'],
    [['keys', 'rotate'], 'The key id is missing'],
    [['keys', 'rotate', 'x', '--grace-seconds', 'soon'], 'no whole number'],
    [['kill-switch', 'maybe'], 'use one of status, on, off'],
    [['kill-switch', 'on', '--scope', 'some'], 'use one of all, entries'],
    [['kill-switch', 'off', '--scope', 'all'], '--scope belongs to "kill-switch on"'],
    [['signals', '--limit', '1.5'], '--limit 1.5 is no whole number'],
    [['signals', 'now'], '"now" is one word too many'],
    [['signals', '--status', 'Filled'], '"signals" has no flag --status'],
    [['queue-mode', 'later'], 'use one of direct, async, failover'],
    [['allowlist', 'set'], 'Name at least one address'],
    [['allowlist', 'add', 'x'], 'use one of set, off'],
    [['limits', '--failed-auth-per-minute=-1'], 'no whole number'],
    [['signal', '--exchange', 'binance', '--symbol', 'X'], 'Missing: --action, --quantity.'],
    [SIGNAL, 'A webhook key is missing'],
    [[...SIGNAL.slice(0, -1), '1e3', '--key', 'k'], '--quantity 1e3 is no plain number'],
    [[...SIGNAL.slice(0, -1), '1,5', '--key', 'k'], '--quantity 1,5 is no plain number'],
    [[...SIGNAL, '--key', 'k', '--price=-1'], '--price -1 is no plain number'],
  ])('%j', async (argv, message) => {
    const ran = await run(argv);
    expect(ran.err).toContain(message);
    expect(ran).toMatchObject({ code: 2, calls: [], out: '' });
  });
});

describe('what is shown', () => {
  it('keys in an aligned table', async () => {
    const { out } = await run(
      ['keys'],
      ok([
        {
          keyId: 'aaaaaaaaaaaa',
          label: 'chart',
          createdAt: AT_MS,
          exchanges: ['binance', 'mexc'],
          symbols: null,
          static: false,
        },
        { keyId: 'bbbbbbbbbbbb', label: 'static-1', createdAt: new Date(AT_MS).toISOString(), static: true },
        { keyId: 'cccccccccccc', label: 'old', createdAt: AT_MS, revokedAt: AT_MS, static: false },
      ]),
    );
    expect(out.split('\n')).toEqual([
      'key id        label     state                            exchanges      symbols  created                  rotated',
      `aaaaaaaaaaaa  chart     active                           binance, mexc  all      ${AT}  -`,
      `bbbbbbbbbbbb  static-1  active, from settings            all            all      ${AT}  -`,
      `cccccccccccc  old       revoked ${AT}  all            all      ${AT}  -`,
    ]);
  });

  it.each([
    [['keys'], 'There are no webhook keys.'],
    [['trades'], 'There are no trades yet.'],
    [['signals', '--limit', '5'], 'There are no signals yet.'],
    [['signals', '--source', 'nobody'], 'No signal fits.'],
    [['positions'], 'There are no open positions.'],
    [['audit'], 'No setting has been changed yet.'],
  ])('%j says so when there is nothing', async (argv, text) => {
    expect((await run(argv, ok([]))).out).toContain(text);
  });

  it.each([[['keys', 'create', 'a']], [['keys', 'rotate', 'abc']]])('%j prints the new key once', async (argv) => {
    const { out } = await run(argv, {
      answer: { status: 201, body: { success: true, result: { keyId: 'abc', label: 'a', apiKey: 'whk_new' } } },
    });
    expect(out).toContain('key abc (a)');
    expect(out.match(/whk_new/g)).toHaveLength(1);
  });

  it.each([
    [['kill-switch'], { active: false, scope: 'all' }, 'The kill switch is off: signals pass.'],
    [['kill-switch', 'on'], { active: true, scope: 'all' }, 'The kill switch is ON: every signal is refused.'],
    [['kill-switch'], { active: true, scope: 'entries', reason: 'news' }, 'closing signals pass.\nReason: news'],
    [['queue-mode'], { mode: 'async' }, 'Queue mode is async: the answer is 202 at once'],
    [['queue-mode'], { mode: 'toString' }, 'Queue mode is toString.'],
    [['allowlist'], { entries: [] }, 'The allowlist is off'],
    [['allowlist'], { entries: ['tradingview', '::1'] }, 'Only these may signal:\n  tradingview\n  ::1'],
    [
      ['limits'],
      { webhookRatePerMinute: 0, failedAuthPerMinute: 30 },
      'signals of one key           no limit\nwrong keys from one address  30 per minute',
    ],
    [['keys', 'revoke', 'abc'], { keyId: 'abc', label: 'desk' }, 'Revoked key abc (desk).'],
  ])('%j with %j', async (argv, result, text) => {
    expect((await run(argv, ok(result))).out).toContain(text);
  });

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

  it('the reason of a deployment is not cut: its last words are the remedy', async () => {
    const reason = `${'the key of this deployment was revoked and it stands still; '.repeat(3)}renew the key`;
    expect((await run(['deployments', 'list'], ok([{ id: 'd-1', reason }]))).out).toContain(reason);
  });

  it('a text is not cut, however long it is', async () => {
    const message = `The signal is accepted and safe; GET /trades/01a1df03-6a51-7b0c-8f0e-51c1d2f0a9d4 tells the rest.`;
    const answer = { status: 202, body: { success: true, requestId: 'r-1', status: 'Enqueued', message } };
    expect((await run(SIGNAL, { answer, env: KEY_ENV })).out).toContain(`Enqueued: ${message}`);
  });

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
      mode: 'paper',
      error: null,
    };
    const failed = {
      ...trade,
      requestId: 'r-2',
      price: '5',
      quantity: '100',
      status: 'Rejected',
      executedQty: '0',
      averagePrice: null,
      error: 'too big',
    };
    const { out } = await run(['trades'], ok([trade, failed]));
    expect(out.split('\n')).toEqual([
      'received                 exchange  action  market   quantity   price  status    filled  average  mode   request id  error',
      `${AT}  binance   LONG    BTCUSDT      0.01  market  Filled      0.01    68000  paper  r-1         -`,
      `${AT}  binance   LONG    BTCUSDT       100       5  Rejected       0        -  paper  r-2         too big`,
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
        status: 'Filled',
        orders: [],
        fills: [{ price: '1', quantity: '2' }],
        events: [{ at: AT_MS, kind: 'accepted', detail: { lane: 1 } }],
      }),
    );
    expect(out).toBe(
      `requestId   r-1\nreceivedAt  ${AT}\nstatus      Filled\n\nfills\nprice  quantity\n1      2\n\nevents\nat                       kind      detail\n${AT}  accepted  {"lane":1}`,
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

describe('what became of a signal', () => {
  const send = (status: number, body: object) =>
    run(SIGNAL, { env: KEY_ENV, answer: { status, body: { success: true, requestId: 'r-1', ...body } } });

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
    [200, { tradeResult: { status: 'Enqueued', queued: true } }, 'Enqueued: the signal is safe in the queue'],
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
