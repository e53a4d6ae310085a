// The values of expressions known at compile time, worked out with the very functions that a running script uses.

import {
  concatenate,
  createValueLibrary,
  differentItem,
  differentText,
  eq,
  ge,
  gt,
  intDivide,
  Journal,
  le,
  lt,
  ne,
  remainder,
  sameItem,
  sameText,
  TOLERANCE,
  type ValueLibrary,
} from '../values/index.ts';
import type { BinaryExpr, BuiltinCallExpr, ConditionalExpr, ConstantValue, EnumExpr, Expr, UnaryExpr } from './tree.ts';

/** The checker asks at every level of a long sum; what was worked out once is kept, so that this stays linear. */
const known = new WeakMap<Expr, ConstantValue>();

/**
 * The value, or undefined where it is not known before the script runs. Never throws: what ends in an error, such as a
 * text that grows too long, has no value yet and ends in the same error when the script runs.
 */
export function constantValue(expr: Expr): ConstantValue | undefined {
  if (expr.kind === 'constant') return expr.value;
  if (expr.kind === 'variable') return expr.variable.constant;
  if (expr.type.qualifier === 'series' || expr.type.qualifier === 'input') return undefined;
  const before = known.get(expr);
  if (before !== undefined) return before;
  try {
    const value = fold(expr);
    if (value !== undefined) known.set(expr, value);
    return value;
  } catch {
    return undefined;
  }
}

/** The member of an enum that the expression is known to be; a member is no plain value, so it is asked for apart. */
export function constantMember(expr: Expr): EnumExpr | undefined {
  let at = expr;
  while (at.kind === 'conditional') {
    const holds = constantValue(at.condition);
    if (holds === undefined) return undefined;
    at = holds === true ? at.whenTrue : at.whenFalse;
  }
  return at.kind === 'enum' ? at : undefined;
}

function fold(expr: Expr): ConstantValue | undefined {
  switch (expr.kind) {
    case 'unary':
      return foldUnary(expr);
    case 'binary':
      return foldBinary(expr);
    case 'conditional':
      return foldConditional(expr);
    case 'to-bool': {
      const value = constantValue(expr.operand);
      return value === undefined ? undefined : truth(value);
    }
    case 'call':
      return foldCall(expr);
    default:
      return undefined;
  }
}

/** As `bool()` has it: na and zero do not hold. */
const truth = (value: ConstantValue): boolean =>
  typeof value === 'number' ? Math.abs(value) > TOLERANCE : value !== null && value !== false;

function foldUnary({ operator, operand }: UnaryExpr): ConstantValue | undefined {
  const value = constantValue(operand);
  if (value === undefined) return undefined;
  if (operator === 'not') return value !== true;
  if (typeof value !== 'number') return undefined;
  return operator === '-' ? -value : value;
}

/** Only the side that is taken has to be known. */
function foldConditional({ condition, whenTrue, whenFalse }: ConditionalExpr): ConstantValue | undefined {
  const holds = constantValue(condition);
  return holds === undefined ? undefined : constantValue(holds === true ? whenTrue : whenFalse);
}

function foldBinary(expr: BinaryExpr): ConstantValue | undefined {
  if (expr.left.type.shape.kind === 'enum') return foldMembers(expr);
  const left = constantValue(expr.left);
  if (left === undefined) return undefined;
  // A lazy operator never looks at the right side once the left one decides.
  if (expr.lazy && expr.operator === 'and' && left !== true) return false;
  if (expr.lazy && expr.operator === 'or' && left === true) return true;
  const right = constantValue(expr.right);
  if (right === undefined) return undefined;
  switch (expr.operator) {
    case 'and':
      return left === true && right === true;
    case 'or':
      return left === true || right === true;
    default:
      if (expr.operands === 'int' || expr.operands === 'float') return foldNumbers(expr.operator, left, right);
      return foldItems(expr, left, right);
  }
}

