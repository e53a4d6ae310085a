// Expressions of a checked statement in PostgreSQL's words. SQLite has no booleans: a comparison is 1 or 0 where a value
// is wanted, and any value is true or false where a condition is.

import type { CollateExpr, Expr, FrameBound, Over, Select, SortedColumn, VariableExpr, Window } from 'sqlite3-parser';
import { sameCase } from '../../sql/same-case.ts';
import { type CallTail, printCall } from './print-functions.ts';
import type { Scope } from './scope.ts';
import { invalid, notHere } from './unprintable.ts';

/** What belongs to the whole statement. */
export interface Context {
  /** The value of a placeholder, in its place. */
  value(node: VariableExpr): string;
  subquery(select: Select, scope: Scope): string;
}

type Of<Kind extends Expr['type']> = Extract<Expr, { type: Kind }>;

const CONDITIONS: ReadonlySet<string> = new Set([
  ...[
    'BetweenExpr',
    'ExistsExpr',
    'InListExpr',
    'InSelectExpr',
    'InTableExpr',
    'IsNullExpr',
    'LikeExpr',
    'NotNullExpr',
  ],
  ...['And', 'Or', 'Equals', 'NotEquals', 'Less', 'LessEquals', 'Greater', 'GreaterEquals', 'Is', 'IsNot', 'Not'],
]);
const COMPARISONS: Readonly<Record<string, string>> = {
  ...{ Equals: '=', NotEquals: '<>', Less: '<', LessEquals: '<=', Greater: '>', GreaterEquals: '>=' },
  ...{ Is: 'IS NOT DISTINCT FROM', IsNot: 'IS DISTINCT FROM' },
};
const ARITHMETIC: Readonly<Record<string, string>> = {
  ...{ Add: '+', Subtract: '-', Multiply: '*', BitwiseAnd: '&', BitwiseOr: '|' },
};
const LARGEST = 2n ** 63n - 1n;
const NOW = "(CURRENT_TIMESTAMP AT TIME ZONE 'UTC')";

function isCondition(node: Expr): boolean {
  if (node.type === 'ParenthesizedExpr') return node.exprs.length === 1 && node.exprs.every(isCondition);
  return CONDITIONS.has(node.type === 'BinaryExpr' || node.type === 'UnaryExpr' ? node.op : node.type);
}

/** True or false of a name, unless a column is called so. */
function truthOf(node: Expr, scope: Scope): boolean | undefined {
  if (node.type !== 'Id' || !/^(?:true|false)$/i.test(node.name) || scope.own(node.name) !== undefined)
    return undefined;
  return sameCase(node.name) === 'true';
}

export class ExpressionPrinter {
  readonly #context: Context;
  readonly #scope: Scope;
  /** Windows of the query by the names it gives them. */
  readonly #windows: ReadonlyMap<string, string>;

  constructor(context: Context, scope: Scope, windows: ReadonlyMap<string, string> = new Map()) {
    this.#context = context;
    this.#scope = scope;
    this.#windows = windows;
  }

  value(node: Expr): string {
    return isCondition(node) ? `CAST(CAST(${this.#condition(node)} AS integer) AS bigint)` : this.#value(node);
  }

  condition(node: Expr): string {
    return isCondition(node) ? this.#condition(node) : `query.truth(${this.#value(node)})`;
  }

  /** `named` is the result that is meant. */
  sorted({ expr, order, nulls }: SortedColumn, columns?: number, named?: string): string {
    const first = nulls === undefined ? order !== 'Desc' : nulls === 'First';
    const by = named ?? this.position(expr, columns, 'ORDER BY') ?? this.#collated(expr);
    return `${by} ${order === 'Desc' ? 'DESC' : 'ASC'} NULLS ${first ? 'FIRST' : 'LAST'}`;
  }

  /** A whole number alone means a column of the results. */
  position(node: Expr, columns: number | undefined, clause: string): string | undefined {
    if (columns === undefined || node.type !== 'NumericLiteral' || !/^\d+$/.test(node.value)) return undefined;
    const number = Number(node.value);
    if (number >= 1 && number <= columns) return String(number);
    throw invalid(`${clause} term ${number} is out of range; there are ${columns} columns`);
  }

