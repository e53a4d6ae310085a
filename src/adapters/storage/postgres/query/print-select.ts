// Queries of a checked statement in PostgreSQL's words: where rows come from, what is made of them, and in which order.
// Tables and columns of subqueries get names of our own, so that nothing of the statement's own text is in what is printed.

import type {
  Expr,
  FromClause,
  JoinedSelectTable,
  Limit,
  ResultColumn,
  Select,
  SelectFrom,
  SelectTable,
  VariableExpr,
} from 'sqlite3-parser';
import { sameCase } from '../../sql/same-case.ts';
import { type Context, ExpressionPrinter } from './print-expression.ts';
import { type Column, columnOf, Scope, type Source, tableSource } from './scope.ts';
import { invalid } from './unprintable.ts';

export interface PrintedSelect {
  readonly text: string;
  /** What SQLite would call the columns. */
  readonly names: readonly string[];
}

/** As the parser marks a join; a full one is left and right. */
const JoinType = { NATURAL: 4, LEFT: 8, RIGHT: 16 } as const;

const MAX_COLUMNS = 200;
const MAX_TABLES = 64;

export class SelectPrinter implements Context {
  readonly #sql: string;
  readonly #value: (node: VariableExpr) => string;
  #names = 0;

  /** `sql` is the text of the statement: a column without a name is called by it. */
  constructor(sql: string, value: (node: VariableExpr) => string) {
    this.#sql = sql;
    this.#value = value;
  }

  value(node: VariableExpr): string {
    return this.#value(node);
  }

  subquery(select: Select, scope: Scope): string {
    return this.select(select, scope).text;
  }

  /** A name that is nobody else's. */
  newName(): string {
    this.#names += 1;
    return `n${this.#names}`;
  }

  select(select: Select, parent?: Scope, areNamed = false): PrintedSelect {
    const { select: body, orderBy, limit } = select;
    if (body.type === 'SelectValues') {
      const printer = new ExpressionPrinter(this, new Scope(parent));
      const rows = body.values.map(({ values }) => `(${values.map((each) => printer.value(each)).join(', ')})`);
      return { text: `VALUES ${rows.join(', ')}`, names: [] };
    }
    const scope = new Scope(parent);
    const from = body.from?.select === undefined ? '' : ` FROM ${this.from(body.from, scope)}`;
    const windows = new Map<string, string>();
    const defined = (body.windowClause ?? []).map(({ name, window }) => {
      const printed = new ExpressionPrinter(this, scope, windows).window(window);
      const named = this.newName();
      windows.set(sameCase(name.text), named);
      return `${named} AS ${printed}`;
    });
    const printer = new ExpressionPrinter(this, scope, windows);
    const columns = this.columns(body.columns, scope, printer);
    scope.nameResults(columns);
    const printed = areNamed ? named(columns) : columns.map((column) => column.printed);
    const text = [
      `SELECT ${body.distinctness === 'Distinct' ? 'DISTINCT ' : ''}${printed.join(', ')}${from}`,
      ...clauses(body, printer, columns.length),
      defined.length === 0 ? '' : `WINDOW ${defined.join(', ')}`,
      orderBy === undefined
        ? ''
        : `ORDER BY ${orderBy.map((by) => orderOf(by, scope, printer, columns.length)).join(', ')}`,
      limit === undefined ? '' : this.#limit(limit),
    ];
    return { text: text.filter((part) => part !== '').join(' '), names: columns.map(({ name }) => name) };
  }

  columns(list: readonly ResultColumn[], scope: Scope, printer: ExpressionPrinter): readonly Column[] {
    const columns = list.flatMap((column): readonly Column[] => {
      if (column.type === 'StarResultColumn') return scope.star();
      if (column.type === 'TableStarResultColumn') return scope.star(column.table.text);
      const isNamed = column.alias !== undefined;
      return [{ name: this.#nameOf(column, scope), printed: printer.value(column.expr), isNamed }];
    });
    if (columns.length > MAX_COLUMNS) throw invalid(`too many columns in result set; there may be ${MAX_COLUMNS}`);
    return columns;
  }

  #nameOf({ expr, alias }: Extract<ResultColumn, { type: 'ExprResultColumn' }>, scope: Scope): string {
    if (alias !== undefined) return alias.name.text;
    if (expr.type === 'QualifiedExpr') return scope.column(expr.column.text, expr.table.text).name;
    const isColumn = expr.type === 'Id' && !/^(?:true|false)$/i.test(expr.name);
    return isColumn
      ? scope.column(expr.name).name
      : this.#sql.slice(expr.span.offset, expr.span.offset + expr.span.length);
  }

  /** Neither columns nor what is around the query can be used there. */
  #limit({ expr, offset }: Limit): string {
    const printer = new ExpressionPrinter(this, new Scope());
    const rows = `LIMIT nullif(greatest(query.row_count(${printer.value(expr)}), -1), -1)`;
    return offset === undefined ? rows : `${rows} OFFSET greatest(query.row_count(${printer.value(offset)}), 0)`;
  }

