// What names mean in one part of a statement, found here as SQLite would find them. PostgreSQL is never asked: everything
// printed is a column that is known to be there, so no name can turn into a whole row or the call of a function.

import { columnsOf, ROW_NUMBER_NAMES } from '../../sql/query/policy.ts';
import { sameCase } from '../../sql/same-case.ts';
import { invalid } from './unprintable.ts';

export interface Column {
  /** As SQLite would call it in an answer. */
  readonly name: string;
  readonly printed: string;
  /** The statement itself has named it. */
  readonly isNamed?: boolean;
}

export interface Source {
  /** As the statement calls it; an unnamed subquery has none. */
  readonly name: string | undefined;
  readonly columns: readonly Column[];
  /** Found only with the name of the source before it, as `excluded` is. */
  readonly isQualifiedOnly?: boolean;
}

/** `printed` is how PostgreSQL knows it. */
export const tableSource = (table: string, name: string, printed: string): Source => ({
  name: sameCase(name),
  columns: columnsOf(table).map((column) => ({ name: column, printed: `${printed}."${column}"` })),
});

export class Scope {
  readonly #parent: Scope | undefined;
  readonly sources: Source[] = [];
  /** Columns that a join has made one, by name. */
  readonly #merged = new Map<string, Column>();
  /** Columns that stand in another's place. */
  readonly #hidden = new Set<Column>();
  /** Names that the results have, which SQLite lets the rest of a query use. */
  readonly #results = new Map<string, Column>();

  constructor(parent?: Scope) {
    this.#parent = parent;
  }

  /** What a subquery among the sources sees: they do not see each other. */
  get outer(): Scope | undefined {
    return this.#parent;
  }

  add(source: Source): void {
    this.sources.push(source);
  }

  /** From now on the name means both. */
  merge(name: string, left: Column, right: Column, printed: string): void {
    this.#merged.set(sameCase(name), { name: left.name, printed });
    this.#hidden.add(right);
  }

  merged(name: string): Column | undefined {
    return this.#merged.get(sameCase(name));
  }

  /** From now on results can be called by the names they were given. The first of a name counts. */
  nameResults(columns: readonly Column[]): void {
    for (const column of columns)
      if (column.isNamed && this.result(column.name) === undefined) this.#results.set(sameCase(column.name), column);
  }

  result(name: string): Column | undefined {
    return this.#results.get(sameCase(name));
  }

  /** What * stands for, of all sources or of one. */
  star(table?: string): readonly Column[] {
    if (this.sources.length === 0) throw invalid('no tables specified');
    if (table !== undefined) return this.#source(table).columns;
    return this.sources
      .filter(({ isQualifiedOnly }) => !isQualifiedOnly)
      .flatMap(({ columns }) => columns)
      .filter((column) => !this.#hidden.has(column))
      .map((column) => this.#merged.get(sameCase(column.name)) ?? column);
  }

  #source(table: string): Source {
    const found = this.sources.find(({ name }) => name === sameCase(table));
    if (found === undefined) throw invalid(`no such table: ${table}`);
    return found;
  }

  column(name: string, table?: string): Column {
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.#parent) {
      const found = scope.own(name, table);
      if (found !== undefined) return found;
    }
    throw invalid(`no such column: ${table === undefined ? '' : `${table}.`}${name}; values belong in params`);
  }

  /** Of this level alone. */
  own(name: string, table?: string): Column | undefined {
    const merged = table === undefined ? this.#merged.get(sameCase(name)) : undefined;
    if (merged !== undefined) return merged;
    const asked = this.sources.filter((source) =>
      table === undefined ? !source.isQualifiedOnly : source.name === sameCase(table),
    );
    const found = asked.flatMap((source) => columnOf(source, name) ?? []);
    if (found.length > 1) throw invalid(`ambiguous column name: ${name}`);
    return found[0] ?? (table === undefined ? this.result(name) : undefined);
  }
}

/** The number of a row goes by other names too. */
export function columnOf({ columns }: Source, name: string): Column | undefined {
  const asked = sameCase(name);
  const byName = columns.find((column) => sameCase(column.name) === asked);
  if (byName !== undefined || !ROW_NUMBER_NAMES.has(asked)) return byName;
  return columns.find((column) => column.name === 'seq');
}