  window({ base, partitionBy, orderBy, frameClause }: Window): string {
    const parts = [
      base === undefined ? '' : this.#windowNamed(base.text),
      partitionBy === undefined ? '' : `PARTITION BY ${partitionBy.map((each) => this.value(each)).join(', ')}`,
      orderBy === undefined ? '' : `ORDER BY ${orderBy.map((each) => this.sorted(each)).join(', ')}`,
    ];
    if (frameClause !== undefined) {
      const { mode, start, end, exclude } = frameClause;
      const from = this.#bound(start);
      parts.push(`${mode.toUpperCase()} ${end === undefined ? from : `BETWEEN ${from} AND ${this.#bound(end)}`}`);
      if (exclude !== undefined) parts.push(`EXCLUDE ${EXCLUDED[exclude]}`);
    }
    return `(${parts.filter((part) => part !== '').join(' ')})`;
  }

  #bound(bound: FrameBound): string {
    switch (bound.type) {
      case 'CurrentRowFrameBound':
        return 'CURRENT ROW';
      case 'UnboundedFollowingFrameBound':
        return 'UNBOUNDED FOLLOWING';
      case 'UnboundedPrecedingFrameBound':
        return 'UNBOUNDED PRECEDING';
      case 'FollowingFrameBound':
        return `${this.value(bound.expr)} FOLLOWING`;
      case 'PrecedingFrameBound':
        return `${this.value(bound.expr)} PRECEDING`;
    }
  }

  #windowNamed(name: string): string {
    const printed = this.#windows.get(sameCase(name));
    if (printed === undefined) throw invalid(`no such window: ${name}`);
    return printed;
  }

