// Properties of the front end: no text breaks it, every valid script is accepted, and formatting never changes meaning.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../tests/support/thorough.ts';
import { MAX_DIAGNOSTICS } from './diagnostic.ts';
import { format, LineTable, nodesAt, parse, type Span } from './index.ts';
import { withoutSpans } from './testing/print-ast.ts';
import { programLines, render } from './testing/programs.ts';
import { childrenOf, walk } from './walk.ts';

const RUNS = { numRuns: cases(250) };

/** A careless writer, repeatable from a list of numbers. */
function chooser(numbers: readonly number[]): (count: number) => number {
  let at = 0;
  return (count) => (numbers.length === 0 ? count - 1 : numbers[at++ % numbers.length]! % count);
}

const program = fc
  .tuple(programLines, fc.array(fc.nat({ max: 1000 }), { maxLength: 60 }))
  .map(([lines, numbers]) => render(lines, chooser(numbers)));

const soupPieces = [
  ...['if', 'else', 'for', 'while', 'switch', 'break', 'var', 'varip', 'and', 'or', 'not', 'true', 'na', 'once'],
  ...['type', 'enum', 'method', 'export', 'import', 'to', 'by', 'in', 'as', 'int', 'float', 'series', 'x', 'ta', 'f'],
  ...['(', ')', '[', ']', '<', '>', ',', '.', '=', ':=', '+=', '==', '!=', '=>', '?', ':', '+', '-', '*', '/', '%'],
  ...['1', '2.5', '"s"', "'", '"""', '#ff0000', '#zz', '@', ';', '!', '&&', 'é', '//@version=6', '// c', '/*', '\\'],
  ...['\n', '\n    ', '\n        ', '\n\t', '\n  ', '\r\n', '\r', ' '],
];
const soup = fc.array(fc.constantFrom(...soupPieces), { maxLength: 80 }).map((pieces) => pieces.join(' '));

const isInside = (inner: Span, outer: Span): boolean =>
  outer.start <= inner.start && inner.start <= inner.end && inner.end <= outer.end;

/** What must hold for any text at all, as the list of what does not. */
function faultsOf(source: string): string[] {
  const { script, diagnostics } = parse(source);
  const faults: string[] = [];
  if (diagnostics.length > MAX_DIAGNOSTICS + 1) faults.push(`${diagnostics.length} diagnostics`);
  for (const { span, message, code } of diagnostics)
    if (!isInside(span, script.span) || !/^PE\d{3}$/.test(code) || !/^\S.*\.$/s.test(message)) faults.push(message);
  walk(script, (node) => {
    for (const child of childrenOf(node))
      if (!isInside(child.span, node.span)) faults.push(`${child.kind} sticks out of ${node.kind}`);
    return undefined;
  });
  if (diagnostics.length > 0 && format(source).text !== source) faults.push('was formatted in spite of its mistakes');
  return faults;
}

function checkAnyText(source: string): void {
  expect(faultsOf(source)).toEqual([]);
}

describe('any text', () => {
  it('is read to its end without throwing, with spans that lie inside it', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 300 }), checkAnyText), RUNS);
    fc.assert(fc.property(fc.string({ maxLength: 300 }), checkAnyText), RUNS);
  });

  it('made of the words of the language is read as well', () => {
    fc.assert(fc.property(soup, checkAnyText), { numRuns: cases(1500) });
  });

  it('does not take the next statements with it', () => {
    const bounded = soup.filter((text) => !/["'([]|\/\*|=>|=/.test(text));
    const lastName = (source: string) => {
      const last = parse(source).script.statements.at(-1);
      return last?.kind === 'variable' ? last.name.text : last?.kind;
    };
    fc.assert(
      fc.property(bounded, (text) => {
        expect(lastName(`//@version=6\n${text}\nlast = 1\n`)).toBe('last');
      }),
      RUNS,
    );
  });

  it('in one line of a valid script costs no other line', () => {
    const junk = ['x = ', 'f(', 'ta.', 'x = (a', 'if', 'a b c', ')', 'var', '1 +', '@@', 'x = "open', 'for i', '=> 1'];
    fc.assert(
      fc.property(programLines, fc.constantFrom(...junk), programLines, (above, line, below) => {
        const plain = (lines: typeof above) => render(lines, (count) => count - 1);
        const [first, second] = [plain(above), plain(below).replace('//@version=6\n', '')];
        const { script, diagnostics } = parse(`${first}${line}\n${second}`);
        const kinds = ({ script: { statements } }: ReturnType<typeof parse>) => statements.map(({ kind }) => kind);
        const around = [...kinds(parse(first)), ...kinds(parse(`//@version=6\n${second}`))];
        expect(script.statements).toHaveLength(around.length + 1);
        expect(diagnostics).toHaveLength(1);
      }),
      RUNS,
    );
  });

  it('cut off anywhere still gives a tree for the editor', () => {
    fc.assert(
      fc.property(program, fc.nat(), (source, at) => {
        const cut = source.slice(0, at % (source.length + 1));
        checkAnyText(cut);
        expect(nodesAt(parse(cut).script, cut.length)[0]?.kind).toBe('script');
      }),
      RUNS,
    );
  });
});

describe('a valid script', () => {
  it('is accepted, whatever its white space', () => {
    fc.assert(
      fc.property(program, (source) => {
        expect(parse(source).diagnostics).toEqual([]);
      }),
      RUNS,
    );
  });

  it('means the same after formatting, and formatting it again changes nothing', () => {
    fc.assert(
      fc.property(program, (source) => {
        const { text } = format(source);
        expect(parse(text).diagnostics).toEqual([]);
        expect(withoutSpans(parse(text).script)).toEqual(withoutSpans(parse(source).script));
        expect(format(text).text).toBe(text);
        expect(text).not.toMatch(/\n\n\n\n/);
      }),
      RUNS,
    );
  });

  it('is read the same with tabs as with spaces', () => {
    fc.assert(
      fc.property(programLines, (lines) => {
        const tabs = render(lines, (count) => count - 1);
        const spaces = tabs.replaceAll('\t', '    ');
        expect(withoutSpans(parse(tabs).script)).toEqual(withoutSpans(parse(spaces).script));
      }),
      { numRuns: cases(60) },
    );
  });
});

describe('the line table', () => {
  it('finds the line and column of every offset, and back', () => {
    const text = fc
      .array(fc.constantFrom('a', ' ', '\n', '\r\n', '\r', 'é'), { maxLength: 40 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, fc.nat(), (source, seed) => {
        const offset = seed % (source.length + 1);
        const table = new LineTable(source);
        const position = table.positionAt(offset);
        const before = source.slice(0, offset).replace(/\r$/, source[offset] === '\n' ? '' : '\r');
        const lines = before.split(/\r\n|\r|\n/);
        expect(position.line).toBe(lines.length);
        expect(table.offsetAt(position)).toBe(offset);
      }),
      RUNS,
    );
  });
});