type Arithmetic = Exclude<BinaryExpr['operator'], 'and' | 'or'>;

const NUMBER_OPERATIONS: Readonly<Record<Arithmetic, (left: number, right: number) => number | boolean>> = {
  '==': eq,
  '!=': ne,
  '<': lt,
  '<=': le,
  '>': gt,
  '>=': ge,
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '%': remainder,
  'int-quotient': intDivide,
};

function foldNumbers(operator: Arithmetic, left: ConstantValue, right: ConstantValue): ConstantValue | undefined {
  if (typeof left !== 'number' || typeof right !== 'number') return undefined;
  return NUMBER_OPERATIONS[operator](left, right);
}

function foldItems({ operator, operands }: BinaryExpr, left: ConstantValue, right: ConstantValue) {
  const isOfTexts = operands === 'string' && isText(left) && isText(right);
  if (operator === '==') return isOfTexts ? sameText(left, right) : sameItem(left, right);
  if (operator === '!=') return isOfTexts ? differentText(left, right) : differentItem(left, right);
  return operator === '+' && isOfTexts ? concatenate(left, right) : undefined;
}

const isText = (value: ConstantValue): value is string | null => value === null || typeof value === 'string';

function foldMembers({ operator, left, right }: BinaryExpr): ConstantValue | undefined {
  const members = [constantMember(left), constantMember(right)];
  if (members.includes(undefined) || (operator !== '==' && operator !== '!=')) return undefined;
  return (members[0]?.member === members[1]?.member) === (operator === '==');
}

/** Functions of the language itself that the value libraries do not have. */
const CASTS: Readonly<Record<string, (value: ConstantValue) => ConstantValue>> = {
  float: (value) => value,
  string: (value) => value,
  color: (value) => value,
  bool: truth,
  na: (value) => value === null || (typeof value === 'number' && !Number.isFinite(value)),
};

/** Known early though the reference calls their result simple; they depend on nothing but their arguments. */
const ALSO_KNOWN = new Set(['na', 'nz']);

let library: ValueLibrary | null = null;

/** What is folded depends on no symbol and no clock, so the market here is never asked. */
function values(): ValueLibrary {
  const market = { timezone: 'UTC', session: '24x7', timeframe: '1D' };
  library ??= createValueLibrary({ version: 6, journal: new Journal(), mintick: 0.01, market });
  return library;
}

/** A function whose result the reference lets be const has a value as soon as its arguments have. */
function foldCall({ name, overload, arguments: given }: BuiltinCallExpr): ConstantValue | undefined {
  const { qualifier, fromArguments } = overload.result;
  if (!ALSO_KNOWN.has(name) && !(fromArguments && qualifier === 'const')) return undefined;
  if (name === 'str.tostring') return titleOf(given[0]?.values[0]);
  const values: (ConstantValue | undefined)[] = [];
  for (const argument of given) {
    if (argument.values.length === 0) values.push(undefined);
    for (const expr of argument.values) {
      const value = constantValue(expr);
      if (value === undefined) return undefined;
      values.push(value);
    }
  }
  return callWith(name, values);
}

function callWith(name: string, given: readonly (ConstantValue | undefined)[]): ConstantValue | undefined {
  const cast = CASTS[name];
  const [first] = given;
  if (cast !== undefined) return first === undefined ? undefined : cast(first);
  const entry = values().find(name === 'nz' && typeof first !== 'number' ? 'nz<item>' : name);
  if (entry?.kind !== 'function') return undefined;
  const result = entry.call(...(given as never[]));
  return isConstant(result) ? result : undefined;
}

/** The only form of `str.tostring` that can be const: of a member of an enum. */
function titleOf(expr: Expr | undefined): string | undefined {
  const found = expr === undefined ? undefined : constantMember(expr);
  return found?.userEnum.members[found.member]?.title;
}

const isConstant = (value: unknown): value is ConstantValue =>
  value === null || typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean';