  #over(over: Over): string {
    return ` OVER ${over.type === 'NameOver' ? this.#windowNamed(over.name.text) : this.window(over.window)}`;
  }

  #condition(node: Expr): string {
    switch (node.type) {
      case 'ParenthesizedExpr':
        return this.condition(node.exprs[0] as Expr);
      case 'UnaryExpr':
        return `(NOT ${this.condition(node.expr)})`;
      case 'BinaryExpr':
        return this.#binaryCondition(node);
      case 'BetweenExpr': {
        const [lhs, start, end] = [node.lhs, node.start, node.end].map((each) => this.value(each));
        return `(${lhs}${not(node)} BETWEEN ${start} AND ${end})`;
      }
      case 'ExistsExpr':
        return `EXISTS (${this.#context.subquery(node.select, this.#scope)})`;
      case 'InListExpr': {
        if (node.rhs === undefined || node.rhs.length === 0) return node.not ? 'TRUE' : 'FALSE';
        return `(${this.value(node.lhs)}${not(node)} IN (${node.rhs.map((each) => this.value(each)).join(', ')}))`;
      }
      case 'InSelectExpr':
        return `(${this.value(node.lhs)}${not(node)} IN (${this.#context.subquery(node.rhs, this.#scope)}))`;
      case 'InTableExpr':
        throw invalid('a table stands behind IN; write (SELECT … FROM …) with one column');
      case 'IsNullExpr':
        return `(${this.value(node.expr)} IS NULL)`;
      case 'NotNullExpr':
        return `(${this.value(node.expr)} IS NOT NULL)`;
      case 'LikeExpr':
        return this.#like(node);
      default:
        throw notHere(node.type, 'write it in another way');
    }
  }

  #like({ lhs, rhs, op, escape: escaper, not }: Of<'LikeExpr'>): string {
    const args = [rhs, lhs, ...(escaper === undefined ? [] : [escaper])].map(
      (each) => `query.as_text(${this.value(each)})`,
    );
    return `(${not ? 'NOT ' : ''}query.${op === 'Glob' ? 'glob' : '"like"'}(${args.join(', ')}))`;
  }

  #binaryCondition({ left, op, right }: Of<'BinaryExpr'>): string {
    if (op === 'And' || op === 'Or') return `(${this.condition(left)} ${op.toUpperCase()} ${this.condition(right)})`;
    const truth = op === 'Is' || op === 'IsNot' ? truthOf(right, this.#scope) : undefined;
    if (truth !== undefined)
      return `(${this.condition(left)} IS ${op === 'IsNot' ? 'NOT ' : ''}${truth ? 'TRUE' : 'FALSE'})`;
    const collation = collationOf(left) ?? collationOf(right);
    const [a, b] = [left, right].map((each) => collated(this.value(bare(each)), collation));
    return `(${a} ${COMPARISONS[op]} ${b})`;
  }

  #collated(node: Expr): string {
    return collated(this.value(bare(node)), collationOf(node));
  }

  #value(node: Expr): string {
    switch (node.type) {
      case 'NullLiteral':
        return 'NULL';
      case 'NumericLiteral':
        return printNumber(node.value);
      case 'VariableExpr':
        return this.#context.value(node);
      case 'CurrentDateLiteral':
        return `to_char(${NOW}, 'YYYY-MM-DD')`;
      case 'CurrentTimeLiteral':
        return `to_char(${NOW}, 'HH24:MI:SS')`;
      case 'CurrentTimestampLiteral':
        return `to_char(${NOW}, 'YYYY-MM-DD HH24:MI:SS')`;
      case 'Id': {
        const truth = truthOf(node, this.#scope);
        return truth === undefined ? this.#scope.column(node.name).printed : printNumber(truth ? '1' : '0');
      }
      case 'QualifiedExpr':
        return this.#scope.column(node.column.text, node.table.text).printed;
      case 'ParenthesizedExpr':
        return node.exprs.length === 1
          ? this.value(node.exprs[0] as Expr)
          : `ROW(${node.exprs.map((each) => this.value(each)).join(', ')})`;
      case 'SubqueryExpr':
        return `(${this.#context.subquery(node.select, this.#scope)})`;
      case 'UnaryExpr':
        return this.#unary(node);
      case 'BinaryExpr':
        return this.#binary(node);
      case 'CaseExpr':
        return this.#case(node);
      case 'CastExpr':
        return `query.${castOf(node.typeName?.name ?? '')}(${this.value(node.expr)})`;
      case 'CollateExpr':
        if (collationOf(node) !== undefined)
          throw notHere('COLLATE in this place', 'write it beside a comparison or in ORDER BY');
        return this.value(node.expr);
      case 'FunctionCallExpr':
      case 'FunctionCallStarExpr':
        return this.#call(node);
      default:
        throw notHere(node.type, 'write it in another way');
    }
  }

  #unary({ op, expr }: Of<'UnaryExpr'>): string {
    if (op === 'Positive') return this.value(expr);
    if (op === 'BitwiseNot') return `(~ ${this.value(expr)})`;
    return expr.type === 'NumericLiteral' ? printNumber(`-${expr.value}`) : `(- ${this.value(expr)})`;
  }

  #binary({ left, op, right }: Of<'BinaryExpr'>): string {
    if (op === 'Concat') return `query.bounded(${this.#concatenated(left)} || ${this.#concatenated(right)})`;
    const [a = '', b = ''] = [this.value(left), this.value(right)];
    switch (op) {
      // By zero it is NULL.
      case 'Divide':
        return `(${a} / nullif(${b}, 0))`;
      case 'Modulus':
        return `query.remainder(${a}, ${b})`;
      case 'LeftShift':
      case 'RightShift':
        return `query.${op === 'LeftShift' ? 'shift_left' : 'shift_right'}(query.to_integer(${a}), query.to_integer(${b}))`;
      case 'ArrowRight':
      case 'ArrowRightShift':
        return printCall(op === 'ArrowRight' ? '->' : '->>', [a, b], NO_TAIL);
      default:
        return `(${a} ${ARITHMETIC[op]} ${b})`;
    }
  }

  /** A chain of them is measured once, at its end. */
  #concatenated(node: Expr): string {
    return node.type === 'BinaryExpr' && node.op === 'Concat'
      ? `${this.#concatenated(node.left)} || ${this.#concatenated(node.right)}`
      : `query.as_text(${this.value(node)})`;
  }

  #case({ base, whenThenPairs, elseExpr }: Of<'CaseExpr'>): string {
    const branches = whenThenPairs.map(
      ({ when, then }) =>
        ` WHEN ${base === undefined ? this.condition(when) : this.value(when)} THEN ${this.value(then)}`,
    );
    const otherwise = elseExpr === undefined ? '' : ` ELSE ${this.value(elseExpr)}`;
    return `CASE${base === undefined ? '' : ` ${this.value(base)}`}${branches.join('')}${otherwise} END`;
  }

  #call(node: Of<'FunctionCallExpr'> | Of<'FunctionCallStarExpr'>): string {
    const name = sameCase(node.name.name);
    const given = node.type === 'FunctionCallExpr' ? (node.args ?? []) : [];
    if (node.type === 'FunctionCallStarExpr' && name !== 'count') throw invalid(`${name}(*) is no function`);
    if (name === 'iif' || name === 'if') return this.#choice(name, given);
    if (given.length > MAX_ARGUMENTS) throw invalid(`too many arguments on function ${name}`);
    return printCall(
      name,
      given.map((each) => this.value(each)),
      this.#tail(node),
    );
  }

  #tail(node: Of<'FunctionCallExpr'> | Of<'FunctionCallStarExpr'>): CallTail {
    const { filterClause, overClause } = node.filterOver ?? {};
    const { distinctness, orderBy } = node.type === 'FunctionCallExpr' ? node : {};
    const columns = orderBy?.type === 'SortListFunctionCallOrder' ? orderBy.columns : [];
    return {
      distinct: distinctness === 'Distinct' ? 'DISTINCT ' : '',
      orderBy: columns.length === 0 ? '' : ` ORDER BY ${columns.map((each) => this.sorted(each)).join(', ')}`,
      filter: filterClause === undefined ? '' : ` FILTER (WHERE ${this.condition(filterClause)})`,
      over: overClause === undefined ? '' : this.#over(overClause),
    };
  }

  /** Conditions and values by turns, and at the end perhaps what counts when none holds. */
  #choice(name: string, args: readonly Expr[]): string {
    if (args.length < 2 || args.length > MAX_ARGUMENTS)
      throw invalid(`wrong number of arguments to function ${name}()`);
    const branches = args.map((each, index) => {
      if (index % 2 === 1) return ` THEN ${this.value(each)}`;
      return index === args.length - 1 ? ` ELSE ${this.value(each)}` : ` WHEN ${this.condition(each)}`;
    });
    return `CASE${branches.join('')} END`;
  }
}

