// `signalbox accounts` with a fake host: what it asks for, what it refuses before it does anything, and what it never prints.

import { describe, expect, test } from 'vitest';
import type { ListedAccount, OpenedAccounts, TestedAccount } from '../host.ts';
import { type Given, run } from '../testing/fake-host.ts';

const KEY = 'abcdKEYofTheAccount';
const SECRET = 'theSecretOfTheAccount';
const ROWS: readonly ListedAccount[] = [
  {
    ...{ exchange: 'binance', account: 'main', mode: 'paper', credentialsFrom: 'none', keyStart: '', off: '' },
    isUnconfirmed: false,
  },
  {
    exchange: 'binance',
    account: 'scalp',
    mode: 'live',
    credentialsFrom: 'stored',
    keyStart: 'abcd',
    off: 'set BINANCE_MODE=live',
    isUnconfirmed: true,
  },
];
const TESTED: TestedAccount = {
  ...{ clockOffsetMs: -12, balance: '1000.5', positionMode: 'hedge', refusal: undefined, advice: ['lock it'] },
  permissions: { canTrade: true, canWithdraw: false, canTransfer: false, ipLocked: undefined },
};

function hostWith(more: Partial<OpenedAccounts> = {}) {
  const done: unknown[] = [];
  const accounts: OpenedAccounts = {
    list: async () => ({ accounts: ROWS, faults: [], environment: [] }),
    add: async (account, credentials) => {
      done.push(['add', account, credentials]);
      return { sealedWith: 'SIGNALBOX_MASTER_KEY', keyStart: credentials.apiKey.slice(0, 4), waits: '' };
    },
    test: async (name) => {
      done.push(['test', name]);
      return TESTED;
    },
    live: async () => ROWS[1] as ListedAccount,
    confirm: async (name) => void done.push(['confirm', name]),
    remove: async (name, options) => void done.push(['remove', name, options]),
    where: 'data folder x',
    running: true,
    close: async () => void done.push('closed'),
    ...more,
  };
  return { done, given: (rest: Given = {}): Given => ({ accounts, ...rest }) };
}

const SCALP = { exchange: 'binance', account: 'scalp' };

describe('accounts confirm', () => {
  const CONFIRM = ['accounts', 'confirm', 'binance:scalp'];

  test('names the key and the money, and does nothing without a yes', async () => {
    const { done, given } = hostWith();
    const ran = await run(CONFIRM, given({ input: 'no\n' }));
    expect([ran.code, done]).toEqual([1, ['closed']]);
    expect(ran.err).toContain('Really let binance:scalp (key abcd…) open positions with REAL MONEY? Type yes:');
  });

  test.each([
    [['--yes'], {}],
    [[], { input: 'yes\n' }],
  ])('with %j it is done, and says that it counts at once', async (more, input) => {
    const { done, given } = hostWith();
    const ran = await run([...CONFIRM, ...more], given(input));
    expect([ran.code, done]).toEqual([0, [['confirm', SCALP], 'closed']]);
    expect(ran.out).toContain('binance:scalp may open positions with REAL MONEY from now on, without a restart.');
  });

  test('takes no flag of another verb, and goes to no other machine', async () => {
    for (const words of [['--force'], ['--mode', 'live'], ['--url', 'http://127.0.0.1:1']])
      expect((await run([...CONFIRM, ...words], hostWith().given())).code).toBe(2);
  });
});

