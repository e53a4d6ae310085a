// A checked statement of POST /query as PostgreSQL takes it. What is printed is made of our own words alone: names of known
// tables and columns, numbers, known functions and operators. Values are sent beside it.

import {
  type AstNode,
  type DeleteStmt,
  type InsertStmt,
  parse,
  type QualifiedName,
  type ResultColumn,
  type SetAssignment,
  type UpdateStmt,
  type Upsert,
  type VariableExpr,
} from 'sqlite3-parser';
import type { QueryValue } from '../../../../trading/books/data-query.ts';
import { columnsOf, WRITABLE } from '../../sql/query/policy.ts';
import { sameCase } from '../../sql/same-case.ts';
import { toPostgres } from '../value-types.ts';
import { ExpressionPrinter } from './print-expression.ts';
import { SelectPrinter } from './print-select.ts';
import { Scope, tableSource } from './scope.ts';
import { invalid, notHere } from './unprintable.ts';

export interface PrintedStatement {
  readonly text: string;
  readonly values: readonly (string | number)[];
  /** Of the columns that the caller asked for, as SQLite would call them. */
  readonly names: readonly string[];
  /** Behind them comes one more: the number of the row that was inserted or replaced. */
  readonly hasRowNumber: boolean;
}

/** SQLite has 200 for expressions alone; queries within queries count here too. */
const MAX_DEPTH = 400;
/** Names of results are printed as what they stand for, each time: few statements grow, and none without end. */
const MAX_PRINTED = 256 * 1024;
const KEY = 'signal_id';

export function printStatement(sql: string, params: readonly QueryValue[]): PrintedStatement {
  const { root } = parse(sql) as { root: { cmds: readonly AstNode[] } };
  const [statement] = root.cmds;
  if (statement === undefined) throw invalid('there is no statement');
  const values = new Values(variablesOf(statement), params);
  const select = new SelectPrinter(sql, (node) => values.place(node));
  const printed = new StatementPrinter(select).print(statement);
  if (printed.text.length > MAX_PRINTED)
    throw invalid('the statement uses the name of a long result too often; make it shorter');
  return { ...printed, values: values.used };
}

/** In the order in which they were written. Also the place to see how deep a statement is, before anything descends. */
function variablesOf(root: AstNode): readonly VariableExpr[] {
  const variables: VariableExpr[] = [];
  let level: readonly AstNode[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) throw invalid('the statement is nested too deep; make it flatter');
    for (const node of level) if (node.type === 'VariableExpr') variables.push(node);
    level = level.flatMap((node) => Object.values(node).flat().filter(isNode));
  }
  return variables.sort((a, b) => a.span.offset - b.span.offset);
}

const isNode = (value: unknown): value is AstNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

/** Each value is sent once, with its type beside it: a whole number is one, as it was bound on SQLite. */
class Values {
  readonly used: (string | number)[] = [];
  readonly #params: ReadonlyMap<VariableExpr, QueryValue>;
  readonly #placed = new Map<VariableExpr, string>();

  constructor(variables: readonly VariableExpr[], params: readonly QueryValue[]) {
    this.#params = new Map(variables.map((node, index) => [node, params[index] ?? null]));
  }

  place(node: VariableExpr): string {
    const known = this.#placed.get(node);
    if (known !== undefined) return known;
    const placed = this.#place(this.#params.get(node) ?? null);
    this.#placed.set(node, placed);
    return placed;
  }

  #place(value: QueryValue): string {
    if (value === null) return 'NULL';
    if (typeof value === 'boolean') return `CAST('${value ? 1 : 0}' AS bigint)`;
    this.used.push(typeof value === 'string' ? (toPostgres(value) as string) : value);
    const place = `$${this.used.length}`;
    if (typeof value === 'string') return `(CAST(${place} AS text) COLLATE "C")`;
    return `CAST(${place} AS ${Number.isSafeInteger(value) ? 'bigint' : 'double precision'})`;
  }
}

type Printed = Omit<PrintedStatement, 'values'>;

class StatementPrinter {
  readonly #select: SelectPrinter;
  /** What PostgreSQL calls the table that is written. */
  readonly #target: string;

  constructor(select: SelectPrinter) {
    this.#select = select;
    this.#target = select.newName();
  }

  print(statement: AstNode): Printed {
    switch (statement.type) {
      case 'SelectStmt':
        return { ...this.#select.select(statement.body), hasRowNumber: false };
      case 'InsertStmt':
        return this.#insert(statement);
      case 'UpdateStmt':
        return this.#update(statement);
      case 'DeleteStmt':
        return this.#delete(statement);
      default:
        throw invalid('send one SELECT, INSERT, UPDATE, DELETE or REPLACE');
    }
  }

  #insert({ tblName, orConflict, columns, body, returning }: InsertStmt): Printed {
    const given = (columns ?? []).map(({ text }) => writable(text));
    const into = `INSERT INTO query."${WRITABLE}" AS ${this.#target}`;
    const scope = this.#scopeOf(tblName);
    const isSelect = body.type === 'SelectInsertBody';
    const rows = isSelect ? `(${given.join(', ')}) ${this.#select.select(body.select).text}` : 'DEFAULT VALUES';
    const upsert = isSelect ? body.upsert : undefined;
    if (upsert !== undefined && (orConflict === 'Replace' || orConflict === 'Ignore'))
      throw notHere(`OR ${orConflict.toUpperCase()} beside ON CONFLICT`, 'write one of them');
    const conflict = upsert === undefined ? resolved(orConflict) : this.#upsert(upsert, tblName);
    const { text, names } = this.#returning(returning ?? [], scope, `${this.#target}."seq"`);
    return { text: `${into} ${rows}${conflict}${text}`, names, hasRowNumber: true };
  }