const NO_TAIL: CallTail = { distinct: '', orderBy: '', filter: '', over: '' };
const MAX_ARGUMENTS = 64;
const EXCLUDED = { NoOthers: 'NO OTHERS', CurrentRow: 'CURRENT ROW', Group: 'GROUP', Ties: 'TIES' } as const;

const not = (node: { readonly not: boolean }): string => (node.not ? ' NOT' : '');

/** What does not fit 64 bits is a fraction, as on SQLite. */
function printNumber(text: string): string {
  if (/^-?(?:\d+|0x[\da-f]+)$/i.test(text)) {
    const number = text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text);
    if (number <= LARGEST && number >= -LARGEST - 1n) return `CAST('${number}' AS bigint)`;
  }
  const number = Number(text);
  if (Number.isNaN(number)) throw invalid(`malformed number ${text}`);
  return `CAST('${number}' AS double precision)`;
}

/** By the rules with which SQLite reads the name of a type. */
function castOf(type: string): string {
  if (/int/i.test(type)) return 'to_integer';
  if (/char|clob|text/i.test(type)) return 'to_text';
  if (/blob/i.test(type) || type === '') return 'to_blob';
  return /real|floa|doub/i.test(type) ? 'to_real' : 'to_number';
}

type Collation = 'NOCASE' | 'RTRIM';

const bare = (node: Expr): Expr => (node.type === 'CollateExpr' ? node.expr : node);

function collationOf(node: Expr): Collation | undefined {
  if (node.type !== 'CollateExpr') return undefined;
  const name = (node as CollateExpr).collation.toUpperCase();
  if (name === 'NOCASE' || name === 'RTRIM') return name;
  if (name === 'BINARY') return undefined;
  throw invalid(`no such collation sequence: ${(node as CollateExpr).collation}`);
}

const collated = (printed: string, collation: Collation | undefined): string =>
  collation === undefined ? printed : `${collation === 'NOCASE' ? 'lower' : 'rtrim'}(query.as_text(${printed}))`;
