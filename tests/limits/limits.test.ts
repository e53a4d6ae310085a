// Every limit through the front door: exactly at its bound an entry passes, one step above it is refused with its own code and nothing is
// sent; a close is never stopped; and what a limit counts is the same after a restart.

import { beforeEach, describe, expect, it } from 'vitest';
import { GATEWAY_ERRORS } from '../../src/services/gateway/index.ts';
import type { LimitCode } from '../../src/trading/intake/limit-rules.ts';
import type { SubjectKind, TradeLimits } from '../../src/trading/intake/restrictions.ts';
import { openProtected, PRICE, type Protected } from '../protection/written-market.ts';
import type { Sent, TestGateway } from '../support/gateway.ts';
import { expectDuplicateOf, expectFilled, freshGateway, KEY_1, tradeCount } from '../webhook/answers.ts';
import { path, setLimits } from './provoke.ts';

const SUBJECTS: readonly (readonly [SubjectKind, string])[] = [
  ['key', 'test-0'],
  ['strategy', 'ema'],
  ['account', 'binance:main'],
  ['symbol', 'BTCUSDT'],
  ['symbol', 'binance:BTCUSDT'],
];

let house: Protected;
let gateway: TestGateway;
const open = async (): Promise<void> => {
  house = await openProtected({ accounts: ['scalp'] });
  gateway = house.gateway;
};
const limit = async (kind: SubjectKind, name: string, limits: TradeLimits): Promise<void> => {
  expect((await setLimits(gateway, kind, name, limits)).status).toBe(200);
};
const entry = (fields: object = {}): Promise<Sent> => gateway.send({ strategy: 'ema', ...fields });
const close = (fields: object = {}): Promise<Sent> => entry({ action: 'CLOSE_LONG', quantity: 1000, ...fields });

/** Refused under this code with whose limit it was; nothing is open because of it. */
function expectLimited(sent: Sent, code: LimitCode, ...words: string[]): void {
  expect([sent.status, sent.body.code]).toEqual([GATEWAY_ERRORS[code].status, code]);
  for (const word of words) expect(sent.body.error).toContain(word);
}

describe.each(SUBJECTS.filter(([kind]) => kind !== 'account'))('of %s %s over several accounts', (kind, name) => {
  beforeEach(open);
  const elsewhere = (): Promise<Sent> => entry({ account: 'scalp' });

  it.each([
    [{ entriesPerDay: 1 }, 'LIMIT_ENTRIES_PER_DAY'],
    [{ openPositions: 1 }, 'LIMIT_OPEN_POSITIONS'],
    [{ rate: 1 }, 'LIMIT_RATE'],
  ] as const)('%j counts all of them together', async (limits, code) => {
    await limit(kind, name, limits);
    expectFilled(await entry());
    expectLimited(await elsewhere(), code, name);
  });

  it('dailyLoss adds up what all of them lost', async () => {
    await limit(kind, name, { dailyLoss: 10 });
    expectFilled(await entry({ stopLoss: PRICE - 1000 }));
    await house.trade(PRICE - 1050);
    expectLimited(await elsewhere(), 'LIMIT_DAILY_LOSS', name);
  });

  it('largestPosition looks at the account of the signal alone', async () => {
    await limit(kind, name, { largestPosition: 500 });
    expectFilled(await entry());
    expectLimited(await entry(), 'LIMIT_LARGEST_POSITION', name);
    expectFilled(await elsewhere());
  });

  it.each([
    [{ cooldownSeconds: 600 }, 'LIMIT_COOLDOWN'],
    [{ lockAfterStops: { stops: 1, seconds: 600 } }, 'LIMIT_LOCKED_AFTER_STOPS'],
  ] as const)('%j looks at the account of the signal alone', async (limits, code) => {
    await limit(kind, name, limits);
    expectFilled(await entry({ stopLoss: PRICE - 100 }));
    await house.trade(PRICE - 150);
    expectLimited(await entry(), code, name);
    expectFilled(await elsewhere());
  });
});

