// Settings through their front door: defaults, sources, limits, and all faults told at once.

import { describe, expect, it } from 'vitest';
import { faultsOf, load } from './config/testing/load.ts';
import { maskedSettings, settingsTable } from './config.ts';

const STRONG = 'a-token-of-24-characters';

describe('mail', () => {
  const MAIL = { SMTP_PORT: '2525', SMTP_ALLOWED_SENDERS: 'me@example.com' };

  it('is not taken until a port is set, and then only from proven senders on a list', () => {
    expect(load({})).toMatchObject({ smtpPort: undefined, smtpAllowedSenders: [], smtpAuthPolicy: 'require' });
    expect(load({ ...MAIL, SMTP_ALLOWED_SENDERS: 'me@example.com, @desk.example.com' })).toMatchObject({
      smtpPort: 2525,
      smtpHost: '127.0.0.1',
      smtpAllowedSenders: ['me@example.com', '@desk.example.com'],
      smtpAuthPolicy: 'require',
      smtpMaxAgeMs: 600_000,
    });
    expect(load({ ...MAIL, SMTP_PORT: '0' }).smtpPort).toBe(0);
    expect(load({ ...MAIL, SMTP_PORT: '65535' }).smtpPort).toBe(65_535);
  });

  it('from nobody is a fault with the remedy', () => {
    expect(faultsOf({ SMTP_PORT: '2525' })).toEqual([
      expect.stringMatching(/^SMTP_ALLOWED_SENDERS: .*unset SMTP_PORT/),
    ]);
    expect(faultsOf({ SMTP_PORT: '2525', SMTP_ALLOWED_SENDERS: ' , ' })).toHaveLength(1);
  });

  it.each([
    'me',
    'me@',
    '@',
    '@localhost',
    'me@example',
    'a b@example.com',
    '<me@example.com>',
    'a@b@example.com',
    '*',
  ])('from %j is a fault', (sender) =>
    expect(faultsOf({ ...MAIL, SMTP_ALLOWED_SENDERS: sender })).toEqual([expect.stringContaining('is no sender')]),
  );

  it('without proof is only possible where nobody else reaches it', () => {
    for (const SMTP_HOST of ['127.0.0.1', '::1', 'localhost'])
      expect(faultsOf({ ...MAIL, SMTP_AUTH_POLICY: 'off', SMTP_HOST })).toEqual([]);
    for (const SMTP_HOST of ['0.0.0.0', '::', '10.0.0.1', 'mail.example.com']) {
      expect(faultsOf({ ...MAIL, SMTP_AUTH_POLICY: 'off', SMTP_HOST })).toEqual([
        expect.stringContaining('use require'),
      ]);
      expect(faultsOf({ ...MAIL, SMTP_HOST })).toEqual([]);
    }
  });

  it.each([
    ['SMTP_PORT', '65536'],
    ['SMTP_PORT', '-1'],
    ['SMTP_AUTH_POLICY', 'maybe'],
    ['SMTP_MAX_AGE_S', '9'],
    ['SMTP_MAX_AGE_S', '86401'],
    ['SMTP_HOST', 'a b'],
  ])('%s=%s is a fault', (name, value) => expect(faultsOf({ ...MAIL, [name]: value })).toHaveLength(1));
});

