// Bars from CSV: every way a file may be written, every way it may be broken, and every number to its last bit.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CsvFault, parseBarsCsv } from './bars-csv.ts';

const parse = (text: string) => parseBarsCsv(new TextEncoder().encode(text));
const HEADER = 'time,open,high,low,close,volume';
const rows = (text: string) => {
  const { count, time, open, high, low, close, volume } = parse(text);
  return Array.from({ length: count }, (_, i) => [time[i], open[i], high[i], low[i], close[i], volume[i]]);
};
const EXPECTED = [
  [1_700_000_000_000, 1, 3, 0.5, 2, 10],
  [1_700_000_060_000, 2, 4, 1.5, 3, 20],
];

describe('a file of bars', () => {
  it.each([
    ['with line feeds', `${HEADER}\n1700000000000,1,3,0.5,2,10\n1700000060000,2,4,1.5,3,20\n`],
    ['without a last line end', `${HEADER}\n1700000000000,1,3,0.5,2,10\n1700000060000,2,4,1.5,3,20`],
    [
      'from Windows, with a byte order mark',
      `\ufeff${HEADER}\r\n1700000000000,1,3,0.5,2,10\r\n1700000060000,2,4,1.5,3,20\r\n`,
    ],
    ['with carriage returns alone', `${HEADER}\r1700000000000,1,3,0.5,2,10\r1700000060000,2,4,1.5,3,20\r`],
    ['in seconds', `${HEADER}\n1700000000,1,3,0.5,2,10\n1700000060,2,4,1.5,3,20\n`],
    ['in seconds with a fraction', `${HEADER}\n1700000000.0,1,3,0.5,2,10\n1700000060.000,2,4,1.5,3,20\n`],
    ['in ISO 8601', `${HEADER}\n2023-11-14T22:13:20Z,1,3,0.5,2,10\n2023-11-14T22:14:20Z,2,4,1.5,3,20\n`],
    [
      'in ISO 8601 with offsets',
      `${HEADER}\n2023-11-14T23:13:20+01:00,1,3,0.5,2,10\n2023-11-14 17:14:20-0500,2,4,1.5,3,20\n`,
    ],
    [
      'with a blank in place of the T, which is UTC',
      `${HEADER}\n2023-11-14 22:13:20,1,3,0.5,2,10\n2023-11-14 22:14:20.000,2,4,1.5,3,20\n`,
    ],
    [
      'quoted',
      `"time","open","high","low","close","volume"\n"1700000000000","1","3","0.5","2","10"\n"1700000060000","2","4","1.5","3","20"\n`,
    ],
    [
      'in another order, other case, with more columns',
      `Close,NOTE,TIME,Low,High,Open,Volume,x\n2,"a ""b"", c\nd",1700000000000,0.5,3,1,10,\n3,,1700000060000,1.5,4,2,20,9\n`,
    ],
    [
      'with blanks around everything',
      ` time , open,high,low, close,volume \n 1700000000000 , 1,\t3,0.5,2 ,10\n1700000060000, "2" ,4,1.5,3,20\n`,
    ],
    ['with blank lines', `\n\n${HEADER}\n\n1700000000000,1,3,0.5,2,10\n  \n1700000060000,2,4,1.5,3,20\n\n\n`],
    [
      'with semicolons, quoted or not',
      `"time";open;high;low;close;volume;"a, b"\n1700000000000;1;3;0.5;2;10;x,y\n1700000060000;2;4;1.5;3;20;"p;q"\n`,
    ],
    [
      'with tabs, some of them with nothing between',
      `note\ttime\topen\thigh\tlow\tclose\tvolume\n\t1700000000000\t1\t3\t0.5\t2\t10\n \t1700000060000\t2\t4\t1.5\t3\t20\n`,
    ],
    ...['timestamp', 'Date', 'DateTime', 'Open time', 'open_time'].map((name): [string, string] => [
      `with its time called ${name}`,
      `${name},Open,High,Low,Close,Volume\n1700000000000,1,3,0.5,2,10\n1700000060000,2,4,1.5,3,20\n`,
    ]),
    [
      'with a date besides its time',
      `date,time,open,high,low,close,volume\nx,1700000000000,1,3,0.5,2,10\nx,1700000060000,2,4,1.5,3,20\n`,
    ],
    ['with exponents and signs', `${HEADER}\n1.7e12,+1,3e0,5E-1,2.,10\n1700000060000,2,4,1.5,3,2e+1\n`],
  ])('is read %s', (_, text) => {
    expect(rows(text)).toEqual(EXPECTED);
  });

  it('may lack the volume, wholly or here and there', () => {
    expect(rows('time,open,high,low,close\n1700000000000,1,3,0.5,2\n')).toEqual([
      [1_700_000_000_000, 1, 3, 0.5, 2, Number.NaN],
    ]);
    const volumes = rows(`${HEADER}\n1,1,1,1,1,\n2,1,1,1,1,NaN\n3,1,1,1,1,na\n4,1,1,1,1,0\n`).map((row) => row[5]);
    expect(volumes).toEqual([Number.NaN, Number.NaN, Number.NaN, 0]);
  });

  it.each([
    [99_999_999_999, 99_999_999_999_000],
    [100_000_000_000, 100_000_000_000],
    [-99_999_999_999, -99_999_999_999_000],
    [0, 0],
  ])('counts in seconds below a hundred thousand million: %i', (written, ms) => {
    expect(parse(`time,open,high,low,close\n${written},1,1,1,1`).time[0]).toBe(ms);
  });

  it.each([
    [99_999_999_999_999, 99_999_999_999_999],
    [100_000_000_000_000, 100_000_000_000],
    [1_735_689_600_123_456, 1_735_689_600_123],
    [-1_735_689_600_123_456, -1_735_689_600_123],
    [1_735_689_600_123_456_789n, 1_735_689_600_123],
  ])('counts in microseconds and nanoseconds above: %d', (written, ms) => {
    expect(parse(`time,open,high,low,close\n${written},1,1,1,1`).time[0]).toBe(ms);
  });

  it('may begin with a number that looks like a date', () => {
    const text = 'time,open,high,low,close\n200102030000,1,1,1,1\n1700000000000,1,1,1,1';
    expect(parse(text).time[0]).toBe(200_102_030_000);
    expect(parse('time,open,high,low,close\n20241301,1,1,1,1').time[0]).toBe(20_241_301_000);
  });

  it('takes one unit for all its rows, by the farthest of them', () => {
    const text = 'time,open,high,low,close\n86400000,1,1,1,1\n1700000000000,1,1,1,1';
    expect([...parse(text).time.subarray(0, 2)]).toEqual([86_400_000, 1_700_000_000_000]);
  });

  it('may have rows much shorter or much longer than its first', () => {
    const noteChars = [
      [400, 0],
      [0, 400],
    ] as const;
    for (const [first, others] of noteChars) {
      const row = (_: unknown, i: number) =>
        `${1_700_000_000 + i * 60},1,2,1,1,${i},${'x'.repeat(i === 0 ? first : others)}`;
      const { count, time, volume } = parse(`${HEADER},note\n${Array.from({ length: 3000 }, row).join('\n')}`);
      expect([count, time[2999], volume[2999]]).toEqual([3000, (1_700_000_000 + 2999 * 60) * 1000, 2999]);
    }
  });

  it('is in memory that threads share', () => {
    expect(parse(`${HEADER}\n1,1,1,1,1,1`).time.buffer).toBeInstanceOf(SharedArrayBuffer);
  });

  it('may have prices below zero', () => {
    expect(rows(`${HEADER}\n1,-37.63,-37.5,-40.32,-37.63,5`)[0]?.slice(1, 5)).toEqual([-37.63, -37.5, -40.32, -37.63]);
  });
});