  from({ select, joins = [] }: FromClause, scope: Scope): string {
    if (select === undefined) throw invalid('no tables specified');
    let printed = this.#table(select, scope);
    for (const join of joins) printed += this.#join(join, scope);
    if (scope.sources.length > MAX_TABLES) throw invalid(`at most ${MAX_TABLES} tables in a join`);
    return printed;
  }

  #table(table: SelectTable, scope: Scope): string {
    switch (table.type) {
      case 'TableSelectTable': {
        const [name, real] = [this.newName(), sameCase(table.tblName.objName.text)];
        scope.add(tableSource(real, table.alias?.name.text ?? real, name));
        return `query."${real}" AS ${name}`;
      }
      case 'SelectSelectTable':
        return this.#subquery(this.select(table.select, scope.outer, true), table.alias?.name.text, scope);
      case 'SubSelectTable': {
        if (table.alias === undefined) return `(${this.from(table.from, scope)})`;
        const inner = new Scope(scope.outer);
        const from = this.from(table.from, inner);
        const columns = inner.star();
        const text = `SELECT ${named(columns).join(', ')} FROM ${from}`;
        return this.#subquery({ text, names: columns.map(({ name }) => name) }, table.alias.name.text, scope);
      }
      default:
        throw invalid('a function cannot be read like a table here; use the tables themselves');
    }
  }

  #subquery({ text, names }: PrintedSelect, alias: string | undefined, scope: Scope): string {
    const name = this.newName();
    const columns = names.map((each, index) => ({ name: each, printed: `${name}.c${index + 1}` }));
    scope.add({ name: alias === undefined ? undefined : sameCase(alias), columns });
    return `(${text}) AS ${name}`;
  }

  #join({ operator, table, constraint }: JoinedSelectTable, scope: Scope): string {
    const kind = operator.type === 'TypedJoinJoinOperator' ? (operator.joinType ?? 0) : 0;
    const left = [...scope.sources];
    const printed = this.#table(table, scope);
    const right = scope.sources.slice(left.length);
    const names =
      constraint?.type === 'UsingJoinConstraint'
        ? constraint.columns.map(({ text }) => text)
        : (kind & JoinType.NATURAL) === 0
          ? []
          : right.flatMap(({ columns }) => columns.map(({ name }) => name)).filter((name) => isIn(left, name));
    const conditions = names.map((name) => mergedBy(name, left, right, kind, scope));
    if (constraint?.type === 'OnJoinConstraint')
      conditions.push(new ExpressionPrinter(this, scope).condition(constraint.expr));
    const how = joinOf(kind);
    if (conditions.length === 0 && how === 'JOIN') return ` CROSS JOIN ${printed}`;
    return ` ${how} ${printed} ON ${conditions.length === 0 ? 'TRUE' : conditions.join(' AND ')}`;
  }
}

/** As whoever reads the query from outside finds them. */
const named = (columns: readonly Column[]): string[] =>
  columns.map(({ printed }, index) => `${printed} AS c${index + 1}`);

function joinOf(kind: number): string {
  const [left, right] = [(kind & JoinType.LEFT) !== 0, (kind & JoinType.RIGHT) !== 0];
  if (left && right) return 'FULL JOIN';
  return left ? 'LEFT JOIN' : right ? 'RIGHT JOIN' : 'JOIN';
}

const isIn = (sources: readonly Source[], name: string): boolean =>
  sources.some(({ columns }) => columns.some((column) => sameCase(column.name) === sameCase(name)));

/** Makes one of two columns of the same name, and prints how they have to be alike. */
function mergedBy(name: string, left: readonly Source[], right: readonly Source[], kind: number, scope: Scope): string {
  const found = [left, right].map((side) => side.flatMap((source) => columnOf(source, name) ?? [])[0]);
  const [a, b] = found;
  if (a === undefined || b === undefined)
    throw invalid(`cannot join using column ${name} - column not present in both tables`);
  const before = scope.merged(name)?.printed ?? a.printed;
  const isEither = (kind & JoinType.RIGHT) !== 0;
  scope.merge(name, a, b, isEither ? `coalesce(${before}, ${b.printed})` : before);
  return `(${before} = ${b.printed})`;
}

function clauses({ whereClause, groupBy, having }: SelectFrom, printer: ExpressionPrinter, columns: number): string[] {
  const group = (node: Expr): string => printer.position(node, columns, 'GROUP BY') ?? printer.value(node);
  return [
    whereClause === undefined ? '' : `WHERE ${printer.condition(whereClause)}`,
    groupBy === undefined ? '' : `GROUP BY ${groupBy.map(group).join(', ')}`,
    having === undefined ? '' : `HAVING ${printer.condition(having)}`,
  ];
}

/** The name of a result goes before that of a column there. */
function orderOf(
  by: NonNullable<Select['orderBy']>[number],
  scope: Scope,
  printer: ExpressionPrinter,
  columns: number,
): string {
  const named = by.expr.type === 'Id' ? scope.result(by.expr.name) : undefined;
  return printer.sorted(by, columns, named?.printed);
}
