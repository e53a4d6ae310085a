// The table of accounts, row by row: every mode, whoever sets it, with every kind of credentials.

import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { EXCHANGES, type Exchange } from '../exchanges/exchange.ts';
import {
  type AccountSources,
  configuredAccounts,
  type ExchangeSettings,
  type RealMode,
} from './configured-accounts.ts';
import type { VenueMode } from './venue.ts';

const KEYS = { apiKey: 'k', secret: 's' };
const PAPER: ExchangeSettings = { mode: 'paper', hasOwnMode: false, credentials: undefined };

interface Given {
  readonly settings?: Partial<ExchangeSettings>;
  readonly stored?: Readonly<Record<string, RealMode>>;
  readonly paper?: readonly string[];
  readonly exchange?: Exchange;
}

/** What there is at one exchange; the others are on paper. */
function at({ settings = {}, stored = {}, paper = [], exchange = 'binance' }: Given = {}) {
  const found = configuredAccounts({
    venues: { binance: PAPER, bybit: PAPER, mexc: PAPER, [exchange]: { ...PAPER, ...settings } },
    stored: Object.entries(stored).map(([account, mode]) => ({ exchange, account, mode })),
    paperAccounts: paper.map((account) => ({ exchange, account })),
  });
  const here = found.accounts.filter((each) => each.exchange === exchange);
  return {
    accounts: here.map(({ account, mode, credentialsFrom }) => `${account} ${mode} ${credentialsFrom}`),
    off: found.off.map(({ account = '(all)', why }) => `${account}: ${why}`),
    faults: found.faults,
  };
}

describe('on paper', () => {
  it('every exchange has main, and those of PAPER_ACCOUNTS, in the order of the exchanges', () => {
    const { accounts, off, faults } = configuredAccounts({
      venues: { binance: PAPER, bybit: PAPER, mexc: PAPER },
      stored: [],
      paperAccounts: [
        { exchange: 'bybit', account: 'scalp' },
        { exchange: 'bybit', account: 'main' },
        { exchange: 'bybit', account: 'alpha' },
      ],
    });
    expect(accounts.map(({ exchange, account }) => `${exchange}:${account}`)).toEqual([
      ...['binance:main', 'bybit:main', 'bybit:alpha', 'bybit:scalp', 'mexc:main'],
    ]);
    expect(accounts.every(({ mode, credentialsFrom }) => mode === 'paper' && credentialsFrom === 'none')).toBe(true);
    expect([off, faults]).toEqual([[], []]);
  });

  it('credentials of the environment change nothing', () => {
    expect(at({ settings: { credentials: KEYS } })).toEqual({ accounts: ['main paper none'], off: [], faults: [] });
  });

  it('a stored account waits and says what to set, unless a paper account has its name', () => {
    expect(at({ stored: { main: 'live', scalp: 'live', both: 'testnet' }, paper: ['both'] })).toEqual({
      accounts: ['main paper none', 'both paper none'],
      off: [
        'scalp: binance:scalp is a live account and Binance is set to paper; set BINANCE_MODE=live and restart, or trade on another account',
      ],
      faults: [],
    });
  });
});

describe.each(['testnet', 'live'] as const)('set to %s', (mode) => {
  const title = 'Binance';
  const remedy = `set BINANCE_API_KEY and BINANCE_API_SECRET, or say "signalbox accounts add binance:main --mode ${mode}", and restart`;

  it.each([true, false])('credentials of the environment are those of main (by its own setting: %s)', (hasOwnMode) => {
    const settings = { mode, hasOwnMode, credentials: KEYS };
    expect(at({ settings })).toEqual({ accounts: [`main ${mode} environment`], off: [], faults: [] });
  });

  it('stored accounts are there in their own mode, main first', () => {
    const stored = { zeta: mode, main: mode, alpha: 'testnet' } as const;
    expect(at({ settings: { mode }, stored })).toEqual({
      accounts: [`main ${mode} stored`, 'alpha testnet stored', `zeta ${mode} stored`],
      off: [],
      faults: [],
    });
  });

  it('both kinds stand beside each other, and main need not be there', () => {
    expect(at({ settings: { mode, credentials: KEYS }, stored: { scalp: mode } }).accounts).toEqual([
      ...[`main ${mode} environment`, `scalp ${mode} stored`],
    ]);
    expect(at({ settings: { mode, hasOwnMode: true }, stored: { scalp: mode } })).toEqual({
      accounts: [`scalp ${mode} stored`],
      off: [],
      faults: [],
    });
  });

  it('paper accounts are not there, not even those that are named', () => {
    expect(at({ settings: { mode, credentials: KEYS }, paper: ['main', 'scalp'] }).accounts).toEqual([
      `main ${mode} environment`,
    ]);
    expect(at({ settings: { mode }, paper: ['main', 'scalp'] }).accounts).toEqual([]);
  });

  it('without credentials the exchange is off by TRADING_MODE, and a fault by its own setting', () => {
    const why = `${title} is set to ${mode} and has no credentials; ${remedy}`;
    expect(at({ settings: { mode } })).toEqual({ accounts: [], off: [`(all): ${why}`], faults: [] });
    expect(at({ settings: { mode, hasOwnMode: true } })).toEqual({
      accounts: [],
      off: [],
      faults: [`BINANCE_MODE: ${why}.`],
    });
  });

  it('one exchange that is off leaves the others alone', () => {
    const live = { mode, hasOwnMode: false, credentials: KEYS };
    const found = configuredAccounts({
      venues: { binance: live, bybit: { ...live, credentials: undefined }, mexc: PAPER },
      stored: [],
      paperAccounts: [],
    });
    expect(found.accounts.map(({ exchange, mode: own }) => `${exchange} ${own}`)).toEqual([
      ...[`binance ${mode}`, 'mexc paper'],
    ]);
    expect(found.off.map(({ exchange }) => exchange)).toEqual(['bybit']);
  });
});