describe('a broken file is told with its line and the remedy', () => {
  const good = '1700000000000,1,3,0.5,2,10';
  it.each([
    ['', 1, 'the file is empty; its first line must be time,open'],
    ['\n\n', 1, 'the file is empty'],
    [HEADER, 1, 'there is a header but no bar'],
    ['a,b,c\n1,2,3', 1, 'the header has no time, open, high, low, close; the first line names the columns'],
    ['time|open|high|low|close\n1|2|3|1|2', 1, 'separate with commas'],
    ['time,open,high,low\n1,2,3,1', 1, 'the header has no close'],
    [`${good}\n${good}`, 1, 'the header has no time'],
    [`time,${HEADER}\n1,${good}`, 1, 'there are two columns "time"'],
    [`${HEADER}\n${good}\n1700000060000,2,4`, 3, 'the row has 3 fields, the header 6'],
    [`${HEADER}\n${good},7`, 2, 'the row has 7 fields, the header 6'],
    [
      `${HEADER}\n1700000000000,1,3,0.5,2,1,000`,
      2,
      'the row has 7 fields, the header 6; complete the row, or put fields',
    ],
    [`${HEADER}\n\n${good}\n1700000060000,x,4,1,3,20`, 4, 'open "x" is no number; write it like 68000.5'],
    [`${HEADER}\n1700000000000,1,,0.5,2,10`, 2, 'high is empty; fill it in or remove the row'],
    [`${HEADER}\n1700000000000,1,NaN,0.5,2,10`, 2, 'high "NaN" is no number'],
    [`${HEADER}\n1700000000000,1,1e999,0.5,2,10`, 2, 'high "1e999" is no number'],
    [
      `${HEADER}\n1700000000000,1,"1,234.5",0.5,2,10`,
      2,
      'high "1,234.5" is no number; write it like 68000.5, without separators',
    ],
    [`${HEADER}\n1700000000000,1,0x10,0.5,2,10`, 2, 'high "0x10" is no number'],
    [`${HEADER}\n1700000000000,1,3,0.5,2,much`, 2, 'volume "much" is no number'],
    [`${HEADER}\n1700000000000,1,1,2,1,10`, 2, 'high 1 is below low 2'],
    [`${HEADER}\nyesterday,1,3,0.5,2,10`, 2, 'time "yesterday" cannot be read; write it like 2024-03-01T14:30:00Z'],
    [`${HEADER}\n,1,3,0.5,2,10`, 2, 'time "" cannot be read'],
    [`${HEADER}\n${good}\n2023-11-14T22:14:20Z,2,4,1.5,3,20`, 3, 'cannot be read; write it in milliseconds'],
    [`${HEADER}\n2023-11-14T22:14:20Z,1,3,0.5,2,10\n1700000060000,2,4,1.5,3,20`, 3, 'write it like 2024'],
    [`${HEADER}\n2023-02-29,1,3,0.5,2,10`, 2, 'time "2023-02-29" cannot be read'],
    [`${HEADER}\n2023-02-28T24:00:00Z,1,3,0.5,2,10`, 2, 'cannot be read'],
    [`${HEADER}\n9e21,1,3,0.5,2,10`, 1, 'time 9e+21 is beyond every calendar'],
    [`${HEADER}\n1e999,1,3,0.5,2,10`, 2, 'time "1e999" cannot be read'],
    [`${HEADER}\n20240301,1,3,0.5,2,10\n20240304,1,3,0.5,2,10`, 1, 'time 20240301 is a date without dashes; write it'],
    [`${HEADER}\n202403011430,1,3,0.5,2,10`, 1, 'time 202403011430 is a date without dashes'],
    [`${HEADER}\n20240301143000,1,3,0.5,2,10`, 1, 'time 20240301143000 is a date without dashes'],
    [`${HEADER}\n${good}\n${good}`, 3, 'time "1700000000000" is there twice; keep one of the two rows'],
    [
      `${HEADER}\n${good}\n1600000000000,2,4,1.5,3,20`,
      3,
      'is before the row above; sort the rows by time, oldest first',
    ],
    [`${HEADER}\n1.0001,1,3,0.5,2,10\n1.0002,2,4,1.5,3,20`, 1, 'some times differ by less than a millisecond'],
    [`${HEADER}\n"1700000000000,1,3,0.5,2,10`, 2, 'a quote is opened and never closed'],
    [`${HEADER}\n"17"00000000000,1,3,0.5,2,10`, 2, 'there is more behind a closing quote'],
    [`${HEADER},note\n${good},"a\nb"\n${good},c`, 4, 'is there twice'],
  ])('%j', (text, line, message) => {
    const fault = faultOf(() => parse(text));
    expect(fault.message).toContain(message);
    expect(fault.line).toBe(line);
  });

  it.each([[[0xff, 0xfe]], [[0xfe, 0xff]]])('UTF-16 begins with %j', (mark) => {
    const fault = faultOf(() => parseBarsCsv(Uint8Array.from([...mark, 0x74, 0])));
    expect(fault.message).toContain('save it as UTF-8');
  });

  it.each([
    [[0x1f, 0x8b, 0x08, 0x00], 'the file is compressed (gzip); unpack it first'],
    [[0x50, 0x4b, 0x03, 0x04], 'the file is a ZIP archive or a workbook'],
  ])('%j is named for what it is', (start, message) => {
    expect(faultOf(() => parseBarsCsv(Uint8Array.from(start))).message).toContain(message);
  });

  it('whatever the bytes are, nothing else than a fault with a line comes out', () => {
    const piece = fc.constantFrom(
      HEADER,
      '\n',
      '\r',
      ',',
      '"',
      '1700000000',
      '2023-01-01',
      '1',
      '-',
      '.',
      ' ',
      '\ufeff',
      'é',
      '1e5',
    );
    const text = fc.array(piece, { maxLength: 30 }).map((parts) => new TextEncoder().encode(parts.join('')));
    fc.assert(
      fc.property(fc.oneof(text, fc.uint8Array({ maxLength: 60 })), (bytes) => {
        try {
          expect(parseBarsCsv(bytes).count).toBeGreaterThan(0);
        } catch (error) {
          expect(error).toBeInstanceOf(CsvFault);
          expect((error as CsvFault).line).toBeGreaterThan(0);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('numbers', () => {
  const read = (text: string) => parse(`time,open,high,low,close,volume\n1,1,1,1,1,${text}`).volume[0];

  it('are those that the language itself would read, to the last bit', () => {
    const decimal = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.nat(25)).map(([digits, decimals]) => {
      const text = digits.toString().padStart(decimals + 1, '0');
      return decimals === 0 ? text : `${text.slice(0, -decimals)}.${text.slice(-decimals)}`;
    });
    const any = fc.double({ noNaN: true, noDefaultInfinity: true }).map(String);
    fc.assert(
      fc.property(fc.oneof(decimal, any), (text) => {
        expect(read(text)).toBe(Number(text));
      }),
      { numRuns: 2000 },
    );
  });

  it('come back as they were written', () => {
    const bar = fc.record({
      price: fc.double({ min: 0.00001, max: 1e7, noNaN: true }),
      gap: fc.integer({ min: 1, max: 1e9 }),
    });
    fc.assert(
      fc.property(fc.array(bar, { minLength: 1, maxLength: 20 }), fc.constantFrom('\n', '\r\n'), (bars, end) => {
        let time = 1_600_000_000_000;
        const lines = bars.map(({ price, gap }) => {
          time += gap;
          return `${time},${price},${price},${price},${price},${price}`;
        });
        const { close, count } = parse([HEADER, ...lines].join(end));
        expect([...close.subarray(0, count)]).toEqual(bars.map(({ price }) => price));
      }),
      { numRuns: 100 },
    );
  });
});

function faultOf(work: () => unknown): CsvFault {
  try {
    work();
  } catch (error) {
    if (error instanceof CsvFault) return error;
    throw error;
  }
  throw new Error('there was no fault');
}
