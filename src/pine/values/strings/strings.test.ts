// Tests of every function of `str.*`, by their names in Pine.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatenate, Journal, PineObject } from '../index.ts';
import { errorOf, openLibrary } from '../testing/library.ts';

const { call } = openLibrary();
const NA = Number.NaN;
const LIMIT = 40_960;
const text = (value: unknown, format?: string) => call('str.tostring', value, format);
const format = (pattern: string, ...values: unknown[]) => call('str.format', pattern, ...values);
const list = (id: unknown) => (id as { toList(): unknown[] }).toList();

describe('cutting and searching', () => {
  it('measures, searches and compares', () => {
    expect([call('str.length', 'abc'), call('str.length', ''), call('str.length', null)]).toEqual([3, 0, 0]);
    expect([
      call('str.contains', 'abc', 'bc'),
      call('str.contains', 'abc', 'x'),
      call('str.contains', null, 'x'),
      call('str.contains', 'abc', null),
    ]).toEqual([true, false, false, true]);
    expect([call('str.pos', 'abcb', 'b'), call('str.pos', 'abc', 'x'), call('str.pos', 'abc', '')]).toEqual([1, NA, 0]);
    expect([
      call('str.startswith', 'abc', 'ab'),
      call('str.endswith', 'abc', 'bc'),
      call('str.endswith', 'abc', 'ab'),
    ]).toEqual([true, true, false]);
  });

  it('cuts out a part', () => {
    const cut = (...rest: number[]) => call('str.substring', 'hello', ...rest);
    expect([cut(1), cut(1, 3), cut(2, 2), cut(5), cut(1, 99)]).toEqual(['ello', 'el', '', '', 'ello']);
    for (const [begin, end] of [
      [-1, 2],
      [3, 2],
      [6, 9],
      [NA, 2],
    ] as const)
      expect(errorOf(() => cut(begin, end))).toContain("'str.substring()'");
  });

  it('replaces one occurrence or all', () => {
    const replace = (...rest: unknown[]) => call('str.replace', 'a-b-c', '-', '+', ...rest);
    expect([replace(), replace(1), replace(2)]).toEqual(['a+b-c', 'a-b+c', 'a-b-c']);
    expect(errorOf(() => replace(-1))).toContain('negative');
    expect(call('str.replace_all', 'a-b-c', '-', '')).toBe('abc');
    expect(call('str.replace_all', 'ab', '', '.')).toBe('.a.b.');
    expect(call('str.replace', 'ab', '', '.', 1)).toBe('a.b');
    expect(call('str.replace_all', '$1', '$', '$&')).toBe('$&1');
    expect([call('str.replace', 'ab', '', '.', 2), call('str.replace', 'ab', '', '.', 1e15)]).toEqual(['ab.', 'ab']);
  });

  it('changes case, trims, splits and repeats', () => {
    expect([call('str.upper', 'aB'), call('str.lower', 'aB'), call('str.trim', ' \ta ')]).toEqual(['AB', 'ab', 'a']);
    expect(list(call('str.split', 'a,b,,c', ','))).toEqual(['a', 'b', '', 'c']);
    expect(list(call('str.split', 'abc', ''))).toEqual(['a', 'b', 'c']);
    expect([list(call('str.split', '', ',')), list(call('str.split', null, ','))]).toEqual([[''], ['']]);
    expect([list(call('str.split', '', '')), list(call('str.split', null, null))]).toEqual([[''], ['']]);
    expect([call('str.repeat', 'ab', 3), call('str.repeat', 'a', 3, ','), call('str.repeat', 'a', 0, ',')]).toEqual([
      'ababab',
      'a,a,a',
      '',
    ]);
    expect(errorOf(() => call('str.repeat', 'a', -1))).toContain('negative');
  });

  it('finds the first match of a regular expression', () => {
    expect(call('str.match', 'BINANCE:BTCUSDT', '[A-Z]+$')).toBe('BTCUSDT');
    expect(call('str.match', 'abc', '\\d+')).toBe('');
    expect(call('str.match', 'ABC', '(?i)b')).toBe('B');
    expect(call('str.match', 'a-b', '\\-')).toBe('-');
    expect(errorOf(() => call('str.match', 'a', '('))).toContain('is not a regular expression');
    expect(call('str.match', null, 'a')).toBe('');
  });

  it('is na of na', () => {
    for (const name of ['upper', 'lower', 'trim', 'substring', 'replace', 'replace_all', 'repeat'])
      expect(call(`str.${name}`, null, 'a', 'b')).toBeNull();
    expect([concatenate('a', 'b'), concatenate('a', null), concatenate(null, 'b')]).toEqual(['ab', 'a', 'b']);
  });

  it('reads numbers, and nothing else', () => {
    const number = (source: string | null) => call('str.tonumber', source);
    expect(['1', '-2.5', '+.5', '5.'].map(number)).toEqual([1, -2.5, 0.5, 5]);
    for (const source of ['', ' ', ' 7 ', 'a', '1a', '1e3', '0x10', 'Infinity', '1,000', '--1', null])
      expect(number(source)).toBeNaN();
  });

  it('holds 40,960 characters and not one more, before building what is too long', () => {
    const full = 'x'.repeat(LIMIT);
    expect(call<string>('str.repeat', 'x', LIMIT)).toBe(full);
    for (const build of [
      () => call('str.repeat', 'x', LIMIT + 1),
      () => call('str.repeat', 'x', 1e15),
      () => call('str.repeat', 'xx', LIMIT / 2, ','),
      () => concatenate(full, 'x'),
      () => call('str.replace_all', full, 'x', 'yy'),
      () => call('str.replace', full, 'x', 'yy'),
      () => format('{0}{1}', full, 'x'),
      () => call('str.format_time', 0, `'${full}x'`),
    ])
      expect(errorOf(build)).toContain(`Maximum length is ${LIMIT} characters`);
  });
});

