// Every command that calls a route: what it asks for, and how it tells a short answer.

import { describe, expect, it } from 'vitest';
import { ok, run } from '../testing/fake-host.ts';

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
    [
      ['keys', 'create', 'b', '--routes', 'main,scalp=0.5'],
      'POST',
      '/admin/webhook-keys',
      { label: 'b', routes: [{ account: 'main' }, { account: 'scalp', multiplier: 0.5 }] },
    ],
    [
      ['keys', 'route', 'abc', '--routes', 'bybit:main=2'],
      'PUT',
      '/admin/webhook-keys/abc/routes',
      { routes: [{ account: 'bybit:main', multiplier: 2 }] },
    ],
    [['keys', 'route', 'abc', '--routes', 'none'], 'PUT', '/admin/webhook-keys/abc/routes', { routes: [] }],
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
    [
      ['kill-switch', 'on', '--keep-entries', '--flatten'],
      'PUT',
      '/admin/kill-switch',
      { active: true, scope: 'all', cancelEntries: false, flatten: true },
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
    [['limits', 'list'], 'GET', '/admin/restrictions', undefined],
    [
      ['limits', 'set', 'key:tv', '--daily-loss', 'none', '--venues', 'none', '--rate', '3'],
      'PATCH',
      '/admin/restrictions/key/tv/limits',
      { venues: null, dailyLoss: null, rate: 3 },
    ],
    [['limits', 'remove', 'strategy:a/b c'], 'DELETE', '/admin/restrictions/strategy/a%2Fb%20c/limits', undefined],
    [
      [
        'limits',
        'set',
        'account:binance:main',
        '--venues',
        'binance, bybit',
        '--symbols',
        'BTCUSDT',
        '--actions',
        'long',
      ],
      'PATCH',
      '/admin/restrictions/account/binance%3Amain/limits',
      { venues: ['binance', 'bybit'], symbols: ['BTCUSDT'], actions: ['LONG'] },
    ],
    [
      [
        'limits',
        'set',
        'key:tv',
        '--accounts',
        'binance:main',
        '--largest-order',
        '1000.5',
        '--largest-position',
        '5000',
        '--open-positions',
        '3',
        '--leverage',
        '5',
        '--price-deviation-percent',
        '2.5',
        '--spread-percent',
        '0.5',
        '--daily-loss',
        '200',
        '--entries-per-day',
        '10',
        '--rate',
        '5',
      ],
      'PATCH',
      '/admin/restrictions/key/tv/limits',
      {
        ...{ accounts: ['binance:main'], largestOrder: 1000.5, largestPosition: 5000, openPositions: 3 },
        ...{ leverage: 5, priceDeviationPercent: 2.5, spreadPercent: 0.5 },
        ...{ dailyLoss: 200, entriesPerDay: 10, rate: 5 },
      },
    ],
    [
      [
        'limits',
        'set',
        'symbol:BTCUSDT',
        '--cooldown-seconds',
        '600',
        '--lock-after-stops',
        '3/3600',
        '--trading-windows',
        'Mon,fri 09:30-16:00 Europe/Berlin; 22:00-02:00',
      ],
      'PATCH',
      '/admin/restrictions/symbol/BTCUSDT/limits',
      {
        ...{ cooldownSeconds: 600, lockAfterStops: { stops: 3, seconds: 3600 } },
        tradingWindows: [
          { days: ['mon', 'fri'], from: '09:30', to: '16:00', zone: 'Europe/Berlin' },
          { from: '22:00', to: '02:00' },
        ],
      },
    ],
    [['pause', 'strategy:ema'], 'PUT', '/admin/restrictions/strategy/ema/pause', { paused: true }],
    [
      ['pause', 'key:my alerts', '--reason', 'away'],
      'PUT',
      '/admin/restrictions/key/my%20alerts/pause',
      { paused: true, reason: 'away' },
    ],
    [
      ['pause', 'strategy:ema', '--cancel-entries'],
      'PUT',
      '/admin/restrictions/strategy/ema/pause',
      { paused: true, cancelEntries: true },
    ],
    [['resume', 'strategy:ema'], 'PUT', '/admin/restrictions/strategy/ema/pause', { paused: false }],
    [
      ['kill-switch', 'on', '--of', 'strategy:ema', '--flatten'],
      'PUT',
      '/admin/restrictions/strategy/ema/kill-switch',
      { active: true, scope: 'all', flatten: true },
    ],
    [
      ['kill-switch', 'off', '--of', 'symbol:BTCUSDT'],
      'PUT',
      '/admin/restrictions/symbol/BTCUSDT/kill-switch',
      { active: false, scope: 'all' },
    ],
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
    [['symbol-map'], 'GET', '/admin/symbol-map', undefined],
    [['symbol-map', 'list'], 'GET', '/admin/symbol-map', undefined],
    [
      ['symbol-map', 'set', 'NQ1!', 'BTCUSDT', '--exchange', 'binance', '--account', 'scalp'],
      'PUT',
      '/admin/symbol-map',
      { symbol: 'NQ1!', market: 'BTCUSDT', exchange: 'binance', account: 'scalp' },
    ],
    [['symbol-map', 'set', 'NQ1!', 'BTCUSDT'], 'PUT', '/admin/symbol-map', { symbol: 'NQ1!', market: 'BTCUSDT' }],
    [['symbol-map', 'remove', 'NQ1!'], 'DELETE', '/admin/symbol-map?symbol=NQ1%21', undefined],
    [['refusals'], 'GET', '/refusals', undefined],
    [['refusals', 'resend', 'r 1'], 'POST', '/refusals/r%201/resend', undefined],
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
    [
      ['positions', '--exchange', 'bybit', '--account', 'scalp', '--symbol', 'BTC/USDT', '--strategy', ''],
      'GET',
      '/positions?exchange=bybit&account=scalp&symbol=BTC%2FUSDT&strategy=',
      undefined,
    ],
    [['accounts'], 'GET', '/accounts', undefined],
    [['trades', '--account', 'a', '--strategy', 's'], 'GET', '/trades?account=a&strategy=s', undefined],
    [
      ['trades', '--key-label', 'tv', '--action', 'LONG', '--source', 'webhook', '--tag', 'a+', '--search', 'eth'],
      'GET',
      '/trades?key=tv&action=LONG&source=webhook&tag=a%2B&search=eth',
      undefined,
    ],
    [
      ['trades', '--from', '2026-03-01', '--to', '2026-04-01'],
      'GET',
      '/trades?from=2026-03-01&to=2026-04-01',
      undefined,
    ],
    [['trades', 'note', 'id', 'too late'], 'PATCH', '/trades/id', { note: 'too late' }],
    [['trades', 'note', 'id', ''], 'PATCH', '/trades/id', { note: '' }],
    [['trades', 'tag', 'id', 'a+, fomo'], 'PATCH', '/trades/id', { tags: ['a+', 'fomo'] }],
    [['trades', 'tag', 'id', ''], 'PATCH', '/trades/id', { tags: [] }],
    [['trades', '--alert-id', 'BTC 1'], 'GET', '/trades?alertId=BTC+1', undefined],
    [['signals', '--alert-id', 'BTC 1'], 'GET', '/signals?alertId=BTC+1', undefined],
    [['audit', '--limit', '3'], 'GET', '/admin/audit?limit=3', undefined],
  ])('%j calls %s %s', async (argv, method, path, body) => {
    const { calls, code } = await run(argv);
    expect(code).toBe(0);
    expect(calls).toEqual([{ method, path, ...(body === undefined ? {} : { body }) }]);
  });
});

