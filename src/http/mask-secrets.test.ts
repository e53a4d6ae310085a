// Masking of our own keys inside texts.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { maskSecrets } from './mask-secrets.ts';

test.each(['whk', 'pyn', 'pn'])('a %s_ key is masked in a sentence, a URL, a JSON text and at both ends', (prefix) => {
  const key = `${prefix}_${'Ab9_-'.repeat(8)}`;
  for (const text of [
    key,
    `key ${key} is bad`,
    `/x?key=${key}&y=1`,
    `{"k":"${key}"}`,
    `a\\n${key}`,
    `a\\u000b${key}`,
    `a\n${key}`,
  ]) {
    const masked = maskSecrets(text);
    expect(masked).toContain(`${prefix}_***`);
    expect(masked).not.toContain('Ab9');
    expect(maskSecrets(masked)).toBe(masked);
  }
});

test('every text that holds a key loses it', () => {
  const tail = fc.stringMatching(/^[A-Za-z0-9_-]{20,43}$/);
  fc.assert(
    fc.property(fc.string(), fc.constantFrom('whk', 'pyn'), tail, (before, prefix, secret) => {
      expect(maskSecrets(`${before}${prefix}_${secret}`)).not.toContain(secret);
    }),
  );
});

test.each(['vpn_connection_name', 'whk_short', 'pn_1234567', 'plain text'])('%s is left alone', (text) => {
  expect(maskSecrets(text)).toBe(text);
});