describe.each(SUBJECTS)('of %s %s', (kind, name) => {
  beforeEach(open);

  it('largestOrder counts what an entry is worth', async () => {
    await limit(kind, name, { largestOrder: 500 });
    expectFilled(await entry({ quantity: 0.01 }));
    const over = await entry({ quantity: 0.011 });
    expectLimited(over, 'LIMIT_LARGEST_ORDER', `largestOrder of ${kind} "${name}"`, '550 USDT', 'at most 0.01 BTCUSDT');
    expectFilled(await close());
  });

  it('largestPosition counts what is held, what rests and what is asked for', async () => {
    await limit(kind, name, { largestPosition: 1000 });
    expectFilled(await entry({ quantity: 0.01 }));
    expectLimited(await entry({ quantity: 0.011 }), 'LIMIT_LARGEST_POSITION', name, 'at most 0.01 BTCUSDT');
    expect((await entry({ quantity: 0.004, price: PRICE - 5000 })).body.tradeResult.status).toBe('Submitted');
    expectLimited(await entry({ quantity: 0.007 }), 'LIMIT_LARGEST_POSITION', 'at most 0.006 BTCUSDT');
    expectFilled(await entry({ quantity: 0.006 }));
    expectFilled(await close());
  });

  it('openPositions counts open ones, and an entry into one of them passes', async () => {
    await limit(kind, name, { openPositions: 1 });
    expectFilled(await entry());
    expectFilled(await entry());
    if (kind === 'symbol') {
      expectLimited(await entry({ account: 'scalp' }), 'LIMIT_OPEN_POSITIONS', name, 'there are 1');
    } else {
      expectLimited(await entry({ symbol: 'ETHUSDT' }), 'LIMIT_OPEN_POSITIONS', name, 'there are 1');
      expectFilled(await close());
      expectFilled(await entry({ symbol: 'ETHUSDT' }));
    }
    expectFilled(await entry({ action: 'SHORT', ...(kind !== 'symbol' && { symbol: 'ETHUSDT' }) }));
  });

  it('entriesPerDay counts entries of the UTC day, also those before a restart', async () => {
    await limit(kind, name, { entriesPerDay: 2 });
    expectFilled(await entry());
    // Refused by the venue's rules: it was no entry.
    expect((await entry({ quantity: 0.000001 })).body.code).toBe('ORDER_REJECTED');
    house = await house.restart();
    const key = gateway.apiKey;
    gateway = house.gateway;
    expectFilled(await entry({ apiKey: key }));
    expectLimited(await entry({ apiKey: key }), 'LIMIT_ENTRIES_PER_DAY', name, 'there were 2', '00:00 UTC');
    expectFilled(await close({ apiKey: key }));
    gateway.clock.offsetMs += 86_400_000;
    expectFilled(await entry({ apiKey: key }));
  });

  it('cooldownSeconds begins when the position is closed, and outlives a restart', async () => {
    await limit(kind, name, { cooldownSeconds: 600 });
    expectFilled(await entry());
    expectFilled(await close());
    house = await house.restart();
    const key = gateway.apiKey;
    gateway = house.gateway;
    expectLimited(await entry({ apiKey: key }), 'LIMIT_COOLDOWN', name, 'again in');
    expectFilled(await entry({ apiKey: key, symbol: 'ETHUSDT' }));
    gateway.clock.offsetMs += 601_000;
    expectFilled(await entry({ apiKey: key }));
  });

  it('dailyLoss counts what was realised today, after fees, by whomever; also before a restart', async () => {
    await limit(kind, name, { dailyLoss: 10 });
    expectFilled(await entry({ stopLoss: PRICE - 900 }));
    await house.trade(PRICE - 950);
    expect(await house.positions()).toEqual([]);
    // About 9.5 USDT and the fees of both sides.
    house = await house.restart();
    const key = gateway.apiKey;
    gateway = house.gateway;
    const refused = await entry({ apiKey: key });
    if (kind === 'strategy') expectLimited(refused, 'LIMIT_DAILY_LOSS', name);
    else expectLimited(refused, 'LIMIT_DAILY_LOSS', name, '10 USDT end the day');
    gateway.clock.offsetMs += 86_400_000;
    expectFilled(await entry({ apiKey: key }));
  });

  it('lockAfterStops locks the market after so many stops, also over a restart', async () => {
    await limit(kind, name, { lockAfterStops: { stops: 2, seconds: 3600 } });
    for (const price of [PRICE - 200, PRICE - 400]) {
      expectFilled(await entry({ stopLoss: price + 50 }));
      await house.trade(price);
    }
    expect(await house.closes()).toHaveLength(2);
    house = await house.restart();
    const key = gateway.apiKey;
    gateway = house.gateway;
    expectLimited(await entry({ apiKey: key }), 'LIMIT_LOCKED_AFTER_STOPS', name, 'stopped out 2 times');
    expectFilled(await entry({ apiKey: key, symbol: 'ETHUSDT' }));
    gateway.clock.offsetMs += 3_600_000;
    expectFilled(await entry({ apiKey: key }));
  });

  it('rate counts the entries of a minute and no closes', async () => {
    await limit(kind, name, { rate: 2 });
    expectFilled(await entry());
    expectFilled(await entry());
    expectLimited(await entry(), 'LIMIT_RATE', name, '2 entries a minute');
    expectFilled(await close());
  });

  it('rate does not count a signal that is sent again', async () => {
    await limit(kind, name, { rate: 3 });
    for (const named of [{ idempotencyKey: KEY_1 }, { alertId: 'breakout 17' }]) {
      const first = await entry(named);
      expectFilled(first);
      for (let resent = 0; resent < 3; resent += 1) expectDuplicateOf(await entry(named), first);
    }
    expectFilled(await entry());
    expectLimited(await entry(), 'LIMIT_RATE', name);
  });

  it('tradingWindows lets entries through inside of them only', async () => {
    const at = (hours: number): string =>
      new Date(Date.now() + gateway.clock.offsetMs + hours * 3_600_000).toISOString().slice(11, 16);
    await limit(kind, name, { tradingWindows: [{ from: at(-1), to: at(1) }] });
    expectFilled(await entry());
    await limit(kind, name, { tradingWindows: [{ from: at(1), to: at(2), zone: 'UTC' }] });
    expectLimited(await entry(), 'LIMIT_TRADING_WINDOW', name, at(1));
    expectFilled(await close());
  });

  it('a pause stops entries at once and lets closes pass, but for a key', async () => {
    expectFilled(await entry());
    const paused = await gateway.request('PUT', path(kind, name, 'pause'), { paused: true, reason: 'away' });
    expect(paused.body.result).toMatchObject({ kind, name, paused: true, pauseReason: 'away' });
    const code = `${kind.toUpperCase()}_PAUSED` as LimitCode;
    const before = await tradeCount(gateway);
    expectLimited(await entry({ idempotencyKey: KEY_1 }), code, 'away', `signalbox resume ${kind}:${name}`);
    expect(await tradeCount(gateway)).toBe(before);
    if (kind === 'key') expectLimited(await close(), code);
    else expectFilled(await close());
    await gateway.request('PUT', path(kind, name, 'pause'), { paused: false });
    expectFilled(await entry({ idempotencyKey: KEY_1 }));
    expect((await gateway.request('GET', '/admin/restrictions')).body.result).toEqual([]);
  });
});