describe('what is refused before it goes out', () => {
  it.each([
    [['keys', 'revok', 'x'], 'Did you mean "keys revoke"?'],
    [['keys', 'constructor'], 'keys cannot "constructor".'],
    [['keys', 'create'], 'The label is missing'],
    [['keys', 'create', 'two', 'words'], 'put the label in quotes'],
    [['keys', 'rotate'], 'The key id is missing'],
    [['keys', 'route', 'abc'], '--routes is missing'],
    [['keys', 'route', 'abc', '--routes', 'a=much'], 'no plain number'],
    [['keys', 'rotate', 'x', '--grace-seconds', 'soon'], 'no whole number'],
    [['kill-switch', '--of', 'key:a'], '"signalbox limits list" shows all of them'],
    [['kill-switch', 'on', '--of', 'everybody'], 'write key:<label>'],
    [['limits', 'set', 'key:a'], 'Name at least one limit'],
    [['limits', '--largest-order', '5'], '--largest-order belongs to "limits set'],
    [['limits', 'set', 'key:a', '--lock-after-stops', '3'], 'write stops/seconds'],
    [['limits', 'set', 'key:a', '--trading-windows', 'always'], 'write it as "mon,fri'],
    [['limits', 'remove'], 'Whose limits they are is missing'],
    [['pause'], 'What is paused is missing'],
    [['resume', 'ema'], '"ema" names nobody'],
    [['kill-switch', 'maybe'], 'use one of status, on, off'],
    [['kill-switch', 'on', '--scope', 'some'], 'use one of all, entries'],
    [['kill-switch', 'off', '--scope', 'all'], '--scope belongs to "kill-switch on"'],
    [['kill-switch', 'off', '--flatten'], '--flatten belongs to "kill-switch on"'],
    [['kill-switch', '--keep-entries'], '--keep-entries belongs to "kill-switch on"'],
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

  it.each([
    [['kill-switch'], { active: false, scope: 'all' }, 'The kill switch is off: signals pass.'],
    [['kill-switch', 'on'], { active: true, scope: 'all' }, 'The kill switch is ON: every signal is refused.'],
    [['kill-switch'], { active: true, scope: 'entries', reason: 'news' }, 'closing signals pass.\nReason: news'],
    [['kill-switch'], { active: true, scope: 'entries', flatten: true }, 'pass; what is open is closed (flatten).'],
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
});

it.each([false, true])('kill-switch names the others that are on, while it is active: %s', async (active) => {
  const others = [{ kind: 'account', name: 'binance:main', scope: 'entries', reason: 'lost 5 %' }];
  const body = { success: true, result: { active, scope: 'all' }, others };
  const { out } = await run(['kill-switch'], { answer: { status: 200, body } });
  const first = active
    ? 'The kill switch is ON: every signal is refused.'
    : 'The kill switch is off: signals pass where no other one is on ("kill-switch off --of …").';
  expect(out).toBe(`${first}\nThe kill switch of account:binance:main is ON (entries): lost 5 %`);
});

describe('pause', () => {
  const paused = (more: object) => ({
    answer: {
      status: 200,
      body: { success: true, result: { kind: 'strategy', name: 'ema', paused: true }, ...more },
    },
  });

  it('says how many entries may still fill, and how they are withdrawn', async () => {
    const { out } = await run(['pause', 'strategy:ema'], paused({ canceled: [], waitingEntries: 2 }));
    expect(out).toBe(
      'strategy:ema is PAUSED: new entries are refused, closing signals pass.\n2 of its entries wait at the venue and may still fill; --cancel-entries withdraws them.',
    );
  });

  it('says which were withdrawn', async () => {
    const order = { clientOrderId: 'sbx1', market: 'BTCUSDT', quantity: 1, price: 9, outcome: 'canceled' };
    const { out } = await run(['pause', 'strategy:ema'], paused({ canceled: [order], waitingEntries: 0 }));
    expect(out).toContain('\nEntry sbx1 (1 BTCUSDT at 9) was withdrawn.');
    expect(out).not.toContain('may still fill');
  });
});
