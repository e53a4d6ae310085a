// The second wall of POST /query: what SQLite itself asks before it compiles any part of a statement.

import { constants, type DatabaseSync } from 'node:sqlite';
import { FUNCTIONS, isReadable, ROW_NUMBER_NAMES, viewOf, WRITABLE } from '../../sql/query/policy.ts';
import { sameCase } from '../../sql/same-case.ts';

/** What SQLite wants to do: its action, two arguments whose meaning depends on it, the schema, and the view it is in. */
export type Request = readonly [
  action: number,
  first: string | null,
  second: string | null,
  schema: string | null,
  view: string | null,
];

export interface Authorizer {
  /** Undefined, or in words why not. */
  decide(request: Request): string | undefined;
}

/** One for each statement: it remembers whether a view was opened. */
export function createAuthorizer({ write }: { write: boolean }): Authorizer {
  let readsFills = false;

  const read = (table: string, column: string, view: string | null): string | undefined => {
    if (viewOf(view)?.tables.includes(table)) {
      readsFills ||= table === 'json_each';
      return undefined;
    }
    // The inside of the view `fills`, merged into the statement: a visit without reading any column.
    if (table === 'json_each' && column === '' && readsFills) return undefined;
    return isReadable(table) ? undefined : `table ${table} cannot be read here`;
  };

  const change = (table: string, column: string | null, view: string | null): string | undefined => {
    if (!write || view !== null || table !== WRITABLE)
      return `${table} is read-only here; only ${WRITABLE} can be written`;
    if (column !== null && ROW_NUMBER_NAMES.has(sameCase(column)))
      return `${column} is given by the database; leave it out`;
    return undefined;
  };

  const call = (name: string, view: string | null): string | undefined => {
    const allowed = FUNCTIONS.has(name) || viewOf(view)?.functions.includes(name);
    return allowed ? undefined : `function ${name} is not allowed`;
  };

  return {
    decide([action, first, second, schema, view]) {
      if (schema !== null && schema !== '' && schema !== 'main') return `schema ${schema} cannot be reached here`;
      switch (action) {
        case constants.SQLITE_SELECT:
          return undefined;
        case constants.SQLITE_READ:
          return read(sameCase(first ?? ''), second ?? '', view);
        case constants.SQLITE_FUNCTION:
          return call(sameCase(second ?? ''), view);
        case constants.SQLITE_INSERT:
        case constants.SQLITE_DELETE:
          return change(sameCase(first ?? ''), null, view);
        case constants.SQLITE_UPDATE:
          return change(sameCase(first ?? ''), second, view);
        default:
          return 'this kind of statement is not allowed';
      }
    },
  };
}

/** Returns a function that tells why the last statement was refused, if it was. */
export function installAuthorizer(db: DatabaseSync, options: { write: boolean }): () => string | undefined {
  const authorizer = createAuthorizer(options);
  let refusal: string | undefined;
  db.setAuthorizer((...request) => {
    const reason = authorizer.decide(request);
    refusal ??= reason;
    return reason === undefined ? constants.SQLITE_OK : constants.SQLITE_DENY;
  });
  return () => refusal;
}