describe('tostring', () => {
  it('writes numbers with up to ten decimals', () => {
    expect([1, 1.5, 0.1 + 0.2, -3, 1e21, 1e-11, 12345678.9, NA].map((value) => text(value))).toEqual([
      '1',
      '1.5',
      '0.3',
      '-3',
      '1000000000000000000000',
      '0',
      '12345678.9',
      'NaN',
    ]);
    expect([text(Number.POSITIVE_INFINITY), text(Number.NEGATIVE_INFINITY), text(-0)]).toEqual(['NaN', 'NaN', '0']);
  });

  it('follows a pattern', () => {
    const cases: [number, string, string][] = [
      [1234.567, '#.##', '1234.57'],
      [0.5, '#.##', '0.5'],
      [0.5, '.##', '.5'],
      [5, '#.00', '5.00'],
      [5, '000', '005'],
      [1234567.891, '#,##0.00', '1,234,567.89'],
      [1234567, '#,##0', '1,234,567'],
      [0.1234, '#.#%', '12.3%'],
      [0.1234, '0‰', '123‰'],
      [-5, '#.#;(#.#)', '(5)'],
      [5, "#'#'", '5#'],
      [5, "#''", "5'"],
      [12346, '0.###E0', '1.235E4'],
      [1.5e-7, '#.####################', '0.00000015'],
      [123456.7, '#.0000', '123456.7000'],
      [1.7976931348623157e308, '#E0', '2E308'],
      [0.00012, '0.0E00', '1.2E-04'],
      [-0.001, '#.##', '0'],
      [2.5, '#', '3'],
      [-2.5, '#', '-3'],
      [3.5, '#', '4'],
      [0.125, '#.##', '0.13'],
      [0.375, '#.##', '0.38'],
      [1.005, '#.##', '1.01'],
      [999.5, '#', '1000'],
      [0.05, '.#', '.1'],
      [99.995, '$#.## USD', '$100 USD'],
    ];
    for (const [value, pattern, expected] of cases)
      expect(text(value, pattern), `${value} as ${pattern}`).toBe(expected);
    expect(errorOf(() => text(1, '0#'))).toContain('is not a number format');
    expect(errorOf(() => text(1, `${','.repeat(40_000)}#`.concat('0#')))).toContain('is not a number format');
  });

  it('knows the named formats', () => {
    expect([text(1.2345, 'mintick'), text(1.5, 'mintick'), text(2, 'price')]).toEqual(['1.23', '1.50', '2.00']);
    expect(openLibrary({ mintick: 0.25 }).call('str.tostring', 1.13, 'mintick')).toBe('1.25');
    expect(openLibrary({ mintick: 0.00001 }).call('str.tostring', 1.1, 'mintick')).toBe('1.10000');
    expect(openLibrary({ mintick: 5 }).call('str.tostring', 12, 'inherit')).toBe('10');
    expect([text(45.678, 'percent'), text(NA, 'percent'), text(NA, 'mintick')]).toEqual(['45.68%', 'NaN', 'NaN']);
    const volumes = [0, 7.5, 999.4, 999.5, 1000, 1234, 999_999_600, 1_500_000, 2e9, 3e15, -1234];
    expect(volumes.map((value) => text(value, 'volume'))).toEqual([
      '0',
      '8',
      '999',
      '1000',
      '1K',
      '1.234K',
      '1000M',
      '1.5M',
      '2B',
      '3000T',
      '-1.234K',
    ]);
  });

  it('writes everything else', () => {
    expect([text(true), text(false), text('a'), text(null)]).toEqual(['true', 'false', 'a', 'NaN']);
    expect(text(call('array.from<number>', 1, 2.345), '#.#')).toBe('[1, 2.3]');
    expect(text(call('array.from<item>', 'a', null, true))).toBe('[a, NaN, true]');
    expect(text(call('matrix.new<number>', 2, 2, 1))).toBe('[1, 1]\n[1, 1]');
    class Thing extends PineObject {
      override copy() {
        return this;
      }
    }
    expect(errorOf(() => text(new Thing(new Journal())))).toContain('has no text');
  });

  it('reads back every number it writes to ten decimals', () => {
    fc.assert(
      fc.property(fc.double({ min: -1e9, max: 1e9, noNaN: true }), (value) => {
        const back = call<number>('str.tonumber', text(value));
        expect(Math.abs(back - value)).toBeLessThanOrEqual(0.5e-10 + Math.abs(value) * 1e-15);
      }),
      { numRuns: 500 },
    );
  });
});

