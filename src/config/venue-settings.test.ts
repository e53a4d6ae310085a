// The settings of the exchanges: whole pairs of credentials, addresses nobody reads along at, and a master key that is not guessed.

import { describe, expect, it } from 'vitest';
import { maskedSettings } from '../config.ts';
import { faultsOf, load } from './testing/load.ts';

const KEY = 'k'.repeat(32);
const SECRET = 's'.repeat(32);
const PEM = '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIAbc\n-----END PRIVATE KEY-----';

describe.each(['BINANCE', 'BYBIT', 'MEXC'])('the credentials of %s', (prefix) => {
  const [key, secret] = [`${prefix}_API_KEY`, `${prefix}_API_SECRET`];
  const exchange = prefix.toLowerCase() as 'binance';

  it('are those of its account main, and are shown to nobody', () => {
    const config = load({ [key]: KEY, [secret]: SECRET });
    expect(config.venues[exchange].credentials).toEqual({ apiKey: KEY, secret: SECRET });
    const shown = JSON.stringify(maskedSettings(config));
    expect([shown.includes(KEY), shown.includes(SECRET)]).toEqual([false, false]);
    expect(load({ [key]: KEY, [secret]: PEM }).venues[exchange].credentials?.secret).toBe(PEM);
  });

  it('are not used on paper, and that is told', () => {
    expect(load({ [key]: KEY, [secret]: SECRET }).warnings).toEqual([
      expect.stringMatching(`^${key} is set but not used: \\w+ trades on paper\\.$`),
    ]);
    expect(load({ [`${prefix}_BASE_URL`]: 'http://127.0.0.1:9999' }).warnings[0]).toContain(
      `${prefix}_BASE_URL is set`,
    );
  });

  it('are a pair: one without the other stops the start with the remedy', () => {
    expect(faultsOf({ [key]: KEY })).toEqual([
      `${secret}: is not set, but ${key} is; a key and its secret belong together: set both, or neither.`,
    ]);
    expect(faultsOf({ [secret]: SECRET })).toEqual([
      `${key}: is not set, but ${secret} is; a key and its secret belong together: set both, or neither.`,
    ]);
  });

  it('are copied whole; a fault is told once and never repeats them', () => {
    for (const bad of ['x'.repeat(7), 'hush hush hush', `${'x'.repeat(20)}é`, 'x'.repeat(501)]) {
      const faults = [...faultsOf({ [key]: bad, [secret]: SECRET }), ...faultsOf({ [key]: KEY, [secret]: bad })];
      expect(faults, bad).toHaveLength(2);
      expect(faults.join()).not.toContain(bad);
    }
    for (const length of [8, 500])
      expect(faultsOf({ [key]: 'x'.repeat(length), [secret]: 'x'.repeat(length) })).toEqual([]);
  });
});

describe('BINANCE_BASE_URL', () => {
  it.each([
    ['https://testnet.example.com/', 'https://testnet.example.com'],
    ['http://127.0.0.1:9999', 'http://127.0.0.1:9999'],
    ['http://localhost:9999/fapi/', 'http://localhost:9999/fapi'],
    ['http://[::1]:9999', 'http://[::1]:9999'],
  ])('may be %s', (text, url) => {
    expect(load({ BINANCE_BASE_URL: text }).venues.binance.baseUrl).toBe(url);
  });

  it.each(['http://venue.example.com', 'http://10.0.0.1:9999', 'http://[::2]:9999', 'http://localhost.evil.example'])(
    'may not be %s: others could read and change orders',
    (text) => {
      expect(faultsOf({ BINANCE_BASE_URL: text })).toEqual([
        'BINANCE_BASE_URL: is http, so others could read and change orders on the way; use https, or an address of this machine.',
      ]);
    },
  );

  it.each(['venue.example.com', 'ftp://127.0.0.1', 'https://user:pass@venue.example.com'])('is no %s', (text) => {
    expect(faultsOf({ BINANCE_BASE_URL: text })).toHaveLength(1);
  });
});

it('SIGNALBOX_MASTER_KEY has 16 to 512 visible characters, and is shown to nobody', () => {
  for (const length of [16, 512])
    expect(load({ SIGNALBOX_MASTER_KEY: 'm'.repeat(length) }).masterKey).toHaveLength(length);
  for (const length of [1, 15, 513]) {
    const [fault] = faultsOf({ SIGNALBOX_MASTER_KEY: 'm'.repeat(length) });
    expect(fault).toContain('use 16 to 512 visible ASCII characters');
    expect(fault).not.toContain('mmm');
  }
  expect(JSON.stringify(load({ SIGNALBOX_MASTER_KEY: 'm'.repeat(20) }).settings)).not.toContain('mmm');
});

it('ALLOW_WITHDRAWAL_KEYS is no unless somebody says yes', () => {
  expect(load({}).allowWithdrawalKeys).toBe(false);
  expect(load({ ALLOW_WITHDRAWAL_KEYS: 'yes' }).allowWithdrawalKeys).toBe(true);
  expect(faultsOf({ ALLOW_WITHDRAWAL_KEYS: 'perhaps' })).toHaveLength(1);
});

it('LEAVE_POSITIONS names accounts with their modes, and none on paper', () => {
  expect(load({}).leavePositions).toEqual([]);
  const both = 'binance:main:live, bybit:scalp:testnet';
  expect(load({ LEAVE_POSITIONS: both }).leavePositions).toEqual(['binance:main:live', 'bybit:scalp:testnet']);
  for (const wrong of [
    'yes',
    'binance:main',
    'binance:main:paper',
    'kraken:main:live',
    'binance:main:live:1',
    ':a:live',
  ])
    expect(faultsOf({ LEAVE_POSITIONS: wrong })).toEqual([expect.stringContaining('write it like binance:main:live')]);
});
