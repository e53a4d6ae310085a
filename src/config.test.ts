// Settings through their front door: defaults, sources, limits, and all faults told at once.

import { describe, expect, it } from 'vitest';
import { faultsOf, load } from './config/testing/load.ts';
import { loadConfig, settingsTable } from './config.ts';

const PAPER_VENUE = { mode: 'paper', hasOwnMode: false, credentials: undefined, baseUrl: undefined };

describe('defaults', () => {
  it('warns when the address is public and the internal endpoints have no token', () => {
    expect(load({ BASE_URL: 'https://signals.example.com' }).warnings.join()).toContain('set INTERNAL_TOKEN');
    expect(load({ BASE_URL: 'https://signals.example.com', INTERNAL_TOKEN: 'x'.repeat(16) }).warnings).toEqual([]);
    expect(load({ BASE_URL: 'http://127.0.0.1:8787' }).warnings).toEqual([]);
    expect(load({ PROCESS_URL: 'http://10.0.0.12:8787' }).warnings.join()).toContain('Set HOST=10.0.0.12, or 0.0.0.0.');
    expect(load({ PROCESS_URL: 'http://127.0.0.1:8787' }).warnings).toEqual([]);
  });

  it('are safe: loopback, paper, simulated, keys needed', () => {
    expect(load({})).toMatchObject({
      host: '127.0.0.1',
      port: 8787,
      baseUrl: undefined,
      environment: 'development',
      services: ['gateway', 'analysis', 'scripts', 'dashboard'],
      dataDir: './data',
      logLevel: 'info',
      drainTimeoutMs: 10_000,
      internalToken: undefined,
      adminToken: undefined,
      webhookApiKeys: [],
      ipAllowlist: [],
      trustedProxies: [],
      webhookRatePerMinute: 120,
      rateLimits: 'here',
      queueMode: 'failover',
      signalMaxAgeMs: 60_000,
      idempotencyWindowMs: 86_400_000,
      venues: { binance: PAPER_VENUE, bybit: PAPER_VENUE, mexc: PAPER_VENUE },
      masterKey: undefined,
      allowWithdrawalKeys: false,
      leavePositions: [],
      liveGuards: { staleQuoteMs: 10_000, priceThroughPercent: 20, spreadPercent: 5 },
      paperBalance: '100000',
      paperPositionMode: 'one-way',
      marketData: 'simulated',
      liveBars: 'here',
      marketSeed: 1,
      telegram: { token: undefined, defaultChat: undefined, allowedChats: [] },
      allowedOrigins: [],
      redisUrl: undefined,
      analysis: {
        store: 'json',
        jsonPath: undefined,
        sqlitePath: undefined,
        usageReset: 'monthly',
        freeRatePerMinute: 0,
        limits: { maxBars: 50_000, maxScriptChars: 262_144, runTimeoutMs: 10_000 },
      },
      scripts: {
        keyStore: 'sqlite',
        database: 'sqlite',
        allowOpenKeys: false,
        requireRunAuth: false,
        clientIds: { github: undefined, gitlab: undefined },
        webhookAllow: [],
      },
      warnings: [],
    });
  });

  it('stand in for every empty value', () => {
    const empty = Object.fromEntries(settingsTable().map(({ name }) => [name, '  ']));
    expect(load(empty)).toEqual(load({}));
  });

  it('cannot be changed afterwards, at any depth', () => {
    const config = load({ IP_ALLOWLIST: '10.0.0.1' });
    for (const part of [config, config.ipAllowlist, config.venues.binance, config.settings, config.settings[0]])
      expect(Object.isFrozen(part)).toBe(true);
  });
});

