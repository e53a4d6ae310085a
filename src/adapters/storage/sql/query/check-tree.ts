// Walks the tree of one statement: every node must be of an allowed kind, every table and function on the lists.

import type { AstNode, InsertStmt, QualifiedName } from 'sqlite3-parser';
import { sameCase } from '../same-case.ts';
import { columnsOf, FUNCTIONS, isReadable, READABLE, ROW_NUMBER_NAMES, WRITABLE } from './policy.ts';

interface Found {
  readonly node: AstNode;
  readonly parent: Found | undefined;
}

const ALLOWED: ReadonlySet<string> = new Set(
  `SelectStmt InsertStmt UpdateStmt DeleteStmt
  BetweenExpr BinaryExpr CaseExpr WhenThen CastExpr CollateExpr ExistsExpr FunctionCallExpr FunctionCallStarExpr InListExpr
  InSelectExpr InTableExpr IsNullExpr LikeExpr NotNullExpr ParenthesizedExpr QualifiedExpr SubqueryExpr UnaryExpr
  VariableExpr NumericLiteral NullLiteral CurrentDateLiteral CurrentTimeLiteral CurrentTimestampLiteral
  Select FromClause JoinedSelectTable SelectFrom SelectValues ValuesRow ExprResultColumn StarResultColumn
  TableStarResultColumn AsAs ElidedAs TableSelectTable SelectSelectTable SubSelectTable CommaJoinOperator
  TypedJoinJoinOperator OnJoinConstraint UsingJoinConstraint SortListFunctionCallOrder SortedColumn Limit
  Id Name QualifiedName Type MaxSizeTypeSize TypeSizeTypeSize
  SelectInsertBody DefaultValuesInsertBody SetAssignment Upsert UpsertIndex SetUpsertDo NothingUpsertDo
  FunctionTail WindowDef Window FrameClause WindowOver NameOver CurrentRowFrameBound FollowingFrameBound
  PrecedingFrameBound UnboundedFollowingFrameBound UnboundedPrecedingFrameBound`.split(/\s+/),
);

/** Words for what people really try; every other kind is refused by its name. */
const WHY_NOT: Readonly<Record<string, string>> = {
  With: 'WITH is not allowed; write the query where it is used, as a subquery',
  CompoundSelect: 'UNION, EXCEPT and INTERSECT are not allowed; send one query for each part',
  TableCallSelectTable: 'a function cannot be read like a table here; use the tables themselves',
  IndexedByIndexed: 'INDEXED BY is not allowed; leave the choice of an index to the database',
  NotIndexedIndexed: 'NOT INDEXED is not allowed; leave the choice of an index to the database',
  StringLiteral: 'a string literal stands in the statement; write ? and pass the value in params',
  BlobLiteral: 'a blob literal stands in the statement; blobs cannot be written here',
};

/** What is forbidden in the statement, in words; undefined when nothing is. */
export function checkTree(root: AstNode, text: string): string | undefined {
  const found = everyNode(root);
  const columns = new Set<string>();
  for (const { node } of found) {
    if (node.type === 'QualifiedName') for (const name of columnsOf(node.objName.text)) columns.add(name);
  }
  for (const item of found) {
    const fault = nodeFault(item, columns, text);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Without recursion: eight thousand characters can nest deeper than the stack reaches. */
function everyNode(root: AstNode): readonly Found[] {
  const found: Found[] = [{ node: root, parent: undefined }];
  // Grows while it is walked. Every property is looked at, so that no list of names can forget one.
  for (const item of found) {
    for (const value of Object.values(item.node)) {
      for (const child of Array.isArray(value) ? value : [value]) {
        if (isNode(child)) found.push({ node: child, parent: item });
      }
    }
  }
  return found;
}

const isNode = (value: unknown): value is AstNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

function nodeFault(item: Found, columns: ReadonlySet<string>, text: string): string | undefined {
  const { node, parent } = item;
  if (!ALLOWED.has(node.type)) return WHY_NOT[node.type] ?? `${node.type} is not allowed here`;
  switch (node.type) {
    case 'QualifiedName':
      return tableFault(node, parent?.node);
    case 'QualifiedExpr':
      return node.schema && 'a schema stands before a table; write the name of the table alone';
    case 'InTableExpr':
      return node.args && WHY_NOT.TableCallSelectTable;
    case 'FunctionCallExpr':
    case 'FunctionCallStarExpr':
      return FUNCTIONS.has(sameCase(node.name.name)) ? undefined : functionFault(node.name.name);
    case 'LikeExpr':
      return node.op === 'Like' || node.op === 'Glob' ? undefined : functionFault(node.op);
    case 'Id':
      return quotedFault(item, columns, text);
    case 'SelectValues':
      return isInserted(item) ? undefined : 'VALUES is not allowed by itself; send a SELECT';
    case 'InsertStmt':
      return insertFault(node);
    case 'SetAssignment':
      return rowNumberFault(node.colNames);
    default:
      return undefined;
  }
}

function tableFault({ dbName, objName }: QualifiedName, user: AstNode | undefined): string | undefined {
  if (dbName !== undefined) return 'a schema stands before a table; write the name of the table alone';
  const table = sameCase(objName.text);
  if (!isReadable(table))
    return `table ${objName.text} is not known here; there are ${Object.keys(READABLE).join(', ')}`;
  const isTarget = user?.type === 'InsertStmt' || user?.type === 'UpdateStmt' || user?.type === 'DeleteStmt';
  if (isTarget && table !== WRITABLE) return `${table} is read-only here; only ${WRITABLE} can be written`;
  return undefined;
}

const functionFault = (name: string): string =>
  `function ${name} is not allowed; docs/guides/query.md lists those that are`;

/** SQLite may take an unknown name in double quotes for a string, so there they must be the name of a column. */
function quotedFault({ node, parent }: Found, columns: ReadonlySet<string>, text: string): string | undefined {
  if (node.type !== 'Id' || text[node.span.offset] !== '"') return undefined;
  const isFunction = parent !== undefined && 'name' in parent.node && parent.node.name === node;
  if (isFunction || columns.has(sameCase(node.name))) return undefined;
  return `"${node.name}" is no column of these tables; pass a value in params, or write a name as [${node.name}]`;
}

/** The rows of an INSERT are its own; anywhere else VALUES would be a query of another kind. */
const isInserted = ({ parent }: Found): boolean => parent?.parent?.node.type === 'SelectInsertBody';

function insertFault({ columns, body }: InsertStmt): string | undefined {
  if (columns !== undefined) return rowNumberFault(columns);
  return body.type === 'SelectInsertBody' ? 'INSERT must name its columns: INSERT INTO trade_signals (…)' : undefined;
}

function rowNumberFault(names: readonly { readonly text: string }[]): string | undefined {
  const chosen = names.find(({ text }) => ROW_NUMBER_NAMES.has(sameCase(text)));
  return chosen && `${chosen.text} is given by the database and cannot be written; leave it out`;
}