describe('defaults', () => {
  it('warns when the address is public and the internal endpoints have no token', () => {
    expect(load({ BASE_URL: 'https://signals.example.com' }).warnings.join()).toContain('set INTERNAL_TOKEN');
    expect(load({ BASE_URL: 'https://signals.example.com', INTERNAL_TOKEN: 'x'.repeat(16) }).warnings).toEqual([]);
    expect(load({ BASE_URL: 'http://127.0.0.1:8787' }).warnings).toEqual([]);
  });

  it('are safe: loopback, paper, simulated, keys needed', () => {
    expect(load({})).toMatchObject({
      host: '127.0.0.1',
      port: 8787,
      baseUrl: undefined,
      environment: 'development',
      services: ['gateway', 'analysis', 'scripts'],
      dataDir: './data',
      logLevel: 'info',
      drainTimeoutMs: 10_000,
      internalToken: undefined,
      adminToken: undefined,
      webhookApiKeys: [],
      ipAllowlist: [],
      trustedProxies: [],
      webhookRatePerMinute: 120,
      queueMode: 'failover',
      signalMaxAgeMs: 60_000,
      idempotencyWindowMs: 86_400_000,
      venueModes: { binance: 'paper', bybit: 'paper', mexc: 'paper' },
      paperBalance: '100000',
      paperPositionMode: 'one-way',
      marketData: 'simulated',
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
    for (const part of [config, config.ipAllowlist, config.venueModes, config.settings, config.settings[0]])
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
    ['MARKET_SEED', 0, 4_294_967_295],
  ])('%s takes %i to %i and nothing beside', (name, min, max) => {
    for (const good of [min, max]) expect(faultsOf({ [name]: String(good) })).toEqual([]);
    for (const bad of [min - 1, max + 1, min + 0.5, 'ten', '1e1', '0x1', '+1'])
      expect(faultsOf({ [name]: String(bad) })).toEqual([
        `${name}: "${bad}" does not fit; write a whole number from ${min} to ${max}.`,
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
    const named = `binance:scalp=5000, bybit:main=0.5,mexc:${'a'.repeat(32)}=1,binance:0-_=7`;
    expect(load({ PAPER_ACCOUNTS: named }).paperAccounts).toEqual([
      { exchange: 'binance', account: 'scalp', balance: '5000' },
      { exchange: 'bybit', account: 'main', balance: '0.5' },
      { exchange: 'mexc', account: 'a'.repeat(32), balance: '1' },
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
    ['binance:scalp=1,binance:scalp=2', 'binance:scalp is named twice'],
    [Array.from({ length: 65 }, (_, n) => `binance:a${n}=1`).join(), 'names more than 64 accounts'],
  ])('PAPER_ACCOUNTS refuses %s with the remedy', (text, words) => {
    expect(faultsOf({ PAPER_ACCOUNTS: text })).toEqual([expect.stringContaining(words)]);
  });
});

describe('words', () => {
  it.each(['TRADING_MODE', 'BINANCE_MODE', 'BYBIT_MODE', 'MEXC_MODE'])(
    '%s refuses testnet and live in words',
    (name) => {
      expect(faultsOf({ [name]: 'paper' })).toEqual([]);
      expect(faultsOf({ [name]: 'live' })).toEqual([`${name}: live is not part of this release; use paper.`]);
      expect(faultsOf({ [name]: 'testnet' })).toEqual([`${name}: testnet is not part of this release; use paper.`]);
      expect(faultsOf({ [name]: 'Paper' })).toEqual([`${name}: "Paper" is not known; use paper.`]);
    },
  );

  it('QUEUE_MODE names its choices', () => {
    expect(load({ QUEUE_MODE: 'async' }).queueMode).toBe('async');
    expect(faultsOf({ QUEUE_MODE: 'later' })).toEqual([
      'QUEUE_MODE: "later" is not known; use one of direct, async, failover.',
    ]);
  });

  it('SERVICES takes any of them once, and refuses those of later releases', () => {
    expect(load({ SERVICES: ' gateway, gateway ' }).services).toEqual(['gateway']);
    expect(load({ SERVICES: 'scripts,analysis' }).services).toEqual(['scripts', 'analysis']);
    expect(faultsOf({ SERVICES: 'gateway,dashboard' })).toEqual([
      'SERVICES: dashboard is not part of this release; use one of gateway, analysis, scripts.',
    ]);
    expect(faultsOf({ SERVICES: 'gatway' })).toEqual([
      'SERVICES: "gatway" is not known; use one of gateway, analysis, scripts.',
    ]);
    expect(faultsOf({ SERVICES: ',' })).toEqual([
      'SERVICES: names no service; use one or more of gateway, analysis, scripts.',
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

describe('protected mode', () => {
  it.each([
    '127.0.0.1',
    '127.0.0.2',
    '127.8.9.1',
    'localhost',
    'LOCALHOST',
    '::1',
    '[::1]',
    '0:0:0:0:0:0:0:1',
    '::ffff:127.0.0.1',
  ])('HOST %s needs no token', (host) => expect(faultsOf({ HOST: host })).toEqual([]));

  const REACHABLE = ['0.0.0.0', '::', '[::]', '0', '192.168.1.5', '128.0.0.1', '127.1', '::ffff:10.0.0.1'];
  it.each([...REACHABLE, '::ffff:0.0.0.0', 'box.example', 'localhost.localdomain'])(
    'HOST %s needs both tokens and says why',
    (host) => {
      const [fault] = faultsOf({ HOST: host });
      expect(fault).toContain('can be reached from other machines');
      expect(faultsOf({ HOST: host, INTERNAL_TOKEN: STRONG, ADMIN_TOKEN: '  ' })[0]).toContain('without ADMIN_TOKEN');
      expect(faultsOf({ HOST: host, INTERNAL_TOKEN: '  ', ADMIN_TOKEN: STRONG })[0]).toContain(
        'without INTERNAL_TOKEN',
      );
      expect(fault).toContain('Set INTERNAL_TOKEN and ADMIN_TOKEN');
      expect(faultsOf({ HOST: host, INTERNAL_TOKEN: STRONG })[0]).toContain('without ADMIN_TOKEN anyone');
      expect(faultsOf({ HOST: host, ADMIN_TOKEN: STRONG })[0]).toContain('without INTERNAL_TOKEN anyone');
      expect(faultsOf({ HOST: host, ADMIN_TOKEN: STRONG, INTERNAL_TOKEN: STRONG })).toEqual([]);
    },
  );

  it.each(['a b', 'host:80', 'http://x', '-x'])('HOST %s is no address', (host) => {
    expect(faultsOf({ HOST: host })).toHaveLength(1);
  });
});

describe('secrets', () => {
  it.each(['INTERNAL_TOKEN', 'ADMIN_TOKEN'])('%s has 1 to 512 visible characters, with a warning below 16', (name) => {
    for (const length of [16, 512]) expect(load({ [name]: 'x'.repeat(length) }).warnings).toEqual([]);
    for (const length of [1, 15]) {
      const { warnings } = load({ [name]: 'x'.repeat(length) });
      expect(warnings).toEqual([expect.stringMatching(`${name} is SHORT.*at least 16 characters`)]);
    }
    for (const bad of ['x'.repeat(513), `${'x'.repeat(20)} y`, `é${'x'.repeat(20)}`])
      expect(faultsOf({ [name]: bad })).toHaveLength(1);
  });

  it('WALLET_TOKEN guards a signing key: 16 to 512 visible characters', () => {
    for (const length of [16, 512]) expect(faultsOf({ WALLET_TOKEN: 'x'.repeat(length) })).toEqual([]);
    for (const length of [1, 15, 513]) expect(faultsOf({ WALLET_TOKEN: 'x'.repeat(length) })).toHaveLength(1);
  });

  it('an empty ADMIN_TOKEN means disabled', () => {
    expect(load({ ADMIN_TOKEN: '' }).adminToken).toBeUndefined();
  });

  it('WEBHOOK_API_KEYS is a list of 8 to 128 characters each, with a warning below 16', () => {
    expect(load({ WEBHOOK_API_KEYS: `${'k'.repeat(16)}, ${'l'.repeat(128)}` }).warnings).toEqual([]);
    expect(load({ WEBHOOK_API_KEYS: 'k'.repeat(8) }).warnings[0]).toContain('could be guessed');
    expect(faultsOf({ WEBHOOK_API_KEYS: `${'k'.repeat(20)},${'l'.repeat(7)}` })[0]).toContain('key 2 is malformed');
    expect(faultsOf({ WEBHOOK_API_KEYS: 'k'.repeat(129) })).toHaveLength(1);
  });

  it('never appear in a fault or in the shown settings', () => {
    const env = { WALLET_TOKEN: 'hush-hush', ADMIN_TOKEN: 'hush hush hush hush hush', WEBHOOK_API_KEYS: 'hush' };
    expect(faultsOf(env)).toHaveLength(3);
    expect(faultsOf(env).join()).not.toContain('hush');
    const shown = maskedSettings(load({ INTERNAL_TOKEN: STRONG, WEBHOOK_API_KEYS: STRONG }));
    expect(JSON.stringify(shown)).not.toContain(STRONG);
    expect(shown.find(({ name }) => name === 'INTERNAL_TOKEN')?.value).toBe('********');
    expect(shown.find(({ name }) => name === 'ADMIN_TOKEN')?.value).toBe('');
  });
});

describe('telegram', () => {
  const TOKEN = '123456789:AAbbccddeeffgghhiijj_-kk';

  it('is off without a token, and its chats then only cause a warning', () => {
    expect(load({}).telegram).toEqual({
      token: undefined,
      apiRoot: 'https://api.telegram.org',
      defaultChat: undefined,
      allowedChats: [],
    });
    expect(load({ TELEGRAM_DEFAULT_CHAT: '1' }).warnings.join()).toContain('notifications go to the log');
  });

  it('takes a token, a default chat and a list of chats', () => {
    const env = { TELEGRAM_BOT_TOKEN: TOKEN, TELEGRAM_DEFAULT_CHAT: '42', TELEGRAM_ALLOWED_CHATS: '-100500, @news_1' };
    const { telegram, warnings } = load({ ...env, TELEGRAM_API_ROOT: 'http://127.0.0.1:8081/' });
    expect(telegram).toEqual({
      token: TOKEN,
      apiRoot: 'http://127.0.0.1:8081',
      defaultChat: '42',
      allowedChats: ['-100500', '@news_1'],
    });
    expect(warnings).toEqual([]);
    expect(load({ TELEGRAM_BOT_TOKEN: TOKEN }).warnings.join()).toContain('no chat is allowed');
    expect(load({ TELEGRAM_API_ROOT: 'http://bot.example' }).warnings.join()).toContain('use https');
  });

  it.each(['1:short', `${TOKEN}!`, `bot${TOKEN}`, TOKEN.slice(10), `12 ${TOKEN}`])('%s is no token', (token) => {
    const [fault, ...more] = faultsOf({ TELEGRAM_BOT_TOKEN: token });
    expect(more).toEqual([]);
    expect(fault).toContain('copy it whole from @BotFather');
    expect(fault).not.toContain(token);
  });

  it.each(['0', '01', '+1', '1.5', 'me', '@abc', '@1abcd', '-', '12345678901234567', `@${'a'.repeat(33)}`])(
    '%s is no chat',
    (chat) => {
      expect(faultsOf({ TELEGRAM_DEFAULT_CHAT: chat })).toHaveLength(1);
      expect(faultsOf({ TELEGRAM_ALLOWED_CHATS: `1,${chat}` })[0]).toContain(`"${chat}" is no chat`);
    },
  );

  it('has one default chat', () => {
    expect(faultsOf({ TELEGRAM_DEFAULT_CHAT: '1,2' })[0]).toContain('choose one');
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
  it('name a setting of a later release that is set, wherever it is set', () => {
    expect(load({ DATABASE_URL: 'postgres://x', SMTP_PORT: '' }, 'BYBIT_API_SECRET=s').warnings).toEqual([
      'DATABASE_URL is set but nothing in this release reads it.',
      'BYBIT_API_SECRET is set but nothing in this release reads it.',
    ]);
  });
});