describe('numbers', () => {
  it.each([
    ['PORT', 0, 65_535],
    ['DRAIN_TIMEOUT_S', 0, 300],
    ['WEBHOOK_RATE_PER_MINUTE', 0, 1_000_000],
    ['SIGNAL_MAX_AGE_S', 1, 86_400],
    ['IDEMPOTENCY_WINDOW_S', 1, 2_592_000],
    ['STALE_QUOTE_S', 1, 3600],
    ['MARKET_SEED', 0, 4_294_967_295],
  ])('%s takes %i to %i and nothing beside', (name, min, max) => {
    for (const good of [min, max]) expect(faultsOf({ [name]: String(good) })).toEqual([]);
    for (const bad of [min - 1, max + 1, min + 0.5, 'ten', '1e1', '0x1', '+1'])
      expect(faultsOf({ [name]: String(bad) })).toEqual([
        `${name}: "${bad}" does not fit; write a whole number from ${min} to ${max}.`,
      ]);
  });

  it.each(['MAX_PRICE_THROUGH_PERCENT', 'MAX_SPREAD_PERCENT'])('%s is a percentage', (name) => {
    for (const good of ['0', '0.0001', '2.5', '100']) expect(faultsOf({ [name]: good })).toEqual([]);
    for (const bad of ['-1', '100.0001', '0.00001', '5%', '1e1', 'many'])
      expect(faultsOf({ [name]: bad })).toEqual([
        `${name}: "${bad}" is no percentage; write a plain number from 0 to 100, like 2.5.`,
      ]);
  });

  it('PAPER_BALANCE keeps its decimal text and refuses zero, signs and exponents', () => {
    expect(load({ PAPER_BALANCE: '0.00000001' }).paperBalance).toBe('0.00000001');
    expect(load({ PAPER_BALANCE: '999999999999' }).paperBalance).toBe('999999999999');
    for (const bad of ['0', '0.0', '-1', '1e5', '1000000000000', '0.000000001', '1,000'])
      expect(faultsOf({ PAPER_BALANCE: bad })).toHaveLength(1);
  });

  it('PAPER_ACCOUNTS names accounts with their balances', () => {
    expect(load({}).paperAccounts).toEqual([]);
    const named = `binance:scalp=5000, bybit:main=0.5:hedge,mexc:${'a'.repeat(32)}=1:one-way,binance:0-_=7`;
    expect(load({ PAPER_ACCOUNTS: named }).paperAccounts).toEqual([
      { exchange: 'binance', account: 'scalp', balance: '5000' },
      { exchange: 'bybit', account: 'main', balance: '0.5', positionMode: 'hedge' },
      { exchange: 'mexc', account: 'a'.repeat(32), balance: '1', positionMode: 'one-way' },
      { exchange: 'binance', account: '0-_', balance: '7' },
    ]);
  });

  it.each([
    ['binance:scalp', 'is no account; write it like binance:scalp=5000'],
    ['scalp=5000', 'is no account; write it like binance:scalp=5000'],
    ['kraken:scalp=5000', 'names no exchange; begin it with one of binance, bybit, mexc'],
    ['binance:=5000', 'has no name for an account'],
    ['binance:Scalp=5000', 'has no name for an account'],
    ['binance:-scalp=5000', 'has no name for an account'],
    [`binance:${'a'.repeat(33)}=5000`, 'has no name for an account'],
    ['binance:bybit=5000', 'gives an account the name of an exchange'],
    ['binance:scalp=0', '"0" is no amount'],
    ['binance:scalp=', '"" is no amount'],
    ['binance:scalp=5000:', 'names no position mode; end it with :one-way or :hedge'],
    ['binance:scalp=5000:both', 'names no position mode'],
    ['binance:scalp=5000:hedge:hedge', 'names no position mode'],
    ['binance:scalp=:hedge', '"" is no amount'],
    ['binance:scalp=1,binance:scalp=2:hedge', 'binance:scalp is named twice'],
    [Array.from({ length: 65 }, (_, n) => `binance:a${n}=1`).join(), 'names more than 64 accounts'],
  ])('PAPER_ACCOUNTS refuses %s with the remedy', (text, words) => {
    expect(faultsOf({ PAPER_ACCOUNTS: text })).toEqual([expect.stringContaining(words)]);
  });
});

describe('words', () => {
  it.each(['TRADING_MODE', 'BINANCE_MODE', 'BYBIT_MODE', 'MEXC_MODE'])(
    '%s is paper, testnet or live, and nothing near them',
    (name) => {
      for (const mode of ['paper', 'testnet', 'live']) expect(faultsOf({ [name]: mode })).toEqual([]);
      for (const other of ['Live', 'real', 'test'])
        expect(faultsOf({ [name]: other })).toEqual([
          `${name}: "${other}" is not known; use one of paper, testnet, live.`,
        ]);
    },
  );

  it('an exchange is in the mode of its own setting, and in that of TRADING_MODE without one; paper if nobody says anything', () => {
    const modesOf = (env: Record<string, string>) => {
      const { binance, bybit } = load(env).venues;
      return [binance.mode, binance.hasOwnMode, bybit.mode, bybit.hasOwnMode];
    };
    expect(modesOf({})).toEqual(['paper', false, 'paper', false]);
    expect(modesOf({ TRADING_MODE: 'live' })).toEqual(['live', false, 'live', false]);
    expect(modesOf({ TRADING_MODE: 'live', BINANCE_MODE: 'testnet' })).toEqual(['testnet', true, 'live', false]);
    expect(modesOf({ BINANCE_MODE: 'live' })).toEqual(['live', true, 'paper', false]);
  });

  it('QUEUE_MODE names its choices', () => {
    expect(load({ QUEUE_MODE: 'async' }).queueMode).toBe('async');
    expect(faultsOf({ QUEUE_MODE: 'later' })).toEqual([
      'QUEUE_MODE: "later" is not known; use one of direct, async, failover.',
    ]);
  });

  it('SERVICES takes any of them once', () => {
    expect(load({ SERVICES: ' gateway, gateway ' }).services).toEqual(['gateway']);
    expect(load({ SERVICES: 'scripts,analysis' }).services).toEqual(['scripts', 'analysis']);
    expect(faultsOf({ SERVICES: 'gatway' })).toEqual([
      'SERVICES: "gatway" is not known; use one of gateway, analysis, scripts, dashboard.',
    ]);
    expect(faultsOf({ SERVICES: ',' })).toEqual([
      'SERVICES: names no service; use one or more of gateway, analysis, scripts, dashboard.',
    ]);
  });

  it.each(['simulated', 'binance', 'bybit', 'mexc'])('MARKET_DATA may be %s', (source) => {
    expect(load({ MARKET_DATA: source }).marketData).toBe(source);
  });

  it('MARKET_DATA knows no other source', () => {
    expect(faultsOf({ MARKET_DATA: 'nyse' })).toEqual([
      'MARKET_DATA: "nyse" is not known; use one of simulated, binance, bybit, mexc.',
    ]);
  });
});