describe('a live account under testnet', () => {
  const why =
    'binance:scalp is a live account and Binance is set to testnet; set BINANCE_MODE=live and restart, or trade on another account';

  it('is off, and its keys are not tried at the testnet', () => {
    expect(at({ settings: { mode: 'testnet', credentials: KEYS }, stored: { scalp: 'live' } })).toEqual({
      accounts: ['main testnet environment'],
      off: [`scalp: ${why}`],
      faults: [],
    });
  });

  it('is no account to start with', () => {
    const { accounts, off, faults } = at({ settings: { mode: 'testnet' }, stored: { scalp: 'live' } });
    expect([accounts, off.length, off[0], faults]).toEqual([[], 2, `scalp: ${why}`, []]);
    expect(at({ settings: { mode: 'testnet', hasOwnMode: true }, stored: { scalp: 'live' } }).faults).toEqual([
      `BINANCE_MODE: ${why}.`,
    ]);
  });
});

describe('two sources for main', () => {
  it.each(['paper', 'testnet', 'live'] as const)('are a fault that names both, under %s', (mode) => {
    const { faults } = at({ settings: { mode, credentials: KEYS }, stored: { main: 'testnet' } });
    expect(faults).toEqual([
      'BINANCE_API_KEY: the environment has credentials for binance:main, and others are stored for it; unset BINANCE_API_KEY and BINANCE_API_SECRET, or say "signalbox accounts remove binance:main --yes".',
    ]);
  });
});

describe('an exchange without a testnet', () => {
  const why = 'MEXC has no testnet; set MEXC_MODE to paper or live';

  it('is refused where its own setting asks for it, and off where TRADING_MODE does, whatever credentials it has', () => {
    for (const credentials of [undefined, KEYS]) {
      const settings = { mode: 'testnet', credentials } as const;
      expect(at({ exchange: 'mexc', settings: { ...settings, hasOwnMode: true } })).toEqual({
        accounts: [],
        off: [],
        faults: [`MEXC_MODE: ${why}.`],
      });
      expect(at({ exchange: 'mexc', settings })).toEqual({ accounts: [], off: [`(all): ${why}`], faults: [] });
    }
  });

  it('says of its stored accounts what to set', () => {
    const { accounts, off } = at({ exchange: 'mexc', settings: { mode: 'testnet' }, stored: { scalp: 'live' } });
    expect([accounts, off.length, off[1]]).toEqual([[], 2, `(all): ${why}`]);
    expect(off[0]).toContain('scalp: mexc:scalp is a live account and MEXC is set to testnet; set MEXC_MODE=live');
  });

  it('can be live', () => {
    const settings = { mode: 'live', credentials: KEYS } as const;
    expect(at({ exchange: 'mexc', settings }).accounts).toEqual(['main live environment']);
  });
});

test('whatever is set: no name twice, nothing beyond the mode of its exchange, and never paper where paper is not said', () => {
  const modes = fc.constantFrom<VenueMode>('paper', 'testnet', 'live');
  const settings = fc.record({ mode: modes, hasOwnMode: fc.boolean(), credentials: fc.constantFrom(undefined, KEYS) });
  const name = fc.record({ exchange: fc.constantFrom(...EXCHANGES), account: fc.constantFrom('main', 'a', 'b') });
  const sources: fc.Arbitrary<AccountSources> = fc.record({
    venues: fc.record({ binance: settings, bybit: settings, mexc: settings }),
    stored: fc.uniqueArray(
      fc.tuple(name, fc.constantFrom<RealMode>('testnet', 'live')).map(([of, mode]) => ({ ...of, mode })),
      { selector: ({ exchange, account }) => `${exchange}:${account}` },
    ),
    paperAccounts: fc.array(name),
  });
  fc.assert(
    fc.property(sources, (given) => {
      const { accounts, off, faults } = configuredAccounts(given);
      const names = accounts.map(({ exchange, account }) => `${exchange}:${account}`);
      if (faults.length === 0) expect(new Set(names).size).toBe(names.length);
      for (const { exchange, mode, credentialsFrom } of accounts) {
        const most = given.venues[exchange].mode;
        expect(mode === 'paper').toBe(most === 'paper');
        expect(mode === 'live' && most === 'testnet').toBe(false);
        expect(credentialsFrom === 'none').toBe(mode === 'paper');
      }
      // Every exchange is there, or says why not.
      for (const exchange of EXCHANGES)
        if (!accounts.some((each) => each.exchange === exchange))
          expect(off.some((each) => each.exchange === exchange) || faults.length > 0).toBe(true);
    }),
  );
});