describe('lists', () => {
  beforeEach(open);

  it.each([
    [{ venues: ['bybit'] }, 'LIMIT_VENUES'],
    [{ actions: ['SHORT'] }, 'LIMIT_ACTIONS'],
    [{ symbols: ['ETH/USDT'] }, 'LIMIT_SYMBOLS'],
    [{ accounts: ['binance:scalp'] }, 'LIMIT_ACCOUNTS'],
  ] as const)('%j of a strategy bind entries, those of a key everything', async (limits, code) => {
    expectFilled(await entry());
    await limit('strategy', 'ema', limits as TradeLimits);
    expectLimited(await entry(), code, 'strategy "ema"');
    expectFilled(await close());
    await limit('strategy', 'ema', {});
    expectFilled(await entry());
    await limit('key', 'test-0', limits as TradeLimits);
    expectLimited(await entry(), 'KEY_OUT_OF_SCOPE', 'key "test-0"');
    expectLimited(await close(), 'KEY_OUT_OF_SCOPE');
  });

  it('of a key and of its creation are the same thing', async () => {
    const made = await gateway.request('POST', '/admin/webhook-keys', { label: 'narrow', symbols: ['ETHUSDT'] });
    const { apiKey, keyId } = made.body.result;
    expectLimited(await entry({ apiKey }), 'KEY_OUT_OF_SCOPE');
    expect((await setLimits(gateway, 'key', keyId, { symbols: ['BTCUSDT'] })).body.result).toMatchObject({
      ...{ kind: 'key', name: 'narrow', limits: { symbols: ['BTCUSDT'] } },
    });
    expectFilled(await entry({ apiKey }));
    const listed = (await gateway.request('GET', '/admin/webhook-keys')).body.result;
    expect(listed.find((key: { label: string }) => key.label === 'narrow').symbols).toEqual(['BTCUSDT']);
  });
});

