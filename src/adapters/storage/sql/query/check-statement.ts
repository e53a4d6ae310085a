// The first wall of POST /query: reads a statement with SQLite's own grammar and lets through only what is on its lists.

import { type AstNode, type ParseDiagnostic, parse, type Token, tokenName } from 'sqlite3-parser';
import { STATEMENT_KINDS, type StatementKind } from '../../../../trading/books/data-query.ts';
import { checkTree } from './check-tree.ts';

export type Verdict =
  /** `sql` is the statement without its comments: SQLite is given nothing that was not read here. */
  | { readonly ok: true; readonly statement: StatementKind; readonly sql: string }
  | { readonly ok: false; readonly kind: 'refused' | 'invalid'; readonly reason: string };

/** No name in the database and no keyword needs more; and what is not text cannot be read in two ways. */
const FOREIGN_CHARACTER = /[^\t\n\r\x20-\x7e]/;
/** What may follow the last word of a statement, and stand nowhere else. */
const END_OF_STATEMENT = 'SEMI';

const refused = (reason: string): Verdict => ({ ok: false, kind: 'refused', reason });
const invalid = (reason: string): Verdict => ({ ok: false, kind: 'invalid', reason });

export function checkStatement(text: string, paramCount: number): Verdict {
  const foreign = FOREIGN_CHARACTER.exec(text)?.[0];
  if (foreign !== undefined) {
    const code = foreign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    return refused(`the statement holds the character U+${code}; write it in plain ASCII and pass values in params`);
  }
  const parsed = parse(text, { emitTokens: true });
  // The parser closes every statement by itself; only what was sent is looked at.
  const tokens = (parsed.tokens ?? []).filter((token) => token.synthetic !== true);
  const body = withoutEnd(tokens);
  const first = body[0];
  if (first === undefined) return invalid('there is no statement; send one SELECT, INSERT, UPDATE, DELETE or REPLACE');
  const [diagnostic] = parsed.errors ?? [];
  const fault = tokenFault(body) ?? kindFault(first, diagnostic);
  if (fault !== undefined) return refused(fault);
  if (parsed.status === 'error') return invalid(syntaxFault(diagnostic));
  const [root] = parsed.root.cmds;
  if (root === undefined || parsed.root.cmds.length > 1) return refused(ONE_STATEMENT);
  const forbidden = checkTree(root as AstNode, text);
  if (forbidden !== undefined) return refused(forbidden);
  const placeholders = placeholderFault(body, paramCount);
  if (placeholders !== undefined) return invalid(placeholders);
  return { ok: true, statement: first.text.toUpperCase() as StatementKind, sql: withoutComments(text, body) };
}

const ONE_STATEMENT = 'more than one statement; send one at a time';

function withoutEnd(tokens: readonly Token[]): readonly Token[] {
  let end = tokens.length;
  while (end > 0 && nameOf(tokens[end - 1]) === END_OF_STATEMENT) end -= 1;
  return tokens.slice(0, end);
}

const nameOf = (token: Token | undefined): string => (token === undefined ? '' : (tokenName(token.type) ?? ''));

/** Faults that show without the tree, so that a statement with a typing error behind them is refused all the same. */
function tokenFault(tokens: readonly Token[]): string | undefined {
  for (const token of tokens) {
    const name = nameOf(token);
    if (name === 'STRING') return 'a string literal stands in the statement; write ? and pass the value in params';
    if (name === 'BLOB') return 'a blob literal stands in the statement; blobs cannot be written here';
    if (name === END_OF_STATEMENT) return ONE_STATEMENT;
  }
  return undefined;
}

function kindFault(first: Token, diagnostic: ParseDiagnostic | undefined): string | undefined {
  const kind = first.text.toUpperCase();
  // A word that begins no statement at all is a typing error.
  if (diagnostic?.span.offset === first.span.offset || STATEMENT_KINDS.some((allowed) => allowed === kind))
    return undefined;
  return `${kind} is not allowed; send one SELECT, INSERT, UPDATE, DELETE or REPLACE`;
}

function placeholderFault(tokens: readonly Token[], paramCount: number): string | undefined {
  const placeholders = tokens.filter((token) => nameOf(token) === 'VARIABLE');
  const named = placeholders.find(({ text }) => text !== '?');
  if (named !== undefined) {
    return `${named.text} is a numbered or named parameter; write plain ? placeholders, they take params in order`;
  }
  if (placeholders.length === paramCount) return undefined;
  return `the statement has ${counted(placeholders.length, 'placeholder')} but params has ${counted(paramCount, 'value')}`;
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

function syntaxFault(diagnostic: ParseDiagnostic | undefined): string {
  if (diagnostic === undefined) return 'the statement cannot be read; check it with the sqlite3 program';
  return `${diagnostic.message} at line ${diagnostic.span.line}, column ${diagnostic.span.col + 1}`;
}

/** A gap between two words keeps its blanks; a gap with a comment in it becomes one blank. */
function withoutComments(text: string, tokens: readonly Token[]): string {
  let sql = '';
  let end = tokens[0]?.span.offset ?? 0;
  for (const { span } of tokens) {
    const gap = text.slice(end, span.offset);
    end = span.offset + span.length;
    sql += (gap.trim() === '' ? gap : ' ') + text.slice(span.offset, end);
  }
  return sql;
}
