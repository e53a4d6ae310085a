// `if`, `switch` and loops: their conditions, and the value their blocks agree on where one is asked for.

import { arrayOf, laterQualifier, NA, type PineType, type Qualifier, scalar, typeOf } from '../builtins/types.ts';
import type { Expression, For, ForIn, If, Once, Span, Structure, Switch, While } from '../syntax/index.ts';
import { asCondition, binary, checkCondition, operandKind } from './check-operators.ts';
import type { Checker, Want } from './checker.ts';
import { blockWithShape, coerce } from './coerce.ts';
import {
  describe,
  isInt,
  isNumber,
  isUnknown,
  JUMP_TYPE,
  joinTypes,
  naExpr,
  notBefore,
  QUOTIENT,
  UNKNOWN_TYPE,
  VOID_TYPE,
} from './shapes.ts';
import type { Block, Structure as CheckedStructure, Expr, OperandKind } from './tree.ts';

export function checkStructure(c: Checker, node: Structure, want: Want): Expr {
  switch (node.kind) {
    case 'if':
      return checkIf(c, node, want);
    case 'switch':
      return checkSwitch(c, node, want);
    case 'for':
      return checkFor(c, node, want);
    case 'for-in':
      return checkForIn(c, node, want);
    case 'while':
      return checkWhile(c, node, want);
    default:
      return checkOnce(c, node);
  }
}

/** A block whose value nobody asks for: what it would have been is still run. */
export function withoutValue({ statements, value }: Block): Block {
  if (value === null || value.type === JUMP_TYPE) return { statements, value: null };
  return { statements: [...statements, { kind: 'evaluate', value, span: value.span }], value: null };
}

const naBlock = (span: Span): Block => ({
  statements: [],
  value: { kind: 'constant', value: null, type: typeOf('const', NA), span },
});

/** The type all blocks agree on; void when a tail has none, unknown when a value was asked for and that is reported. */
function agreedType(c: Checker, blocks: readonly Block[], want: Want, span: Span): PineType {
  if (want === 'none') return VOID_TYPE;
  let agreed: PineType | null = null;
  for (const { value } of blocks) {
    if (value === null) return noValue(c, want, span);
    if (value.type === JUMP_TYPE) continue;
    const joined: PineType | null = agreed === null ? value.type : joinTypes(agreed, value.type, c.version);
    if (joined === null) return differing(c, agreed!, value.type, want, span);
    agreed = joined;
  }
  if (agreed === null || (want === 'tail' && agreed.shape.kind === 'na')) return VOID_TYPE;
  return agreed;
}

function noValue(c: Checker, want: Want, span: Span): PineType {
  if (want === 'tail') return VOID_TYPE;
  c.report('noValue', 'A block of this has no value.', span, 'End each of its blocks with a value.');
  return UNKNOWN_TYPE;
}

function differing(c: Checker, a: PineType, b: PineType, want: Want, span: Span): PineType {
  // Objects may be made for what they do; of numbers, texts, bools and colors one cannot stand for the other.
  const plain = c.version === 6 && a.shape.kind === 'scalar' && b.shape.kind === 'scalar';
  if (want === 'tail' && !plain) return VOID_TYPE;
  const message = `The blocks end in values of different types: ${describe(a)} and ${describe(b)}.`;
  c.report('branchesDiffer', message, span, 'Give all of them the same type.');
  return UNKNOWN_TYPE;
}

const finished = (c: Checker, block: Block, { shape }: PineType): Block =>
  shape.kind === 'void' ? withoutValue(block) : blockWithShape(block, shape, c.version);

function checkIf(c: Checker, node: If, want: Want): CheckedStructure {
  const { span } = node;
  let under: Qualifier = 'const';
  const found = node.branches.map(({ condition: question, body }) => {
    const condition = c.perhaps(under, () => checkCondition(c, question));
    under = laterQualifier(under, condition.type.qualifier);
    return { condition, body: c.block(body, want, under) };
  });
  const written = node.otherwise === null ? null : c.block(node.otherwise, want, under);
  const blocks = found.map(({ body }) => body);
  const type = notBefore(under, agreedType(c, written === null ? blocks : [...blocks, written], want, span));
  const branches = found.map(({ condition, body }) => ({ condition, body: finished(c, body, type) }));
  return { kind: 'if', branches, otherwise: elseBlock(c, written, type, span), type, span };
}

/** The block for when nothing holds; where it is not written and a value is asked for, it is na. */
function elseBlock(c: Checker, written: Block | null, type: PineType, span: Span): Block | null {
  if (written !== null) return finished(c, written, type);
  if (c.version === 6 && type.shape.kind === 'option') {
    const message = `Where no condition holds there is no value, and ${describe(type)} is never na.`;
    c.report('wrongType', message, span, 'Add a last branch with "else", or with "=>" alone in a "switch".');
  }
  return type.shape.kind === 'void' ? null : finished(c, naBlock(span), type);
}

