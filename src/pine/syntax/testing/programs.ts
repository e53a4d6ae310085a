// Random scripts for property tests: every construct of the language, written with careless white space.

import fc from 'fast-check';

/** Lines with their block depth; a line is a list of pieces between which white space may stand. */
export interface Line {
  readonly depth: number;
  readonly pieces: readonly string[];
}

const pick = <T extends string>(...items: readonly T[]) => fc.constantFrom(...items);

const NAMES = ['a', 'b', 'close', 'high', '_x1', 'length', 'to', 'by', 'type', 'method', 'series'];
const name = pick(...NAMES);
const freshName = pick('v1', 'v2', 'myVar', 'MAX_LEN', '_tmp');
const typeName = pick(
  'int',
  'float',
  'bool',
  'string',
  'color',
  'Lib.Point',
  'array<float>',
  'map<string, int>',
  'int[]',
);

const literal = pick(
  ...['0', '1', '42', '1.5', '.5', '5.', '1e3', '2.5E-4', '"text"', "'it\\'s'", '"// no comment"', '"""two\nlines"""'],
  ...['#ff0000', '#FF00FF80', 'true', 'false', 'na', '""'],
);

/** An expression as pieces. */
const { expression } = fc.letrec<{ expression: string[] }>((tie) => {
  const inner = tie('expression');
  const binary = pick('+', '-', '*', '/', '%', '==', '!=', '<', '<=', '>', '>=', 'and', 'or');
  const list = fc.array(inner, { maxLength: 3 });
  const commas = (items: readonly string[][]) => items.flatMap((item, index) => (index === 0 ? item : [',', ...item]));
  return {
    expression: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      literal.map((text) => [text]),
      name.map((text) => [text]),
      fc.tuple(inner, binary, inner).map(([a, op, b]) => ['(', ...a, ')', op, ...b]),
      fc.tuple(inner, binary, inner).map(([a, op, b]) => [...a, op, ...b]),
      fc.tuple(pick('not', '-', '+'), inner).map(([op, a]) => [op, ...a]),
      fc.tuple(inner, inner, inner).map(([a, b, c]) => [...a, '?', ...b, ':', ...c]),
      fc.tuple(name, inner).map(([a, n]) => [a, '[', ...n, ']']),
      fc.tuple(inner, inner).map(([a, n]) => ['(', ...a, ')', '[', ...n, ']']),
      fc.tuple(name, list).map(([f, args]) => ['ta', '.', f, '(', ...commas(args), ')']),
      fc.tuple(name, inner).map(([f, a]) => ['plot', '(', ...a, ',', f, '=', ...a, ')', '[', '1', ']']),
      fc.tuple(typeName, list).map(([t, args]) => ['array', '.', 'new', `<${t}>`, '(', ...commas(args), ')']),
      fc.tuple(inner, inner).map(([a, b]) => ['[', ...a, ',', ...b, ']']),
    ),
  };
});

const { block } = fc.letrec<{ block: Line[]; statement: Line[] }>((tie) => {
  const indented = tie('block').map((lines) => lines.map(({ depth, pieces }) => ({ depth: depth + 1, pieces })));
  const one = (pieces: readonly string[]): Line[] => [{ depth: 0, pieces }];
  const arm = fc.oneof(
    fc.tuple(expression, expression).map(([m, r]) => one([...m, '=>', ...r])),
    fc.tuple(expression, indented).map(([m, body]) => [...one([...m, '=>']), ...body]),
  );
  const arms = fc.tuple(fc.array(arm, { minLength: 1, maxLength: 2 }), fc.boolean()).map(([found, more]) => {
    const lines = found.flat().map(({ depth, pieces }) => ({ depth: depth + 1, pieces }));
    return more ? [...lines, { depth: 1, pieces: ['=>', 'na'] }] : lines;
  });
  const loopHead = fc.oneof(
    fc.tuple(expression, expression).map(([from, to]) => ['for', 'i', '=', ...from, 'to', ...to, 'by', '2']),
    expression.map((items) => ['for', 'x', 'in', ...items]),
    expression.map((items) => ['for', '[', 'i', ',', 'x', ']', 'in', ...items]),
    expression.map((condition) => ['while', ...condition]),
  );
  const structure = fc.oneof(
    fc.tuple(expression, indented).map(([c, body]) => [...one(['if', ...c]), ...body]),
    fc
      .tuple(expression, indented, expression, indented, indented)
      .map(([c, body, d, second, last]) => [
        ...[...one(['if', ...c]), ...body, ...one(['else', 'if', ...d]), ...second],
        ...[...one(['else']), ...last],
      ]),
    fc.tuple(loopHead, indented).map(([head, body]) => [...one(head), ...body, { depth: 1, pieces: ['break'] }]),
    fc.tuple(expression, arms).map(([subject, lines]) => [...one(['switch', ...subject]), ...lines]),
    arms.map((lines) => [...one(['switch']), ...lines]),
  );
  const lead = fc.oneof(
    freshName.map((v) => [v, '=']),
    fc.tuple(typeName, freshName).map(([t, v]) => ['var', t, v, '=']),
    fc.tuple(pick('series', 'simple', 'const'), pick('int', 'float'), freshName).map(([q, t, v]) => [q, t, v, '=']),
    fc.tuple(name, pick(':=', '+=', '-=', '*=', '/=', '%=')).map(([v, op]) => [v, op]),
    fc.constant(['obj', '.', 'field', ':=']),
    fc.constant(['[', 'p', ',', 'q', ']', '=']),
  );
  const simple = fc.tuple(lead, expression).map(([head, value]) => [...head, ...value]);
  return {
    statement: fc.oneof(
      { depthSize: 'small' },
      simple.map(one),
      fc.tuple(simple, simple).map(([a, b]) => one([...a, ',', ...b])),
      expression.map((value) => one(['plot', '(', ...value, ')'])),
      fc
        .tuple(lead, structure)
        .map(([head, lines]) => [{ depth: 0, pieces: [...head, ...lines[0]!.pieces] }, ...lines.slice(1)]),
      structure,
    ),
    block: fc.array(tie('statement'), { minLength: 1, maxLength: 2 }).map((found) => found.flat()),
  };
});

