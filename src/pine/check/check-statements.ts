// Statements: declarations and expressions on their own, and the value of the block they end.

import { isNamespace } from '../builtins/index.ts';
import { laterQualifier, type PineType, type Qualifier, qualifierFits, type Shape, typeOf } from '../builtins/types.ts';
import type { Expression, Statement, TupleDeclaration, VariableDeclaration } from '../syntax/index.ts';
import { checkAssignment } from './check-assignments.ts';
import { withoutValue } from './check-structures.ts';
import type { Checker, Want } from './checker.ts';
import { coerce } from './coerce.ts';
import { constantValue } from './constants.ts';
import { isReference, mismatch, qualifierOf, read, withFractions } from './given-values.ts';
import { describe, heldShape, isUnknown, JUMP_TYPE, UNKNOWN_TYPE } from './shapes.ts';
import type { Block, Expr, Stmt, Variable } from './tree.ts';
import { readType } from './type-references.ts';
import { fitsNew } from './wider-arrays.ts';

/** The statements in a scope of their own; the last one's value is the block's, where one is asked for. */
export function checkBlock(c: Checker, statements: readonly Statement[], want: Want, under: Qualifier): Block {
  return c.inside(under, () => {
    const out: Stmt[] = [];
    let value: Expr | null = null;
    for (const [i, statement] of statements.entries())
      value = checkStatement(c, statement, i === statements.length - 1 ? want : 'none', out);
    return want === 'none' ? withoutValue({ statements: out, value }) : { statements: out, value };
  });
}

/** Adds what the statement does and answers its value where one is asked for; null when it has none. */
export function checkStatement(c: Checker, node: Statement, want: Want, out: Stmt[]): Expr | null {
  const outer = c.before;
  const before: Stmt[] = [];
  c.before = before;
  const first = out.length;
  const value = readStatement(c, node, want, out);
  c.before = outer;
  if (before.length > 0) out.splice(first, 0, ...before);
  return value;
}

function readStatement(c: Checker, node: Statement, want: Want, out: Stmt[]): Expr | null {
  switch (node.kind) {
    case 'variable':
      return checkVariable(c, node, out);
    case 'tuple-declaration':
      return checkTupleDeclaration(c, node, out);
    case 'assignment':
      return checkAssignment(c, node, out);
    case 'expression':
      return checkExpressionStatement(c, node.expression, want, out);
    case 'break':
    case 'continue':
      out.push({ kind: node.kind, span: node.span });
      return { kind: 'constant', value: null, type: JUMP_TYPE, span: node.span };
    case 'error':
      c.broken = true;
      checkBlock(c, node.statements, 'none', 'series');
      return null;
    default:
      // Functions, types, enums and imports are read before the statements; in a block they were reported.
      if (c.place.local) c.broken = true;
      return null;
  }
}

function checkExpressionStatement(c: Checker, node: Expression, want: Want, out: Stmt[]): Expr | null {
  const value = c.expression(node, want);
  if (want !== 'none' && value.type.shape.kind !== 'void') return value;
  out.push({ kind: 'evaluate', value, span: node.span });
  return null;
}

function checkVariable(c: Checker, node: VariableDeclaration, out: Stmt[]): Expr | null {
  const declared = node.type === null ? null : readType(c, node.type);
  c.assigned = { name: node.name.text, node: node.value };
  const given = c.value(node.value);
  const { name } = node;
  const reassigned = c.place.module.reassigned.has(name);
  const asked = declared === null ? null : heldShape(declared, given.type.shape);
  const value = declaredValue(c, node, asked, given);
  const qualifier = declaredQualifier(c, node, value, reassigned);
  const type: PineType =
    isUnknown(value.type.shape) && asked === null
      ? UNKNOWN_TYPE
      : typeOf(qualifier, withFractions(c, name, asked ?? value.type.shape));
  const role = node.qualifier === 'const' ? 'const' : 'variable';
  const { exported } = node;
  const variable = c.declare(name, type, { role, mode: node.mode ?? 'plain', value, exported, asked: node.qualifier });
  if (c.version === 6 && type.shape.kind === 'user') checkObject(c, node);
  if (exported && role !== 'const')
    c.report('badExport', 'Only constants can be exported.', name.span, `Write "export const" before ${name.text}.`);
  else if (exported && node.type === null)
    c.report('badExport', 'An exported constant needs a type.', name.span, `Write its type before ${name.text}.`);
  if (type.qualifier === 'const' && !reassigned) {
    const constant = constantValue(value);
    if (constant !== undefined) variable.constant = constant;
  }
  out.push({ kind: 'declare', variable, value, span: node.span });
  return read(variable);
}

