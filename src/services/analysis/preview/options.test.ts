// Tests of the options of a preview.

import { describe, expect, it } from 'vitest';
import { readColor } from './colors.ts';
import { readChartOptions } from './options.ts';

const DEFAULTS = { type: 'candles', show_volume: true, width: 800, height: 400, theme: 'dark' };

function faultsOf(value: unknown): readonly string[] {
  const read = readChartOptions(value);
  return read.ok ? [] : read.faults;
}

describe('options', () => {
  it('have defaults, left out or empty', () => {
    expect(readChartOptions(undefined)).toEqual({ ok: true, options: DEFAULTS });
    expect(readChartOptions({})).toEqual({ ok: true, options: DEFAULTS });
  });

  it.each([
    { width: 1200, height: 600 },
    { width: 64, height: 48 },
    { type: 'line', color: '#abc', show_volume: false, theme: 'light' },
    { color: 'Orange' },
    { color: '#11223344' },
  ])('may be %j', (options) => {
    expect(readChartOptions(options)).toEqual({ ok: true, options: { ...DEFAULTS, ...options } });
  });

  it.each([
    [{ width: 1201 }, /^width: .*1200/],
    [{ width: 63 }, /^width: .*64/],
    [{ width: 100.5 }, /^width: /],
    [{ width: '800' }, /^width: /],
    [{ width: Number.NaN }, /^width: /],
    [{ height: 601 }, /^height: .*600/],
    [{ height: 47 }, /^height: .*48/],
    [{ type: 'bars' }, /^type: .*line.*candles/],
    [{ theme: 'blue' }, /^theme: .*dark.*light/],
    [{ color: 'toString' }, /^color: is no color, send one such as #2962FF/],
    [{ color: '#12' }, /^color: /],
    [{ color: 7 }, /^color: /],
    [{ show_volume: 'yes' }, /^show_volume: /],
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

describe('a color', () => {
  it('is read from three, six or eight digits, or a name', () => {
    expect(readColor('#abc')).toBe(0xaabbccff);
    expect(readColor('#F23645')).toBe(0xf23645ff);
    expect(readColor('#F2364580')).toBe(0xf2364580);
    expect(readColor('RED')).toBe(0xf23645ff);
    for (const none of ['', '#', '#12345', 'constructor', null, 5]) expect(readColor(none)).toBeNaN();
  });
});
