// Tests of indicator(), strategy() and library(): settings by name, and every limit on both of its sides.

import { describe, expect, it } from 'vitest';
import { isRefused } from './constants-of-call.ts';
import { type Declaration, declarationOf } from './declaration.ts';
import { binary, bool, call, float, int, named, text, variable } from './testing/spec-trees.ts';
import type { Expr } from './tree.ts';

const declare = (name: string, settings: Record<string, Expr> = {}, title: Expr = text('T'), version: 5 | 6 = 6) =>
  declarationOf(call(name, [title], settings, version));

const settingsOf = (declared: ReturnType<typeof declare>): Declaration['settings'] => {
  if (isRefused(declared)) throw new Error(declared.message);
  return declared.settings;
};

const refusalOf = (declared: ReturnType<typeof declare>): string => {
  if (!isRefused(declared)) throw new Error('the declaration was expected to be refused');
  return `${declared.message} ${declared.remedy}`;
};

describe('a declaration', () => {
  it('has its kind, title and settings with the defaults of the reference', () => {
    const declared = declare('indicator', { overlay: bool(true) }, binary('+', 'string', text('My '), text('script')));
    expect(declared).toMatchObject({ scriptType: 'indicator', title: 'My script' });
    expect(settingsOf(declared)).toMatchObject({
      overlay: true,
      format: 'inherit',
      max_lines_count: 50,
      timeframe: '',
    });
  });

  it('leaves out what has a default in words or one that only the chart knows', () => {
    const settings = settingsOf(declare('strategy'));
    for (const name of ['title', 'shorttitle', 'precision', 'scale', 'currency'])
      expect(settings).not.toHaveProperty(name);
    expect(settingsOf(declare('strategy', { currency: named('currency.EUR') }))).toMatchObject({ currency: 'EUR' });
  });

  it('has the margins of its version', () => {
    expect(settingsOf(declare('strategy'))).toMatchObject({ margin_long: 100, margin_short: 100 });
    expect(settingsOf(declare('strategy', {}, text('T'), 5))).toMatchObject({ margin_long: 0, margin_short: 0 });
  });

  it('takes na as left out', () => {
    expect(settingsOf(declare('indicator', { max_bars_back: int(Number.NaN) }))).not.toHaveProperty('max_bars_back');
  });

  it('is of the kind that its function names', () => {
    for (const scriptType of ['indicator', 'strategy', 'library'] as const)
      expect(declare(scriptType)).toMatchObject({ scriptType, title: 'T' });
  });
});

describe('limits', () => {
  it.each([
    ['indicator', 'max_lines_count', 1, 500],
    ['indicator', 'max_labels_count', 1, 500],
    ['indicator', 'max_boxes_count', 1, 500],
    ['indicator', 'max_polylines_count', 1, 100],
    ['indicator', 'max_bars_back', 0, 5000],
    ['indicator', 'precision', 0, 16],
    ['strategy', 'max_bars_back', 0, 5000],
    ['strategy', 'precision', 0, 16],
  ])('of %s hold %s between %d and %d', (name, setting, low, high) => {
    for (const value of [low, high])
      expect(settingsOf(declare(name, { [setting]: int(value) }))).toMatchObject({ [setting]: value });
    for (const value of [low - 1, high + 1])
      expect(refusalOf(declare(name, { [setting]: int(value) }))).toBe(
        `Invalid value of the '${setting}' argument (${value}) in the ${name}() call. It must be between ${low} and ${high}.`,
      );
  });

  it.each([
    'pyramiding',
    'slippage',
    'calc_bars_count',
    'backtest_fill_limits_assumption',
    'commission_value',
    'margin_long',
    'margin_short',
  ])('hold %s at zero or more', (setting) => {
    expect(settingsOf(declare('strategy', { [setting]: int(0) }))).toMatchObject({ [setting]: 0 });
    expect(refusalOf(declare('strategy', { [setting]: int(-1) }))).toContain('It must be 0 or more.');
  });

  it.each(['initial_capital', 'default_qty_value'])('hold %s above zero and finite', (setting) => {
    expect(settingsOf(declare('strategy', { [setting]: float(0.01) }))).toMatchObject({ [setting]: 0.01 });
    expect(refusalOf(declare('strategy', { [setting]: float(0) }))).toContain('It must be greater than 0.');
    expect(refusalOf(declare('strategy', { [setting]: float(Number.POSITIVE_INFINITY) }))).toContain('finite');
  });

  it('are checked where the argument stands', () => {
    const refused = declare('indicator', { overlay: bool(true), max_lines_count: int(501) });
    expect(isRefused(refused) && refused.span).toEqual({ start: 12, end: 13 });
  });
});

describe('texts', () => {
  it('of a timeframe must be one, or empty', () => {
    for (const frame of ['', 'D', '60', '3M', '15S'])
      expect(settingsOf(declare('indicator', { timeframe: text(frame) }))).toMatchObject({ timeframe: frame });
    for (const frame of ['1H', 'd', '0', '1441', 'day'])
      expect(refusalOf(declare('indicator', { timeframe: text(frame) }))).toContain(`Invalid timeframe "${frame}"`);
  });

  it('with a list of choices must be one of them, however they are written', () => {
    expect(settingsOf(declare('strategy', { close_entries_rule: text('ANY') }))).toMatchObject({
      close_entries_rule: 'ANY',
    });
    expect(refusalOf(declare('strategy', { close_entries_rule: variable('string', 'LIFO') }))).toContain(
      'It must be one of "FIFO", "ANY".',
    );
    expect(
      settingsOf(declare('strategy', { commission_type: named('strategy.commission.cash_per_order') })),
    ).toHaveProperty('commission_type');
    expect(refusalOf(declare('strategy', { commission_type: text('free') }))).toContain('strategy.commission.percent');
    expect(settingsOf(declare('indicator', { scale: named('scale.left') }))).toHaveProperty('scale');
    expect(refusalOf(declare('indicator', { format: text('money') }))).toContain('format.price');
  });

  it('must be known before the script runs', () => {
    const good = call('indicator', [text('T')], { timeframe: text('D') });
    const arguments_ = good.arguments.map((one) =>
      one.parameter.name === 'timeframe' ? { ...one, values: [named('timeframe.period')] } : one,
    );
    expect(refusalOf(declarationOf({ ...good, arguments: arguments_ }))).toContain('not known before the script runs');
  });
});

describe('a title', () => {
  it('must be a text', () => {
    expect(declare('indicator', {}, text(''))).toMatchObject({ title: '' });
    expect(refusalOf(declare('indicator', {}, text(null)))).toContain('must be a text');
  });

  it('of a library must be a name that scripts can import', () => {
    for (const title of ['Tools', '_a1']) expect(declare('library', {}, text(title))).toMatchObject({ title });
    for (const title of ['My tools', '1st', '', 'a-b', 'ä'])
      expect(refusalOf(declare('library', {}, text(title)))).toContain('cannot be the title of a library');
  });
});
