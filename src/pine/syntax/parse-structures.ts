// Structures with blocks: `if`, `for`, `while`, `switch` and `once`; how a block is read is handed in from above.

import type { Block, Expression, IfBranch, Name, Structure, SwitchArm } from './ast.ts';
import { closeBracket, parseExpression } from './parse-expressions.ts';
import { parseName } from './parse-types.ts';
import type { ParserState } from './parser-state.ts';
import { spanFrom } from './span.ts';
import { STRUCTURE_KEYWORDS } from './tokens.ts';

/** How the statements inside a structure are read; statements know structures, so structures cannot know statements. */
export interface Bodies {
  /** The indented block after a header line. */
  readonly block: (p: ParserState, header: string) => Block;
  /** What stands after `=>`: statements on the same line, or a block. */
  readonly afterArrow: (p: ParserState, header: string) => Block;
}

export const startsStructure = (p: ParserState): boolean =>
  p.current.kind === 'keyword' && STRUCTURE_KEYWORDS.has(p.current.text);

export function parseStructure(p: ParserState, bodies: Bodies): Structure {
  switch (p.current.text) {
    case 'if':
      return parseIf(p, bodies);
    case 'for':
      return parseFor(p, bodies);
    case 'while':
      return parseWhile(p, bodies);
    default:
      return parseSwitch(p, bodies);
  }
}

function parseIf(p: ParserState, bodies: Bodies): Structure {
  const { start } = p.current;
  const branches: IfBranch[] = [];
  let otherwise: Block | null = null;
  for (;;) {
    const keyword = p.take();
    const condition = parseCondition(p);
    const body = bodies.block(p, '"if"');
    branches.push({ kind: 'if-branch', condition, body, span: spanFrom(keyword, body.span) });
    // Where the block is missing, its line is not over yet; an `else` after it still belongs to this `if`.
    if (p.current.kind === 'newline' && p.peek(1).text === 'else' && p.peek(1).kind === 'keyword') p.take();
    if (!p.at('else')) break;
    p.beginLine();
    p.take();
    if (p.at('if')) continue;
    otherwise = bodies.block(p, '"else"');
    break;
  }
  return {
    kind: 'if',
    branches,
    otherwise,
    span: { start, end: (otherwise ?? branches[branches.length - 1]!).span.end },
  };
}

function loopBody(p: ParserState, bodies: Bodies, header: string): Block {
  p.loops++;
  const body = bodies.block(p, header);
  p.loops--;
  return body;
}

function parseWhile(p: ParserState, bodies: Bodies): Structure {
  const keyword = p.take();
  const condition = parseCondition(p);
  const body = loopBody(p, bodies, '"while"');
  return { kind: 'while', condition, body, span: spanFrom(keyword, body.span) };
}

function parseFor(p: ParserState, bodies: Bodies): Structure {
  const keyword = p.take();
  if (p.at('[')) return parseForIn(p, bodies, keyword.start, parseForPair(p));
  // The type of a counter says nothing new: the bounds decide.
  if ((p.atWord('int') || p.atWord('float')) && p.peek(1).kind === 'name' && p.peek(2).text === '=') p.take();
  const name = parseName(p, 'the name of the counter');
  if (p.lost || p.atWord('in')) return parseForIn(p, bodies, keyword.start, [null, name]);
  if (!p.accept('=')) {
    const remedy = 'Write "for i = 0 to 9" or "for item in collection".';
    p.fail('badFor', 'Expected "=" or "in" after the name of the counter.', p.current, remedy);
  }
  return parseForTo(p, bodies, keyword.start, name);
}

function parseForTo(p: ParserState, bodies: Bodies, start: number, counter: Name): Structure {
  const from = p.lost ? p.hole() : parseExpression(p);
  const to = parseBound(p, 'to') ?? missingTo(p);
  const step = parseBound(p, 'by');
  const body = loopBody(p, bodies, '"for"');
  return { kind: 'for', counter, from, to, step, body, span: { start, end: body.span.end } };
}