const one = (...pieces: readonly string[]): Line[] => [{ depth: 0, pieces }];
const deeper = (lines: readonly Line[]): Line[] => lines.map(({ depth, pieces }) => ({ depth: depth + 1, pieces }));

const topLevel = fc.oneof(
  { weight: 4, arbitrary: block },
  {
    weight: 1,
    arbitrary: block.map((body) => [...one('f', '(', 'x', ',', 'int', 'y', '=', '1', ')', '=>'), ...deeper(body)]),
  },
  {
    weight: 1,
    arbitrary: expression.map((value) => one('export', 'method', 'g', '(', 'Lib.Point', 'p', ')', '=>', ...value)),
  },
  {
    weight: 1,
    arbitrary: expression.map((value) => [
      ...one('type', 'Point'),
      ...deeper([...one('varip', 'float', 'y', '=', ...value), ...one('array<int>', 'z')]),
    ]),
  },
  { weight: 1, arbitrary: fc.constant([...one('enum', 'E'), ...deeper([...one('up', '=', '"Up"'), ...one('down')])]) },
  { weight: 1, arbitrary: fc.constant(one('import user/Lib/1', 'as', 'L')) },
);

export const programLines: fc.Arbitrary<Line[]> = fc.array(topLevel, { maxLength: 4 }).map((found) => found.flat());

/** White space, comments and line breaks where the language allows them; `choose(n)` answers 0 to n - 1. */
export function render(lines: readonly Line[], choose: (count: number) => number): string {
  let text = '//@version=6\n';
  for (const { depth, pieces } of lines) {
    if (choose(6) === 0)
      text += ['\n', '\n\n\n\n', '// remark\n', '    // indented remark  \n', '//@variable v\n'][choose(5)];
    for (let level = 0; level < depth; level++) text += choose(2) === 0 ? '    ' : '\t';
    text += renderPieces(pieces, depth, choose);
    text += choose(8) === 0 ? '   // trailing\n' : choose(10) === 0 ? '\r\n' : '\n';
  }
  return text;
}

function renderPieces(pieces: readonly string[], depth: number, choose: (count: number) => number): string {
  let text = '';
  let open = 0;
  pieces.forEach((piece, index) => {
    const previous = pieces[index - 1];
    if (previous !== undefined) text += gap(previous, piece, open, depth, choose);
    if (piece === '(' || piece === '[') open++;
    if (piece === ')' || piece === ']') open--;
    text += piece;
  });
  return text;
}

const isWordy = (text: string): boolean => /^[\w.#"']/.test(text) || /[\w."'>\]]$/.test(text);

function gap(left: string, right: string, open: number, depth: number, choose: (count: number) => number): string {
  const needed = isWordy(left) && isWordy(right) ? ' ' : '';
  switch (choose(12)) {
    case 0:
      return open > 0 ? `\n${' '.repeat(choose(9))}` : `\n${' '.repeat(depth * 4 + 1 + choose(3))}`;
    case 1:
      return open > 0 ? ' // wrapped\n' : '  ';
    case 2:
    case 3:
      return `${needed} `;
    default:
      return needed;
  }
}
