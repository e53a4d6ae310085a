// Cells of CSV files: quoted where they must be, and never a formula.

import { expect, it } from 'vitest';
import { csvText } from './csv-text.ts';

it.each([
  ['Long', 'Long'],
  ['a "b", c', '"a ""b"", c"'],
  [' blank', '" blank"'],
  ['two\nlines', '"two\nlines"'],
  ['-SX', '-SX'],
  ['+1', '+1'],
  ['=1+1', "'=1+1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['＝1+1', "'＝1+1"],
  [';=1', '"\';=1"'],
  ['\t=1', '"\'\t=1"'],
  ['a;b', '"a;b"'],
  ["+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"],
  ['-HYPERLINK("http://x","y")', '"\'-HYPERLINK(""http://x"",""y"")"'],
])('%s is written as %s', (text, cell) => expect(csvText(text)).toBe(cell));
