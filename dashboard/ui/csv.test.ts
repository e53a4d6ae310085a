// Files for spreadsheets: quoting, and texts that a spreadsheet would run.

import { expect, test } from 'vitest';
import { csvOf } from './csv.ts';

const lines = (...values: readonly (string | number | boolean | null | undefined)[]) =>
  csvOf(
    [{ title: 'value', value: (row: { of: (typeof values)[number] }) => row.of }],
    values.map((of) => ({ of })),
  )
    .split('\r\n')
    .slice(1, -1);

test('the titles come first, and every line ends as spreadsheets want it', () => {
  const columns = [
    { title: 'market', value: ({ market }: { market: string }) => market },
    { title: 'net, USDT', value: () => -1.5 },
  ];
  expect(csvOf(columns, [{ market: 'BTCUSDT' }])).toBe('market,"net, USDT"\r\nBTCUSDT,-1.5\r\n');
});

test('numbers stay numbers, nothing is nothing', () => {
  expect(lines(-0.25, 1e21, null, undefined, false)).toEqual(['-0.25', '1e+21', '', '', 'false']);
});

test.each([
  ['a "b", c', '"a ""b"", c"'],
  ['=HYPERLINK("x")', '"\'=HYPERLINK(""x"")"'],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@x', "'@x"],
  ['\t=1', '"\t\'=1"'],
  ['\n=1', '"\n\'=1"'],
  [' =1', "' =1"],
  [';=1', '";\'=1"'],
  ['a;=1', '"a;\'=1"'],
  ['a;+1', '"a;\'+1"'],
  ['; a', '"; a"'],
  ['a;b', '"a;b"'],
  ['a\tb', '"a\tb"'],
  ['＝1+1', "'＝1+1"],
  ['＋1', "'＋1"],
  ['－1', "'－1"],
  ['＠SUM(A1)', "'＠SUM(A1)"],
])('%s is written as %s', (text, written) => {
  expect(lines(text)).toEqual([written]);
});
