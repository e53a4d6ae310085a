// Cells of CSV files: quoted where they must be, and never a formula, at whichever sign a spreadsheet parts them.

import { expect, it } from 'vitest';
import { csvName, csvText } from './csv-text.ts';

it.each([
  ['Long', 'Long'],
  ['a "b", c', '"a ""b"", c"'],
  [' blank', '" blank"'],
  ['two\nlines', '"two\nlines"'],
  ['a;b', '"a;b"'],
  ['a\tb', '"a\tb"'],
  ['; a', '"; a"'],
  ['a=b', 'a=b'],
  ['a; b=c', '"a; b=c"'],
  ['=1+1', "'=1+1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['＝1+1', "'＝1+1"],
  ['＠SUM(A1)', "'＠SUM(A1)"],
  [' =1', "' =1"],
  [';=1', '";\'=1"'],
  ['\t=1', '"\t\'=1"'],
  ['x;=1', '"x;\'=1"'],
  ['x; =1', '"x;\' =1"'],
  ['x;;=1', '"x;;\'=1"'],
  ['x;"=1', '"x;\'""=1"'],
  ['x;" "=1', '"x;\'"" ""=1"'],
  ['x;@SUM(A1);=2', '"x;\'@SUM(A1);\'=2"'],
  ['x\t=1', '"x\t\'=1"'],
  ['x\n=1', '"x\n\'=1"'],
  ['x\r\n=1', '"x\r\n\'=1"'],
  ["+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"],
  ["x;+cmd|' /C calc'!A0", "\"x;'+cmd|' /C calc'!A0\""],
  ['-HYPERLINK("http://x","y")', '"\'-HYPERLINK(""http://x"",""y"")"'],
  ['－HYPERLINK（A1）', "'－HYPERLINK（A1）"],
])('%j is written as %j, also where it is a name', (text, cell) => {
  expect(csvText(text)).toBe(cell);
  expect(csvName(text)).toBe(cell);
});

it.each([
  ['-SX', "'-SX"],
  ['+1', "'+1"],
  ['x;-1', '"x;\'-1"', '"x;-1"'],
  ['＋1', "'＋1"],
  ['x\n- y', '"x\n\'- y"', '"x\n- y"'],
])('%j is written as %j, and keeps its sign where it is a name', (text, cell, name = text) => {
  expect(csvText(text)).toBe(cell);
  expect(csvName(text)).toBe(name);
});

const SPREADSHEETS = { comma: /^,/, semicolon: /^;/, tab: /^\t/, all: /^[,;\t]/ };

/** The cells as a spreadsheet reads them: a quote holds together only where it is the first sign of a cell. */
function cellsOf(line: string, separator: RegExp): string[] {
  const cells: string[] = [];
  for (let at = 0; at <= line.length; at += 1) {
    let cell = '';
    if (line[at] === '"')
      for (at += 1; at < line.length; at += 1) {
        if (line[at] !== '"') cell += line[at];
        else if (line[at + 1] === '"') cell += line[at++];
        else break;
      }
    if (line[at] === '"') at += 1;
    for (; at < line.length && !separator.test(line.slice(at)) && !/[\r\n]/.test(line[at]!); at += 1) cell += line[at];
    cells.push(cell);
  }
  return cells;
}

it('whatever a text is made of, no spreadsheet finds a formula in its line', () => {
  const signs = ['=', '+', '@', ';', ',', '"', ' ', '\t', '\n', '\r', 'x', "'", '＝'];
  let seed = 7;
  const next = (below: number): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  const textOf = (): string => Array.from({ length: next(7) }, () => signs[next(signs.length)]).join('');
  for (let round = 0; round < 5_000; round += 1) {
    const line = [textOf(), textOf(), textOf()].map(csvText).join(',');
    for (const [name, separator] of Object.entries(SPREADSHEETS))
      expect(
        cellsOf(line, separator).filter((cell) => /^\s*[=+@＝]/.test(cell)),
        `${name}: ${JSON.stringify(line)}`,
      ).toEqual([]);
  }
});
