// Formatting every script there is, and random ones: the meaning stays, the comments stay, and a second time changes nothing.

import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { format, parse } from '../../src/pine/syntax/index.ts';
import { withoutSpans } from '../../src/pine/syntax/testing/print-ast.ts';
import { programs } from './oracle/programs.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const files = globSync(['tests', 'examples', 'bench'].map((folder) => join(ROOT, folder, '**/*.pine'))).sort();

/** Ways in which people and their machines write the same script. */
const STYLES: Readonly<Record<string, (source: string) => string>> = {
  'as it is': (source) => source,
  'with the line ends of Windows': (source) => source.replace(/\r?\n/g, '\r\n'),
  'with tabs': (source) => source.replace(/^( {4})+/gm, (blanks) => '\t'.repeat(blanks.length / 4)),
  'with blank lines everywhere': (source) => source.replace(/\n/g, '\n\n\n\n'),
  'without its last line end': (source) => source.trimEnd(),
};

const commentsOf = (source: string): string[] => (source.match(/\/\/[^\r\n]*/g) ?? []).map((one) => one.trimEnd());

/** Whether it was a script without mistakes; then it must have stayed the same one. */
function staysTheSame(source: string): boolean {
  const { script, diagnostics } = parse(source);
  const { text } = format(source);
  if (diagnostics.some(({ severity }) => severity === 'error')) {
    expect(text).toBe(source);
    return false;
  }
  expect(JSON.stringify(withoutSpans(parse(text).script))).toBe(JSON.stringify(withoutSpans(script)));
  expect(commentsOf(text)).toEqual(commentsOf(source));
  expect(format(text).text).toBe(text);
  return true;
}

describe('formatting keeps the meaning', () => {
  it.each(Object.entries(STYLES))('of every script of this project, %s', (_, styled) => {
    const kept = files.filter((file) => {
      try {
        return staysTheSame(styled(readFileSync(file, 'utf8')));
      } catch (error) {
        throw new Error(basename(file), { cause: error });
      }
    });
    // Nearly all of them: those with mistakes are few.
    expect(kept.length).toBeGreaterThan(files.length * 0.9);
    expect(files.length).toBeGreaterThan(500);
  });

  it('of random scripts', () => {
    fc.assert(
      fc.property(programs({ varip: true }), ({ source }) => {
        expect(staysTheSame(source)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});