function checkSwitch(c: Checker, node: Switch, want: Want): CheckedStructure {
  const { span } = node;
  const question: SwitchQuestion = { subject: node.subject === null ? null : c.value(node.subject), operands: null };
  let under: Qualifier = question.subject?.type.qualifier ?? 'const';
  const found: { match: Expr; body: Block }[] = [];
  let written: Block | null = null;
  for (const arm of node.arms) {
    // The first comparison is always made, the others when those before it failed.
    const asked: Qualifier = found.length === 0 ? 'const' : under;
    const match = arm.match === null ? null : c.perhaps(asked, () => checkMatch(c, question, arm.match!));
    if (match !== null) under = laterQualifier(under, match.type.qualifier);
    const body = c.block(arm.body, want, under);
    if (match === null) written = body;
    else found.push({ match, body });
  }
  const blocks = found.map(({ body }) => body);
  const type = notBefore(under, agreedType(c, written === null ? blocks : [...blocks, written], want, span));
  const arms = found.map(({ match, body }) => ({ match, body: finished(c, body, type) }));
  const { subject } = question;
  const operands = subject === null ? 'bool' : (question.operands ?? operandKind(subject.type.shape, c.version));
  return { kind: 'switch', subject, operands, arms, otherwise: elseBlock(c, written, type, span), type, span };
}

/** What the arms are compared with, and how; an arm with a fraction makes all of them compare as floats. */
interface SwitchQuestion {
  subject: Expr | null;
  operands: OperandKind | null;
}

function checkMatch(c: Checker, question: SwitchQuestion, node: Expression): Expr {
  const value = c.value(node);
  if (question.subject === null) return asCondition(c, value);
  const equality = binary(c, '==', question.subject, value, node.span);
  if (equality.kind !== 'binary') return value;
  question.subject = equality.left;
  if (question.operands !== 'float') question.operands = equality.operands;
  return equality.right;
}

/** The body of a loop, and what the loop stands for when it never ran. */
function loopParts(
  c: Checker,
  body: Block,
  want: Want,
  span: Span,
): { type: PineType; body: Block; empty: Expr | null } {
  const agreed = agreedType(c, [body], want, span);
  const type = notBefore('series', agreed);
  const { shape } = type;
  const none = shape.kind === 'void' || isUnknown(shape);
  return { type, body: finished(c, body, type), empty: none ? null : naExpr(shape, c.version, span) };
}

function checkBound(c: Checker, node: For['from'], what: string): Expr {
  const value = c.value(node);
  const { shape } = value.type;
  if (shape === QUOTIENT) return coerce(value, scalar('int'), c.version);
  if (isUnknown(shape) || isNumber(shape)) return value;
  return c.refuse('badLoop', `The ${what} of a loop is a number, not ${describe(value.type)}.`, node.span);
}

function checkFor(c: Checker, node: For, want: Want): CheckedStructure {
  const { span } = node;
  const from = checkBound(c, node.from, 'first value');
  const dynamic = c.version === 6;
  const to = c.perhaps(dynamic ? 'series' : 'const', () => checkBound(c, node.to, 'last value'));
  const step = node.step === null ? null : checkBound(c, node.step, 'step');
  const whole = [from, to, ...(step === null ? [] : [step])].every(
    ({ type }) => isInt(type.shape) || isUnknown(type.shape),
  );
  return c.inside('series', () => {
    const type = typeOf('series', scalar(whole ? 'int' : 'float'));
    const counter = c.declare(node.counter, type, { role: 'counter' });
    const parts = loopParts(c, c.block(node.body, want, 'series'), want, span);
    return { kind: 'for', counter, from, to, step, toIsDynamic: dynamic, ...parts, span };
  });
}

function checkForIn(c: Checker, node: ForIn, want: Want): CheckedStructure {
  const { span } = node;
  const collection = c.value(node.collection);
  const [indexType, itemType] = itemTypes(c, node, collection);
  return c.inside('series', () => {
    const index = node.index === null ? null : c.declare(node.index, indexType, { role: 'counter' });
    const item = c.declare(node.item, itemType, { role: 'counter' });
    const parts = loopParts(c, c.block(node.body, want, 'series'), want, span);
    return { kind: 'for-in', index, item, collection, ...parts, span };
  });
}

function itemTypes(c: Checker, node: ForIn, { type: { shape }, type }: Expr): readonly [PineType, PineType] {
  const number = typeOf('series', scalar('int'));
  if (shape.kind === 'array') return [number, typeOf('series', shape.element)];
  if (shape.kind === 'matrix') return [number, typeOf('series', arrayOf(shape.element))];
  if (shape.kind === 'map') {
    if (node.index !== null) return [typeOf('series', shape.key), typeOf('series', shape.value)];
    const remedy = 'Write "for [key, value] in map".';
    c.report('badLoop', 'A map gives a key and a value.', node.item.span, remedy);
  } else if (!isUnknown(shape)) {
    const remedy = 'Loop over an array, a matrix or a map.';
    c.report('badLoop', `${describe(type)} cannot be gone through.`, node.collection.span, remedy);
  }
  return [UNKNOWN_TYPE, UNKNOWN_TYPE];
}

function checkWhile(c: Checker, node: While, want: Want): CheckedStructure {
  const condition = c.perhaps('series', () => checkCondition(c, node.condition));
  return {
    kind: 'while',
    condition,
    ...loopParts(c, c.block(node.body, want, 'series'), want, node.span),
    span: node.span,
  };
}

function checkOnce(c: Checker, node: Once): CheckedStructure {
  const condition = node.condition === null ? null : checkCondition(c, node.condition);
  return { kind: 'once', condition, body: c.block(node.body, 'none', 'series'), type: VOID_TYPE, span: node.span };
}
