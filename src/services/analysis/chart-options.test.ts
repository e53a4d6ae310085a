// Tests of the options of a preview.

import { describe, expect, it } from 'vitest';
import { checkStrict } from '../../http/strict-body.ts';
import { chartOptionsSchema } from './schemas.ts';

const DEFAULTS = { type: 'candles', show_volume: true, width: 800, height: 400, theme: 'dark' };

function faultsOf(value: unknown): readonly string[] {
  try {
    checkStrict(chartOptionsSchema, value, 'options');
    return [];
  } catch (fault) {
    return (fault as Error).message.split('; ');
  }
}

describe('options', () => {
  it('have defaults', () => {
    expect(checkStrict(chartOptionsSchema, {})).toEqual(DEFAULTS);
  });

  it.each([
    { width: 1200, height: 600 },
    { width: 64, height: 48 },
    { type: 'line', color: '#abc', show_volume: false, theme: 'light' },
    { color: 'Orange' },
    { color: '#11223344' },
  ])('may be %j', (options) => {
    expect(checkStrict(chartOptionsSchema, options)).toEqual({ ...DEFAULTS, ...options });
  });

  it.each([
    [{ width: 1201 }, /^options\.width: .*1200/],
    [{ width: 63 }, /^options\.width: .*64/],
    [{ width: 100.5 }, /^options\.width: /],
    [{ width: '800' }, /^options\.width: /],
    [{ width: Number.NaN }, /^options\.width: /],
    [{ height: 601 }, /^options\.height: .*600/],
    [{ height: 47 }, /^options\.height: .*48/],
    [{ type: 'bars' }, /^options\.type: .*line.*candles/],
    [{ theme: 'blue' }, /^options\.theme: .*dark.*light/],
    [{ color: 'toString' }, /^options\.color: is no color, send one such as #2962FF/],
    [{ color: '#12' }, /^options\.color: /],
    [{ color: 7 }, /^options\.color: /],
    [{ show_volume: 'yes' }, /^options\.show_volume: /],
    [{ colour: 'red' }, /^options: .*colour/],
    [null, /^options: /],
    [[], /^options: /],
  ])('may not be %j', (options, fault) => {
    expect(faultsOf(options)).toEqual([expect.stringMatching(fault)]);
  });

  it('are refused with all their faults at once', () => {
    expect(faultsOf({ type: 'x', width: 0, height: 1e9, theme: 1, color: '?' })).toHaveLength(5);
  });
});