/** Since v6: `size.x` would be a name of the namespace, and an object never is known early. */
function checkObject(c: Checker, { name, qualifier }: VariableDeclaration): void {
  if (isNamespace(name.text))
    c.report('redeclared', `An object cannot be called like the namespace ${name.text}.`, name.span, 'Rename it.');
  if (qualifier !== null && qualifier !== 'series')
    c.report('wrongQualifier', `An object is never ${qualifier}.`, name.span, `Leave out "${qualifier}".`);
}

/** The value with the declared shape; a name without a type takes the value's own, which must be one. */
function declaredValue(c: Checker, node: VariableDeclaration, declared: Shape | null, value: Expr): Expr {
  const { shape } = value.type;
  const name = node.name.text;
  if (isUnknown(shape)) return value;
  if (shape.kind === 'tuple') {
    const remedy = `Write one name for each value: [${shape.items.map((_, i) => `${name}${i + 1}`).join(', ')}] = …`;
    return c.refuse('badTuple', `${name} cannot hold a tuple.`, node.value.span, remedy);
  }
  if (declared === null) {
    if (shape.kind !== 'na') return value;
    return c.refuse(
      'naNeedsType',
      `The type of ${name} is not known from na.`,
      node.value.span,
      `Write "${[node.mode, node.qualifier, 'float', name].filter(Boolean).join(' ')} = na".`,
    );
  }
  if (fitsNew(value, declared, c.version)) return coerce(value, declared, c.version);
  return c.refuse('wrongType', ...mismatch(name, typeOf(value.type.qualifier, declared), value));
}

function declaredQualifier(c: Checker, node: VariableDeclaration, { type }: Expr, reassigned: boolean): Qualifier {
  const asked = isReference(type.shape) ? null : node.qualifier;
  if (asked === null)
    return reassigned ? qualifierOf(c, node.name, type.qualifier, node.mode !== null) : type.qualifier;
  if (!isUnknown(type.shape) && !qualifierFits(type.qualifier, asked)) {
    const message = `${node.name.text} is declared ${asked}, its value is ${describe(type)}.`;
    c.report('wrongQualifier', message, node.value.span, `Write "${type.qualifier}" or leave the word out.`);
  }
  return asked;
}

function checkTupleDeclaration(c: Checker, node: TupleDeclaration, out: Stmt[]): Expr | null {
  const value = c.value(node.value);
  const { shape } = value.type;
  const items = shape.kind === 'tuple' ? shape.items : [];
  const count = node.names.length;
  if (c.version === 6 && node.value.kind === 'tuple')
    c.report(
      'badTuple',
      'The values come from a call or a structure.',
      node.value.span,
      'Declare the names one by one.',
    );
  if (shape.kind !== 'tuple' && !isUnknown(shape))
    c.report('badTuple', `${describe(value.type)} is one value, not ${count}.`, node.value.span, 'Declare one name.');
  else if (shape.kind === 'tuple' && items.length !== count)
    c.report(
      'badTuple',
      `There are ${items.length} values for ${count} names.`,
      node.span,
      'Write "_" for a value that is not needed.',
    );
  const fitting = items.length === count;
  const variables = node.names.map((name, i): Variable | null => {
    const item = fitting ? items[i]! : UNKNOWN_TYPE;
    if (item.shape.kind === 'na')
      c.report(
        'naNeedsType',
        `The type of ${name.text} is not known from na.`,
        name.span,
        'Write float(na) in the tuple.',
      );
    const reassigned = c.place.module.reassigned.has(name);
    const known = laterQualifier(value.type.qualifier, item.qualifier);
    const qualifier = reassigned ? qualifierOf(c, name, known) : known;
    const type =
      item.shape.kind === 'na' || isUnknown(item.shape)
        ? UNKNOWN_TYPE
        : typeOf(qualifier, withFractions(c, name, item.shape));
    const variable = c.declare(name, type);
    return name.text === '_' ? null : variable;
  });
  out.push({ kind: 'declare-tuple', variables, value, span: node.span });
  if (variables.includes(null)) return null;
  const elements = variables.map((variable) => read(variable!));
  return {
    kind: 'tuple',
    elements,
    type: typeOf('series', { kind: 'tuple', items: elements.map(({ type }) => type) }),
    span: node.span,
  };
}