describe('a change of one limit', () => {
  beforeEach(open);
  const change = (kind: SubjectKind, name: string, limits: object): Promise<Sent> =>
    gateway.request('PATCH', path(kind, name, 'limits'), limits);

  it('leaves the others as they are, null removes one, and what went is told', async () => {
    await limit('strategy', 'ema', { dailyLoss: 100, symbols: ['BTCUSDT'] });
    const added = await change('strategy', 'ema', { openPositions: 2 });
    expect(added.body.result.limits).toEqual({ dailyLoss: 100, symbols: ['BTCUSDT'], openPositions: 2 });
    expect(added.body.removed).toEqual([]);
    const taken = await change('strategy', 'ema', { dailyLoss: null, openPositions: 1 });
    expect(taken.body.result.limits).toEqual({ symbols: ['BTCUSDT'], openPositions: 1 });
    expect(taken.body.removed).toEqual(['dailyLoss']);
    const faulty = await change('strategy', 'ema', { openPositions: -1, symbols: null });
    expect(faulty.body.code).toBe('INVALID_PAYLOAD');
    const whole = await setLimits(gateway, 'strategy', 'ema', { rate: 5 });
    expect(whole.body.result.limits).toEqual({ rate: 5 });
    expect(whole.body.removed).toEqual(['symbols', 'openPositions']);
    const none = await gateway.request('DELETE', path('strategy', 'ema', 'limits'));
    expect([none.body.result.limits, none.body.removed]).toEqual([{}, ['rate']]);
  });

  it.each(['PUT', 'PATCH'] as const)('by %s never opens a key that was made for some markets', async (method) => {
    const wanted = { label: 'scoped', exchanges: ['binance'], symbols: ['BTCUSDT'] };
    const { apiKey } = (await gateway.request('POST', '/admin/webhook-keys', wanted)).body.result;
    const set = (limits: object) => gateway.request(method, path('key', 'scoped', 'limits'), limits);
    const tightened = await set({ largestOrder: 5000 });
    expect(tightened.body.result.limits).toEqual({ venues: ['binance'], symbols: ['BTCUSDT'], largestOrder: 5000 });
    expect(tightened.body.removed).toEqual([]);
    const elsewhere = { apiKey, symbol: 'ETHUSDT', quantity: 0.1 };
    expectLimited(await entry(elsewhere), 'KEY_OUT_OF_SCOPE');
    // Only by name.
    const opened = await set({ symbols: null, largestOrder: 5000 });
    expect([opened.body.result.limits.venues, opened.body.removed]).toEqual([['binance'], ['symbols']]);
    expectFilled(await entry(elsewhere));
  });
});

describe('several limits at once', () => {
  beforeEach(open);

  it('the strictest decides and is named', async () => {
    await limit('key', 'test-0', { largestOrder: 2000 });
    await limit('strategy', 'ema', { largestOrder: 400 });
    await limit('account', 'binance:main', { largestOrder: 1000 });
    expectLimited(await entry(), 'LIMIT_LARGEST_ORDER', 'strategy "ema"', 'at most 0.008 BTCUSDT');
    expectLimited(await gateway.send({ quantity: 0.03 }), 'LIMIT_LARGEST_ORDER', 'account "binance:main"');
    expectFilled(await entry({ quantity: 0.008 }));
  });

  it('gives the idempotency key back, because nothing was sent', async () => {
    await limit('symbol', 'BTCUSDT', { largestOrder: 400 });
    expectLimited(await entry({ idempotencyKey: KEY_1 }), 'LIMIT_LARGEST_ORDER');
    await gateway.request('DELETE', path('symbol', 'BTCUSDT', 'limits'));
    expectFilled(await entry({ idempotencyKey: KEY_1 }));
  });

  it('one account of a route that may not trade does not stop the others', async () => {
    const routes = [{ account: 'main' }, { account: 'scalp' }];
    const { apiKey } = (await gateway.request('POST', '/admin/webhook-keys', { label: 'both', routes })).body.result;
    await gateway.request('PUT', path('account', 'binance:scalp', 'pause'), { paused: true });
    const sent = await entry({ apiKey });
    expect(sent.body.tradeResults.map(({ code }: { code: string }) => code)).toEqual([null, 'ACCOUNT_PAUSED']);
    await limit('account', 'binance:main', { largestOrder: 1 });
    const none = await entry({ apiKey, idempotencyKey: KEY_1 });
    expectLimited(none, 'LIMIT_LARGEST_ORDER');
    expect(none.body.tradeResults.map(({ code }: { code: string }) => code)).toEqual([
      ...['LIMIT_LARGEST_ORDER', 'ACCOUNT_PAUSED'],
    ]);
    await gateway.request('DELETE', path('account', 'binance:main', 'limits'));
    expect((await entry({ apiKey, idempotencyKey: KEY_1 })).status).toBe(200);
  });
});

