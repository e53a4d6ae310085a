// The imports found in the text of a script are those that the parser finds.

import { describe, expect, it } from 'vitest';
import { importsOf, libraryKey } from './imports.ts';
import { parse } from './index.ts';

const keysOf = (source: string): string[] => importsOf(source).map(libraryKey);

/** What the parser reads, for comparison. */
const parsedKeys = (source: string): string[] =>
  parse(source).script.statements.flatMap((statement) =>
    statement.kind === 'import' ? [`${statement.publisher.text}/${statement.library.text}/${statement.version}`] : [],
  );

describe('the imports of a script', () => {
  it('are found however they are written, as the parser finds them', () => {
    for (const line of [
      'import TradingView/ta/7',
      'import TradingView/ta/7 as t',
      'import some-one/My_Lib/12 as x // why',
      'import a / b / 3 as c',
      'import\tme/Tools/1\tas t',
      'import 3Commas/Tools/1 as t',
      'import 2e5/Tools/1',
      'import 0xAB/Tools/1',
      'import some-2nd/Tools/1',
      'import 42/Tools/1',
    ]) {
      const source = `//@version=6\nindicator("x")\n${line}\nplot(close)`;
      expect(keysOf(source), line).toHaveLength(1);
      expect(keysOf(source), line).toEqual(parsedKeys(source));
      expect(parse(source).diagnostics, line).toEqual([]);
    }
  });

  it('are found with every end of line, and each once, in the order of the text', () => {
    expect(keysOf('import b/B/2\r\nimport a/A/1\rimport b/B/2 as c\nimport a/A/10')).toEqual([
      'b/B/2',
      'a/A/1',
      'a/A/10',
    ]);
  });

  it('are not looked for in comments, texts and other names', () => {
    for (const line of [
      '// import a/B/1',
      'x = "import a/B/1"',
      'important = a/b/1',
      'reimport a/B/1',
      'import a/B',
      'import a/B/1x',
      'import a/B/x',
      'import a/B/1234567890123456',
    ])
      expect(keysOf(`//@version=6\n${line}\n`), line).toEqual([]);
  });

  it('are found in time that grows with the text, whatever it holds', () => {
    const hostile = ['import a', 'import -', ',', ', import a/', 'import \t'].map((part) => part.repeat(40_000));
    for (const text of hostile) expect(keysOf(text).length).toBeLessThan(2);
  });
});