describe('format', () => {
  it('puts values into their places', () => {
    expect(format('{0} {1} {0}', 1, 'a')).toBe('1 a 1');
    expect(format('{0}', 1234.56789)).toBe('1,234.568');
    expect(format('{0} {1}', true, null)).toBe('true NaN');
    expect(format('{0}', call('array.from<number>', 1, 2))).toBe('[1, 2]');
    expect(format('{0} {5}', 1)).toBe('1 {5}');
    expect(format('plain')).toBe('plain');
    expect(format('{0}', NA)).toBe('NaN');
  });

  it('writes numbers by style or pattern', () => {
    expect(format('{0,number,#.#}', 1.34)).toBe('1.3');
    expect(format('{0,number}', 1234.5)).toBe('1,234.5');
    expect(format('{0,number,integer}', 1234.5)).toBe('1,234');
    expect(format('{0,number,percent}', 0.56)).toBe('56%');
    expect(format('{0,number,currency}', 1.34)).toBe('$1.34');
    expect(format('{0,number,currency}', -1234.5)).toBe('-$1,234.50');
    expect(format('{ 0 , number , 0.00 }', 1)).toContain('1.00');
  });

  it('writes dates and times in UTC', () => {
    const noon = Date.UTC(2024, 1, 29, 13, 5, 9);
    expect(format('{0,date,yyyy.MM.dd HH:mm}', noon)).toBe('2024.02.29 13:05');
    expect(format('{0,date}|{0,date,short}|{0,date,long}|{0,date,full}', noon)).toBe(
      'Feb 29, 2024|2/29/24|February 29, 2024|Thursday, February 29, 2024',
    );
    expect(format('{0,time}|{0,time,short}|{0,time,long}', noon)).toBe('1:05:09 PM|1:05 PM|1:05:09 PM GMT');
    expect(format("{0,date,yyyy'}'}", noon)).toBe('2024}');
  });

  it('keeps what is in quotes', () => {
    expect(format("'{0}' {0}", 1)).toBe('{0} 1');
    expect(format("it''s {0}", 1)).toBe("it's 1");
    expect(format("'quoted")).toBe('quoted');
  });

  it('refuses what it cannot read', () => {
    for (const pattern of ['{', '{0', '{a}', '{}', '{-1}', '{0,choice,1}', '{{0}}', '{99999}'])
      expect(
        errorOf(() => format(pattern, 1)),
        pattern,
      ).toContain("In 'str.format()' function.");
    expect(errorOf(() => format('{0,number}', 'a'))).toContain('is not a number');
  });

  it('never fails otherwise than with a runtime error', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('{', '}', "'", '0', ',', '#', '.', 'number', 'date', 'y', ';', '%', 'E') }),
        (pattern) => {
          for (const run of [
            () => format(pattern, 1.5),
            () => text(1.5, pattern),
            () => call('str.format_time', 0, pattern),
          ]) {
            try {
              expect(typeof run()).toBe('string');
            } catch (error) {
              expect((error as Error).name).toBe('PineRuntimeError');
            }
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('format_time', () => {
  const time = Date.UTC(2024, 2, 10, 7, 30, 5, 42);
  const at = (pattern?: string, zone?: string) => call('str.format_time', time, pattern, zone);

  it('writes ISO in the zone of the exchange when nothing is said', () => {
    expect(at()).toBe('2024-03-10T07:30:05+0000');
    expect(at(undefined, 'America/New_York')).toBe('2024-03-10T03:30:05-0400');
    const market = { timezone: 'Asia/Kolkata', session: '24x7', timeframe: 'D' };
    expect(openLibrary({ market }).call('str.format_time', time)).toBe('2024-03-10T13:00:05+0530');
    expect([
      call('str.format_time', NA),
      call('str.format_time', 1e300),
      call('str.format_time', -8.65e15, 'MMMM'),
    ]).toEqual(['NaN', 'NaN', 'NaN']);
    expect(call('str.format_time', 8.64e15, 'yyyy-MM-dd')).toBe('275760-09-13');
  });

  it('knows every field', () => {
    expect(at('yy yyyy M MM MMM MMMM d dd D w E EEEE u F W')).toBe(
      '24 2024 3 03 Mar March 10 10 70 10 Sun Sunday 7 2 2',
    );
    expect(at('H HH k K h hh m mm s ss S SSS a')).toBe('7 07 7 7 7 07 30 30 5 05 42 042 AM');
    expect(at('Z z X XX XXX', 'UTC+5:30')).toBe('+0530 GMT+05:30 +05 +0530 +05:30');
    expect(at('Z z X', 'UTC')).toBe('+0000 GMT Z');
    expect(call('str.format_time', 0, 'k K h G Y YY', 'UTC')).toBe('24 0 12 AD 1970 70');
    expect(at("'o''clock' ''")).toBe("o'clock '");
    expect(errorOf(() => at('q'))).toContain('is not a date field');
    expect(errorOf(() => at('HH', 'Mars/Base'))).toContain('Unknown time zone "Mars/Base"');
  });
});