describe('an entry with a limit price', () => {
  beforeEach(open);

  it.each(['largestOrder', 'largestPosition'] as const)(
    'is weighed under %s at the most it can be worth',
    async (name) => {
      await limit('account', 'binance:main', { [name]: 500 });
      const code = name === 'largestOrder' ? 'LIMIT_LARGEST_ORDER' : 'LIMIT_LARGEST_POSITION';
      const short = (quantity: number, price: number): Promise<Sent> => entry({ action: 'SHORT', quantity, price });
      // A sell below the market trades at the market, one above it at its own price.
      expectLimited(await short(0.011, 20_000), code, '550 USDT', 'at most 0.01 BTCUSDT');
      expectLimited(await short(0.01, PRICE + 1000), code, '510 USDT');
      // A buy never costs more than its own price.
      expectLimited(await entry({ quantity: 0.01, price: PRICE + 1000 }), code, '510 USDT');
      expect((await entry({ quantity: 0.0125, price: PRICE - 10_000 })).body.tradeResult.status).toBe('Submitted');
      expectFilled(await entry({ quantity: 0.01, account: 'scalp', action: 'SHORT', price: 20_000 }));
    },
  );
});

describe('two at once on two markets', () => {
  it.each([
    [{ openPositions: 1 }, 'LIMIT_OPEN_POSITIONS'],
    [{ entriesPerDay: 1 }, 'LIMIT_ENTRIES_PER_DAY'],
  ] as const)('under %j of their account, one passes', async (limits, code) => {
    for (let round = 0; round < 5; round++) {
      gateway = await freshGateway();
      await limit('account', 'binance:main', limits);
      const sent = await Promise.all([
        entry(),
        entry({ symbol: 'ETHUSDT' }),
        entry({ symbol: 'SOLUSDT', quantity: 1 }),
      ]);
      expect(sent.map(({ status }) => status).sort()).toEqual([200, 422, 422]);
      for (const each of sent) if (each.status === 422) expectLimited(each, code);
    }
  });
});