  #upsert({ index, doClause, next }: Upsert, tblName: QualifiedName): string {
    if (next !== undefined) throw notHere('a second ON CONFLICT', 'write one');
    const scope = this.#scopeOf(tblName);
    scope.add({ ...tableSource(WRITABLE, 'excluded', 'excluded'), isQualifiedOnly: true });
    const printer = new ExpressionPrinter(this.#select, scope);
    const targets = (index?.targets ?? []).map(({ expr }) => {
      if (expr.type !== 'Id') throw notHere('an expression behind ON CONFLICT', 'write signal_id there');
      return column(expr.name);
    });
    if (index?.whereClause !== undefined) throw notHere('WHERE behind ON CONFLICT (…)', 'leave it out');
    const target = targets.length === 0 ? '' : ` (${targets.join(', ')})`;
    if (doClause.type === 'NothingUpsertDo') return ` ON CONFLICT${target} DO NOTHING`;
    const where = doClause.whereClause === undefined ? '' : ` WHERE ${printer.condition(doClause.whereClause)}`;
    return ` ON CONFLICT${target || ` ("${KEY}")`} DO UPDATE SET ${this.#sets(doClause.sets, printer)}${where}`;
  }

  #update({ tblName, orConflict, sets, from, whereClause, returning }: UpdateStmt): Printed {
    if (orConflict === 'Replace' || orConflict === 'Ignore')
      throw notHere(`UPDATE OR ${orConflict.toUpperCase()}`, 'choose the rows with WHERE');
    const scope = this.#scopeOf(tblName);
    const others = from === undefined ? '' : ` FROM ${this.#select.from(from, scope)}`;
    const printer = new ExpressionPrinter(this.#select, scope);
    const where = whereClause === undefined ? '' : ` WHERE ${printer.condition(whereClause)}`;
    const { text, names } = this.#returning(returning ?? [], this.#scopeOf(tblName));
    const update = `UPDATE query."${WRITABLE}" AS ${this.#target} SET ${this.#sets(sets, printer)}`;
    return { text: `${update}${others}${where}${text}`, names, hasRowNumber: false };
  }

  #delete({ tblName, whereClause, returning }: DeleteStmt): Printed {
    const scope = this.#scopeOf(tblName);
    const printer = new ExpressionPrinter(this.#select, scope);
    const where = whereClause === undefined ? '' : ` WHERE ${printer.condition(whereClause)}`;
    const { text, names } = this.#returning(returning ?? [], scope);
    return { text: `DELETE FROM query."${WRITABLE}" AS ${this.#target}${where}${text}`, names, hasRowNumber: false };
  }

  #scopeOf({ objName, alias }: QualifiedName): Scope {
    const scope = new Scope();
    scope.add(tableSource(WRITABLE, alias?.text ?? objName.text, this.#target));
    return scope;
  }

  #sets(sets: readonly SetAssignment[], printer: ExpressionPrinter): string {
    return sets
      .map(({ colNames, expr }) => {
        const names = colNames.map(({ text }) => writable(text));
        return `${names.length === 1 ? names[0] : `(${names.join(', ')})`} = ${printer.value(expr)}`;
      })
      .join(', ');
  }

  #returning(
    list: readonly ResultColumn[],
    scope: Scope,
    rowNumber?: string,
  ): { text: string; names: readonly string[] } {
    const columns = this.#select.columns(list, scope, new ExpressionPrinter(this.#select, scope));
    const printed = [...columns.map((each) => each.printed), ...(rowNumber === undefined ? [] : [rowNumber])];
    return {
      text: printed.length === 0 ? '' : ` RETURNING ${printed.join(', ')}`,
      names: columns.map(({ name }) => name),
    };
  }
}

/** A row that is replaced becomes what the new one is, its number too: that comes from the database, not from the statement. */
const REPLACED = columnsOf(WRITABLE).map((name) => `"${name}" = excluded."${name}"`);

function resolved(how: InsertStmt['orConflict']): string {
  if (how === 'Ignore') return ' ON CONFLICT DO NOTHING';
  return how === 'Replace' ? ` ON CONFLICT ("${KEY}") DO UPDATE SET ${REPLACED.join(', ')}` : '';
}

function column(name: string): string {
  const known = columnsOf(WRITABLE).find((each) => each === sameCase(name));
  if (known === undefined) throw invalid(`table ${WRITABLE} has no column named ${name}`);
  return `"${known}"`;
}

/** The first wall has refused the number of a row already. */
function writable(name: string): string {
  const printed = column(name);
  if (printed === '"seq"') throw invalid('seq is given by the database; leave it out');
  return printed;
}