function parseBound(p: ParserState, word: 'to' | 'by'): Expression | null {
  if (p.lost || !p.atWord(word)) return null;
  p.takeWord();
  return parseExpression(p);
}

function missingTo(p: ParserState): Expression {
  p.fail('badFor', 'Expected "to" and the last value of the counter.', p.current, 'Write "for i = 0 to 9".');
  return p.hole();
}

/** `[index, item]`. */
function parseForPair(p: ParserState): readonly [Name, Name] {
  const open = p.take();
  const index = parseName(p, 'the name of the index');
  if (!p.lost) p.expect(',', 'between the names of the index and the item');
  const item = p.lost ? p.missingName() : parseName(p, 'the name of the item');
  closeBracket(p, ']', open);
  return [index, item];
}

function parseForIn(
  p: ParserState,
  bodies: Bodies,
  start: number,
  [index, item]: readonly [Name | null, Name],
): Structure {
  if (!p.lost && !p.atWord('in'))
    p.fail(
      'badFor',
      'Expected "in" after the names of the loop.',
      p.current,
      'Write "for [index, item] in collection".',
    );
  if (!p.lost) p.takeWord();
  const collection = p.lost ? p.hole() : parseExpression(p);
  const body = loopBody(p, bodies, '"for"');
  return { kind: 'for-in', index, item, collection, body, span: { start, end: body.span.end } };
}

function parseSwitch(p: ParserState, bodies: Bodies): Structure {
  const keyword = p.take();
  const subject = p.atLineEnd() ? null : parseCondition(p);
  if (!p.lost && !p.atLineEnd()) p.unexpected('the end of the line after the value that is switched on');
  p.recover();
  const arms: SwitchArm[] = [];
  if (p.opensBlock()) {
    p.take();
    p.take();
    while (!p.atBlockEnd()) parseArm(p, bodies, arms);
    p.take();
  }
  if (arms.length === 0) {
    const remedy = 'Indent each arm by four columns: "value => result".';
    p.report('missingBlock', '"switch" has no arms.', keyword, remedy);
  }
  const end = arms.length > 0 ? arms[arms.length - 1]!.span.end : (subject ?? { span: keyword }).span.end;
  return { kind: 'switch', subject, arms, span: { start: keyword.start, end } };
}

function parseArm(p: ParserState, bodies: Bodies, arms: SwitchArm[]): void {
  if (p.current.kind === 'indent') {
    // The block of an arm that could not be read.
    p.skipBlock();
    return;
  }
  p.beginLine();
  const first = p.current;
  const match = p.at('=>') ? null : parseExpression(p);
  if (!p.lost && !p.at('=>')) {
    const remedy = 'An arm reads "value => result"; the default arm reads "=> result".';
    p.fail('badSwitch', 'Expected "=>" after the value of the arm.', p.current, remedy);
  }
  if (!p.lost) p.take();
  const body = bodies.afterArrow(p, 'the arm');
  p.endLine();
  arms.push({ kind: 'switch-arm', match, body, span: { start: first.start, end: Math.max(first.end, body.span.end) } });
  const above = arms[arms.length - 2];
  if (above?.match === null)
    p.report('badSwitch', 'The default arm must be the last one.', first, 'Move the arm above "=>".');
}

/** A single "=" is meant to compare: it is reported once, where the line goes on, and read as "==". */
function parseCondition(p: ParserState): Expression {
  const left = parseExpression(p);
  if (p.lost || !p.at('=')) return left;
  p.unexpected('the end of the line');
  return { kind: 'binary', operator: '==', left, right: p.hole(), span: left.span };
}

/** `once` or `once condition`, then a block. */
export function parseOnce(p: ParserState, bodies: Bodies): Structure {
  const keyword = p.takeWord();
  if (p.version < 6)
    p.report('needsNewerVersion', '"once" needs version 6.', keyword, 'Write //@version=6 at the top of the script.');
  const condition = p.atLineEnd() ? null : parseCondition(p);
  const body = bodies.block(p, '"once"');
  return { kind: 'once', condition, body, span: spanFrom(keyword, body.span) };
}
