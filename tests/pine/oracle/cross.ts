// Scripts crossed with each other: lines of one in another, and values that become structures, histories and calls.

import fc from 'fast-check';

/** A declaration or an assignment on one line: its indentation, what is given a value, the sign, the value. */
const GIVEN = /^(\s*)((?:var |varip )?(?:[\w.<>[\]]+ )?[\w.]+) ?(=|:=|[-+*/%]=) ?(\S.*)$/;
const SIGNS = [':=', '+=', '-=', '*=', '/=', '%='];

/** What a value can be put into; `\n` begins a line of the same indentation. */
const WRAPS: readonly ((value: string) => string)[] = [
  (value) => `if close > open\n    ${value}\nelse\n    ${value}`,
  (value) => `switch bar_index % 2\n    0 => ${value}\n    => ${value}`,
  (value) => `for i0 = 0 to 2\n    ${value}`,
  (value) => `while false\n    ${value}`,
  (value) => `(${value})[1]`,
  (value) => `[${value}, ${value}]`,
  (value) => `not (${value})`,
  (value) => `${value} ? ${value} : na`,
  (value) => `nz(${value})`,
  (value) => `array.from(${value})`,
  (value) => `str.tostring(${value})`,
];

const KINDS = ['lines', 'wrap', 'wrap', 'value', 'drop'] as const;
const crossing = fc.tuple(fc.constantFrom(...KINDS), fc.nat(), fc.nat(), fc.nat());
type Crossing = readonly [kind: (typeof KINDS)[number], at: number, from: number, how: number];

const MAX_LINES = 6;
const at = <T>(list: readonly T[], place: number): T | undefined => list[place % Math.max(list.length, 1)];

/** The places of lines that give a value to something. */
const givenIn = (lines: readonly string[]): number[] =>
  lines.flatMap((line, index) => (GIVEN.test(line) ? [index] : []));

function cross(lines: readonly string[], others: readonly string[], [kind, place, from, how]: Crossing): string[] {
  const start = from % Math.max(others.length, 1);
  if (kind === 'lines')
    return lines.toSpliced(place % (lines.length + 1), 0, ...others.slice(start, start + 1 + (how % MAX_LINES)));
  if (kind === 'drop') return lines.toSpliced(place % Math.max(lines.length, 1), 1);
  const index = at(givenIn(lines), place);
  if (index === undefined) return [...lines];
  const [, indent = '', target = '', sign = '', value = ''] = GIVEN.exec(lines[index]!)!;
  const other = at(givenIn(others), from);
  const given = kind === 'wrap' || other === undefined ? at(WRAPS, how)!(value) : GIVEN.exec(others[other]!)![4]!;
  const written = how % 3 === 0 ? at(SIGNS, from)! : sign;
  return lines.toSpliced(index, 1, ...`${target} ${written} ${given}`.split('\n').map((line) => indent + line));
}

/** One script with some of another in it. */
export function crossed(scripts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(scripts, scripts, fc.array(crossing, { minLength: 1, maxLength: 3 }))
    .map(([one, other, crossings]) =>
      crossings.reduce((lines, how) => cross(lines, other.split('\n'), how), one.split('\n')).join('\n'),
    );
}