describe('accounts add', () => {
  const ADD = ['accounts', 'add', 'binance:scalp', '--mode', 'live'];

  test.each([
    ['typed on the terminal', { typed: [KEY, SECRET] }],
    ['two lines of standard input', { input: `${KEY}\n${SECRET}\n` }],
    ['JSON on standard input', { input: JSON.stringify({ apiKey: KEY, secret: SECRET }, null, 2) }],
  ])('takes credentials %s, and shows four characters of them', async (_, given) => {
    const { done, given: host } = hostWith();
    const ran = await run([...ADD, '--position-mode', 'hedge'], host(given));
    expect(ran.code).toBe(0);
    expect(done).toEqual([
      ['add', { ...SCALP, mode: 'live', positionMode: 'hedge' }, { apiKey: KEY, secret: SECRET }],
      'closed',
    ]);
    expect(ran.out).toContain('Stored binance:scalp (live), key abcd…, sealed with SIGNALBOX_MASTER_KEY.');
    expect(ran.out).toContain('Restart Signalbox to use it.');
    for (const secret of [KEY, SECRET]) expect(JSON.stringify(ran)).not.toContain(secret);
  });

  test('says so where nothing runs, and where the account has to wait', async () => {
    expect((await run(ADD, hostWith({ running: false }).given({ typed: [KEY, SECRET] }))).out).toContain(
      'It is used from the next start on.',
    );
    const add: OpenedAccounts['add'] = async () => ({
      sealedWith: 'x',
      keyStart: 'abcd',
      waits: 'there is no adapter',
    });
    const ran = await run(ADD, hostWith({ add }).given({ typed: [KEY, SECRET] }));
    expect(ran.out).toContain('It waits: there is no adapter.');
    expect(ran.out).not.toContain('Restart');
  });

  test('answers as JSON without the secrets', async () => {
    const ran = await run([...ADD, '--json'], hostWith().given({ input: `${KEY}\n${SECRET}` }));
    expect(JSON.parse(ran.out)).toEqual({
      success: true,
      result: { ...SCALP, mode: 'live', keyStart: 'abcd', sealedWith: 'SIGNALBOX_MASTER_KEY', waits: '' },
    });
  });

  test.each([
    [[], 'The account is missing'],
    [['binance'], 'That names no account; write its exchange and its name, like binance:main'],
    [['kraken:main', '--mode', 'live'], 'Exchange "kraken" is not known'],
    [['binance:Main', '--mode', 'live'], '"Main" is no name for an account'],
    [['binance:bybit', '--mode', 'live'], '"bybit" is no name for an account'],
    [['binance:a:b', '--mode', 'live'], 'names no account'],
    [['binance:main'], '--mode is missing: say testnet or live'],
    [['binance:main', '--mode', 'paper'], 'Mode "paper" is not known'],
    [['mexc:main', '--mode', 'testnet'], 'MEXC has no testnet; use --mode live, or trade on paper'],
    [['binance:main', '--mode', 'live', '--position-mode', 'both'], 'Position mode "both" is not known'],
    [['binance:main', '--mode', 'live', '--url', 'http://127.0.0.1:1'], '--url does not go with "accounts add"'],
    [['binance:main', '--mode', 'live', '--force'], '--force belongs to "accounts remove"'],
  ])('%j is refused before anything is asked', async (words, fault) => {
    const { done, given } = hostWith();
    const ran = await run(['accounts', 'add', ...words], given({ typed: [KEY, SECRET] }));
    expect([ran.code, done]).toEqual([2, []]);
    expect(ran.err).toContain(fault);
  });

  test('a key on the command line is refused and not repeated', async () => {
    const { done, given } = hostWith();
    const NAME = 'binance:main';
    for (const words of [
      [NAME, KEY, SECRET],
      [KEY, SECRET],
      [NAME, '--api-key', KEY],
      [NAME, `--secret=${SECRET}`],
    ]) {
      const ran = await run(['accounts', 'add', ...words, '--mode', 'live'], given());
      expect([ran.code, done]).toEqual([2, []]);
      for (const secret of [KEY, SECRET]) expect(JSON.stringify(ran)).not.toContain(secret);
    }
  });

  test.each([
    [{ input: '' }, 'there is nothing on standard input'],
    [{ input: `${KEY}\n` }, 'has not two lines'],
    [{ typed: [KEY, 'two words'] }, 'the secret is malformed'],
  ])('%j stores nothing', async (rest, fault) => {
    const { done, given } = hostWith();
    const ran = await run(ADD, given(rest));
    expect([ran.code, done]).toEqual([1, []]);
    expect(ran.err).toContain(`Nothing was stored: `);
    expect(ran.err).toContain(fault);
    expect(JSON.stringify(ran)).not.toContain(KEY);
  });
});

