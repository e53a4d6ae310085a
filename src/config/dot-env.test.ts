// The `.env` file as people write it, and as nobody should.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Environment, maskedSettings } from '../config.ts';
import { faultsOf, load } from './testing/load.ts';

function sourceOf(env: Environment, dotEnvText: string, wanted: string): string | undefined {
  return maskedSettings(load(env, dotEnvText)).find(({ name }) => name === wanted)?.source;
}

describe('.env', () => {
  it('gives way to the environment, and each value remembers its source', () => {
    expect(load({ PORT: '1' }, 'PORT=2\nLOG_LEVEL=warn')).toMatchObject({ port: 1, logLevel: 'warn' });
    expect(sourceOf({ PORT: '1' }, 'PORT=2', 'PORT')).toBe('environment');
    expect(sourceOf({}, 'PORT=2', 'PORT')).toBe('.env');
    expect(sourceOf({}, 'PORT=', 'PORT')).toBe('default');
  });

  it.each([
    ['DATA_DIR=plain', 'plain'],
    ['  export DATA_DIR = spaced out  ', 'spaced out'],
    ['DATA_DIR=a#b', 'a#b'],
    ['DATA_DIR=a # comment', 'a'],
    ['DATA_DIR=# comment', './data'],
    ["DATA_DIR='a # b'", 'a # b'],
    ["DATA_DIR='a' # b", 'a'],
    ['DATA_DIR="a \\"b\\" \\\\ c"', 'a "b" \\ c'],
    ['\uFEFFDATA_DIR=first\r\nDATA_DIR=last\r\n', 'last'],
    ['# DATA_DIR=no\n\n', './data'],
  ])('%j is understood', (text, expected) => expect(load({}, text).dataDir).toBe(expected));

  it.each(["DATA_DIR='open", 'DATA_DIR="open', "DATA_DIR='a' b", 'just words', '1X=2', '=x'])(
    '%j is a fault with its line',
    (line) => expect(faultsOf({}, `PORT=1\n${line}`)[0]).toContain('.env: line 2 is not understood'),
  );

  it('is refused above 65536 characters', () => {
    expect(faultsOf({}, `#${'x'.repeat(65_535)}`)).toEqual([]);
    expect(faultsOf({}, `#${'x'.repeat(65_536)}`)[0]).toContain('.env: is longer');
  });

  it('gives back any text that was written in double quotes', () => {
    const texts = fc
      .string({ unit: 'grapheme-ascii', maxLength: 40 })
      .filter((text) => text.trim() === text && text !== '');
    fc.assert(
      fc.property(texts, (text) => {
        const escaped = text.replace(/[\\"]/g, '\\$&');
        expect(load({}, `DATA_DIR="${escaped}"`).dataDir).toBe(text);
      }),
    );
  });

  it('never throws anything but a ConfigError', () => {
    fc.assert(fc.property(fc.string(), (text) => faultsOf({}, text).length >= 0));
  });
});