describe('addresses', () => {
  it('BASE_URL loses its trailing slash and must be a web address', () => {
    expect(load({ BASE_URL: 'https://box.example/sub/' }).baseUrl).toBe('https://box.example/sub');
    for (const bad of ['box.example', 'ftp://box.example', 'https://u:p@box.example', 'https://box.example/?a=1'])
      expect(faultsOf({ BASE_URL: bad })).toHaveLength(1);
  });

  it('every bad entry of an address list is a fault, and the word tradingview belongs to the allowlist only', () => {
    expect(load({ IP_ALLOWLIST: 'TradingView, 10.0.0.0/8' }).ipAllowlist).toEqual(['TradingView', '10.0.0.0/8']);
    expect(faultsOf({ IP_ALLOWLIST: 'here,10.0.0.1,there', TRUSTED_PROXIES: 'tradingview' })).toEqual([
      'IP_ALLOWLIST: "here": write an address like 10.0.0.1.',
      'IP_ALLOWLIST: "there": write an address like 10.0.0.1.',
      'TRUSTED_PROXIES: "tradingview": write an address like 10.0.0.1.',
    ]);
  });

  it('a list holds 256 entries and not one more', () => {
    const entries = (count: number) => Array.from({ length: count }, (_, i) => `10.0.${i >> 8}.${i & 255}`).join(',');
    expect(load({ IP_ALLOWLIST: entries(256) }).ipAllowlist).toHaveLength(256);
    expect(faultsOf({ IP_ALLOWLIST: entries(257) })).toHaveLength(1);
  });
});

describe('all faults at once', () => {
  it('one message holds a line for each', () => {
    const env = { PORT: '99999', QUEUE_MODE: 'x', HOST: '0.0.0.0', IP_ALLOWLIST: 'nowhere' };
    expect(() => load(env, 'what is this')).toThrow(/5 settings need your attention\.\n( {2}- .+\n?){5}$/);
    expect(faultsOf(env, 'what is this').map((fault) => fault.split(':')[0])).toEqual([
      '.env',
      'PORT',
      'QUEUE_MODE',
      'IP_ALLOWLIST',
      'HOST',
    ]);
  });
});

describe('warnings', () => {
  it('are none for settings as they should be', () => {
    expect(load({ DATABASE_URL: 'postgres://user@host/database', SMTP_PORT: '' }).warnings).toEqual([]);
  });
});

describe('DATABASE_URL', () => {
  const url = 'postgres://user:password@host/database';

  it('is read, and never shown', () => {
    const config = load({ DATABASE_URL: url });
    expect(config.databaseUrl).toBe(url);
    expect(JSON.stringify(config.settings)).not.toContain('password@');
  });

  it('is asked for by SCRIPT_DATABASE_URL', () => {
    expect(faultsOf({ SCRIPT_DATABASE_URL: url })).toEqual([
      'SCRIPT_DATABASE_URL: goes with DATABASE_URL, which is not set; set both, or neither.',
    ]);
    expect(load({ SCRIPT_DATABASE_URL: url, DATABASE_URL: url }).scriptDatabaseUrl).toBe(url);
  });

  it('makes INTERNAL_TOKEN a must on an address that others reach, whatever password a folder has', () => {
    const env = { HOST: '0.0.0.0', ADMIN_TOKEN: 'a'.repeat(32), DATABASE_URL: url };
    const read = () => loadConfig(env, { checkAddressEntry: () => undefined, hasPassword: () => true });
    expect(read).toThrow(/HOST: .*Set INTERNAL_TOKEN/);
    expect(read).not.toThrow(/password of the dashboard/);
  });
});
