// Who may come in: protected mode, and tokens that are strong enough and never shown.

import { describe, expect, it } from 'vitest';
import { loadConfig, maskedSettings } from '../config.ts';
import { faultsOf, load } from './testing/load.ts';

const STRONG = 'a-token-of-24-characters';

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

  it('a password in the data folder does in place of INTERNAL_TOKEN, and of nothing else', () => {
    const asked: string[] = [];
    const withPassword = (env: Record<string, string>, isSet: boolean) => () =>
      loadConfig(
        { HOST: '0.0.0.0', DATA_DIR: '/srv/box', ...env },
        {
          checkAddressEntry: () => undefined,
          hasPassword(dataDir) {
            asked.push(dataDir);
            return isSet;
          },
        },
      );
    expect(withPassword({ ADMIN_TOKEN: STRONG }, true)).not.toThrow();
    expect(asked).toEqual(['/srv/box']);
    expect(withPassword({ ADMIN_TOKEN: STRONG }, false)).toThrow('A password of the dashboard will do');
    expect(withPassword({}, true)).toThrow('without ADMIN_TOKEN anyone');
    expect(withPassword({ INTERNAL_TOKEN: STRONG }, true)).toThrow('without ADMIN_TOKEN anyone');
    asked.length = 0;
    expect(withPassword({ HOST: '127.0.0.1' }, false)).not.toThrow();
    expect(withPassword({ INTERNAL_TOKEN: STRONG, ADMIN_TOKEN: STRONG }, false)).not.toThrow();
    expect(asked).toEqual([]);
  });

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