describe('accounts list', () => {
  test('shows where credentials come from, four characters of the key, and why one is off', async () => {
    const ran = await run(['accounts', 'list'], hostWith().given());
    expect(ran.out.split('\n').map((line) => line.trim().split(/ {2,}/))).toEqual([
      ['account', 'mode', 'credentials', 'key', 'real money', 'off'],
      ['binance:main', 'paper', 'none', '-', '-', '-'],
      ['binance:scalp', 'LIVE', 'stored', 'abcd…', 'NOT CONFIRMED', 'set BINANCE_MODE=live'],
    ]);
    const json = await run(['accounts', 'list', '--json'], hostWith().given());
    expect(JSON.parse(json.out)).toEqual({ success: true, result: ROWS, faults: [] });
  });

  test('tells what would stop a start, and ends with 1', async () => {
    const list: OpenedAccounts['list'] = async () => ({
      ...{ accounts: ROWS, faults: ['BINANCE_API_KEY: claimed twice.'], environment: [] },
    });
    const ran = await run(['accounts', 'list'], hostWith({ list }).given());
    expect([ran.code, ran.err]).toEqual([1, expect.stringContaining('No start is possible. BINANCE_API_KEY')]);
  });
});

describe('accounts test', () => {
  test('shows clock, balance and permissions, and what is to be noted', async () => {
    const { done, given } = hostWith();
    const ran = await run(['accounts', 'test', 'binance:scalp'], given());
    expect([ran.code, done]).toEqual([0, [['test', SCALP], 'closed']]);
    expect(ran.out).toMatch(/^binance:scalp answers\.\n/);
    expect(ran.out).toMatch(/clock +-12 ms ahead of ours\n *balance +1000\.5 USDT\n *position mode +hedge\n/);
    expect(ran.out).toMatch(/may trade +yes\n *may withdraw +no\n *may transfer +no\n *locked to addresses +not told/);
    expect(ran.err).toContain('Note: lock it.');
  });

  test('ends with 1 where the key would open nothing', async () => {
    const tested = async () => ({ ...TESTED, refusal: 'the key may withdraw' });
    const ran = await run(['accounts', 'test', 'binance:scalp'], hostWith({ test: tested }).given());
    expect([ran.code, ran.err]).toEqual([1, expect.stringContaining('It would not be opened: the key may withdraw.')]);
    const json = await run(['accounts', 'test', 'binance:scalp', '--json'], hostWith({ test: tested }).given());
    expect([json.code, JSON.parse(json.out).success]).toEqual([1, false]);
  });
});

describe('accounts remove', () => {
  test('asks first', async () => {
    for (const [input, code, did] of [
      ['no\n', 1, 1],
      ['', 1, 1],
      ['yes\n', 0, 2],
    ] as const) {
      const { done, given } = hostWith();
      const ran = await run(['accounts', 'remove', 'binance:scalp'], given({ input }));
      expect([ran.code, done.length]).toEqual([code, did]);
      expect(ran.err).toContain('Really remove binance:scalp with its credentials? Type yes:');
    }
  });

  test('with --yes and --force does as it is told', async () => {
    const { done, given } = hostWith();
    const ran = await run(['accounts', 'remove', 'binance:scalp', '--yes', '--force'], given());
    expect(done).toEqual([['remove', SCALP, { force: true }], 'closed']);
    expect(ran.out).toContain('delete it at the exchange too');
    expect(ran.out).toContain('The running instance keeps it until it is restarted.');
    await run(['accounts', 'remove', 'binance:scalp', '--yes'], given());
    expect(done[2]).toEqual(['remove', SCALP, { force: false }]);
  });
});

test.each([
  [['ad', 'binance:main'], 'Did you mean "accounts add"?'],
  [['constructor'], 'accounts cannot "constructor"'],
  [['list', 'x'], 'one word too many'],
  [['--yes'], '--yes belongs to "accounts remove"'],
  [['list', '--mode', 'live'], '--mode belongs to "accounts add"'],
])('%j is a wrong command line', async (words, fault) => {
  const ran = await run(['accounts', ...words], hostWith().given());
  expect([ran.code, ran.err]).toEqual([2, expect.stringContaining(fault)]);
});