describe('what is no limit', () => {
  beforeEach(open);

  it.each([
    ['limits', { largestOrder: 0 }],
    ['limits', { openPositions: -1 }],
    ['limits', { openPositions: 1.5 }],
    ['limits', { venues: [] }],
    ['limits', { venues: ['kraken'] }],
    ['limits', { lockAfterStops: { stops: 0, seconds: 1 } }],
    ['limits', { tradingWindows: [{ from: '9:00', to: '10:00' }] }],
    ['limits', { tradingWindows: [{ from: '09:00', to: '10:00', zone: 'Mars/Olympus' }] }],
    ['limits', { largest: 1 }],
    ['pause', { paused: 'yes' }],
    ['kill-switch', { active: 1 }],
  ] as const)('%s %j is refused', async (what, body) => {
    expect((await gateway.request('PUT', path('strategy', 'ema', what), body)).body.code).toBe('INVALID_PAYLOAD');
    expect((await gateway.request('GET', '/admin/restrictions')).body.result).toEqual([]);
  });

  it.each([
    ['key', 'nobody', 'KEY_NOT_FOUND'],
    ['account', 'binance:nowhere', 'UNKNOWN_ACCOUNT'],
    ['account', 'nowhere', 'INVALID_QUERY'],
    ['symbol', 'B$', 'INVALID_QUERY'],
    ['strategy', 'x'.repeat(65), 'INVALID_QUERY'],
  ] as const)('a limit of %s %s is a slip of the pen', async (kind, name, code) => {
    expect((await setLimits(gateway, kind, name, { rate: 1 })).body.code).toBe(code);
  });

  it.each([
    ['BTC', 'symbol: there is no market BTC; did you mean BTCUSDT?', ['BTCUSDT']],
    ['bybit:BTCUSD', 'symbol: bybit has no market BTCUSD; did you mean BTCUSDT', ['BTCUSDT']],
    ['NOPE', 'symbol: there is no market NOPE; GET /markets lists them', []],
  ])(
    'a restriction of symbol %s, which there is not, is refused with the nearest names',
    async (name, words, nearest) => {
      gateway = await freshGateway();
      for (const [what, body] of [
        ['limits', { rate: 1 }],
        ['pause', { paused: true }],
        ['kill-switch', { active: true }],
      ] as const) {
        const sent = await gateway.request('PUT', path('symbol', name, what), body);
        expect([sent.status, sent.body.code, sent.body.nearest]).toEqual([422, 'UNKNOWN_SYMBOL', nearest]);
        expect(sent.body.error).toContain(words);
      }
      expect((await gateway.request('GET', '/admin/restrictions')).body.result).toEqual([]);
    },
  );

  it('a restriction of a name in the symbol map that is no market is one of its market', async () => {
    gateway = await freshGateway();
    for (const [symbol, exchange] of [
      ['BTC', undefined],
      ['NQ1!', 'bybit'],
    ] as const)
      await gateway.request('PUT', '/admin/symbol-map', { symbol, market: 'BTCUSDT', ...(exchange && { exchange }) });
    const sent = await gateway.request('PUT', path('symbol', 'BTC', 'kill-switch'), { active: true });
    expect(sent.body.result.name).toBe('BTCUSDT');
    expect((await gateway.send({ symbol: 'BTC' })).body.code).toBe('KILL_SWITCH_ACTIVE');
    expect((await setLimits(gateway, 'symbol', 'NQ1!', { rate: 1 })).body.result.name).toBe('bybit:BTCUSDT');
  });

  it('a restriction of a market that is gone can be taken away', async () => {
    await gateway.restrictions.pause({ kind: 'symbol', name: 'GONEUSDT' }, {}, 'test');
    const sent = await gateway.request('PUT', path('symbol', 'GONEUSDT', 'pause'), { paused: false });
    expect([sent.status, sent.body.result.paused]).toEqual([200, false]);
  });

  it.each([
    ['limits', { rate: 1 }],
    ['pause', { paused: true }],
    ['kill-switch', { active: true }],
  ] as const)('%s of a strategy that no signal ever had is in force, with a warning', async (what, body) => {
    expectFilled(await gateway.send({ strategy: 'ls' }));
    const doubted = await gateway.request('PUT', path('strategy', 'LS', what), body);
    expect([doubted.status, doubted.body.warnings]).toEqual([
      ...[200, [expect.stringContaining('no signal ever traded under "LS"; names are compared exactly')]],
    ]);
    const meant = await gateway.request('PUT', path('strategy', 'ls', what), body);
    expect([meant.status, meant.body]).toEqual([200, expect.not.objectContaining({ warnings: expect.anything() })]);
    const rows = (await gateway.request('GET', '/admin/restrictions')).body.result;
    expect(rows.map(({ name }: { name: string }) => name)).toEqual(['LS', 'ls']);
  });

  it('names are found in every spelling, and any strategy can be named', async () => {
    await setLimits(gateway, 'symbol', 'BTC/USDT', { rate: 1 });
    await setLimits(gateway, 'symbol', 'bybit:btcusdt', { rate: 1 });
    await setLimits(gateway, 'account', 'binance', { rate: 1 });
    await setLimits(gateway, 'strategy', 'a/b c:d', { rate: 1 });
    const rows = (await gateway.request('GET', '/admin/restrictions')).body.result;
    expect(rows.map((row: { kind: string; name: string }) => `${row.kind}:${row.name}`)).toEqual([
      ...['account:binance:main', 'strategy:a/b c:d', 'symbol:BTCUSDT', 'symbol:bybit:BTCUSDT'],
    ]);
    const audited = (await gateway.request('GET', '/admin/audit?limit=1')).body.result[0];
    expect(audited).toMatchObject({
      setting: 'restriction',
      before: null,
      after: { kind: 'strategy', limits: { rate: 1 } },
    });
  });
});
