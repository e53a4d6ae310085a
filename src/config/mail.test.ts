// The settings of the mail door: when it is open, for whom, and what is refused.

import { describe, expect, it } from 'vitest';
import { faultsOf, load } from './testing/load.ts';

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
