// Declarations that stand at the top level: functions, methods, types, enums and imports, and the parts they share.

import type {
  EnumDeclaration,
  EnumMember,
  Expression,
  Field,
  FunctionDeclaration,
  ImportDeclaration,
  Name,
  Parameter,
  TypeDeclaration,
} from './ast.ts';
import { closeBracket, parseExpression } from './parse-expressions.ts';
import type { Bodies } from './parse-structures.ts';
import { isOperator, parseName, parseNewName, parseQualifier, parseType, skipType, spanSince } from './parse-types.ts';
import { type ParserState, spanOf } from './parser-state.ts';

export interface Heading {
  /** Where the statement begins: at `export` when there is one. */
  readonly start: number;
  readonly exported: boolean;
}

/** Whether the name at an index opens `name(…) =>`; looks no further than the bracket's partner. */
export function startsFunction(p: ParserState, from: number): boolean {
  if (p.tokenAt(from).kind !== 'name' || !isOperator(p, from + 1, '(')) return false;
  let open = 0;
  for (let index = from + 1; ; index++) {
    const { kind, text } = p.tokenAt(index);
    if (kind === 'newline' || kind === 'end') return false;
    if (kind !== 'operator') continue;
    if (text === '(') open++;
    else if (text === ')') {
      open--;
      if (open === 0) return isOperator(p, index + 1, '=>');
    }
  }
}

export function parseFunction(p: ParserState, heading: Heading, bodies: Bodies): FunctionDeclaration {
  // A function may be called "method" itself.
  const method = p.atWord('method') && !isOperator(p, p.index + 1, '(');
  if (method) p.take();
  const name = parseNewName(p, 'the name of a function');
  const parameters = p.lost ? [] : parseParameters(p);
  if (!p.lost) p.expect('=>', 'and the body of the function');
  // A loop around the declaration is a mistake of its own; it does not reach into the body.
  const outer = p.loops;
  p.loops = 0;
  const body = bodies.afterArrow(p, 'the function');
  p.loops = outer;
  const span = { start: heading.start, end: Math.max(name.span.end, body.span.end) };
  return { kind: 'function', exported: heading.exported, method, name, parameters, body, span };
}

function parseParameters(p: ParserState): Parameter[] {
  const open = p.current;
  if (!p.expect('(', 'and the parameters of the function')) return [];
  const found: Parameter[] = [];
  if (!p.at(')')) {
    do found.push(parseParameter(p));
    while (!p.lost && p.accept(','));
  }
  closeBracket(p, ')', open);
  return found;
}

function parseParameter(p: ParserState): Parameter {
  const { start } = p.current;
  const qualifier = parseQualifier(p);
  const afterType = skipType(p, p.index);
  const type = afterType >= 0 && p.tokenAt(afterType).kind === 'name' ? parseType(p) : null;
  const name = parseName(p, 'the name of a parameter');
  const defaultValue = parseDefault(p);
  return { kind: 'parameter', qualifier, type, name, defaultValue, span: spanSince(p, start) };
}

function parseDefault(p: ParserState): Expression | null {
  return !p.lost && p.accept('=') ? parseExpression(p) : null;
}

export function parseTypeDeclaration(p: ParserState, heading: Heading): TypeDeclaration {
  p.take();
  const name = parseName(p, 'the name of a type');
  const fields = parseRows(p, 'The type', parseField);
  return { kind: 'type', exported: heading.exported, name, fields, span: rowsSpan(heading, name, fields) };
}

function parseField(p: ParserState): Field {
  const { start } = p.current;
  const varip = p.accept('varip');
  const untyped = p.current.kind === 'name' && (isOperator(p, p.index + 1, '=') || p.peek(1).kind === 'newline');
  if (untyped) {
    const remedy = `Write its type before it, such as "float ${p.current.text}".`;
    p.fail('missingType', `The field "${p.current.text}" has no type.`, p.current, remedy);
  }
  const type = parseType(p);
  const name = p.lost ? p.missingName() : parseName(p, 'the name of a field');
  const defaultValue = parseDefault(p);
  return { kind: 'field', varip, type, name, defaultValue, span: spanSince(p, start) };
}

export function parseEnumDeclaration(p: ParserState, heading: Heading): EnumDeclaration {
  p.take();
  const name = parseName(p, 'the name of an enum');
  const members = parseRows(p, 'The enum', parseEnumMember);
  return { kind: 'enum', exported: heading.exported, name, members, span: rowsSpan(heading, name, members) };
}

function parseEnumMember(p: ParserState): EnumMember {
  const { start } = p.current;
  const name = parseName(p, 'the name of a member');
  const title = parseDefault(p);
  return { kind: 'enum-member', name, title, span: spanSince(p, start) };
}

/** The indented lines below a `type` or `enum`, each a row of its own; a bad row costs only itself. */
function parseRows<Row>(p: ParserState, what: string, parseRow: (p: ParserState) => Row): Row[] {
  if (!p.lost && !p.atLineEnd()) p.unexpected('the end of the line');
  p.recover();
  const rows: Row[] = [];
  if (!p.opensBlock()) {
    p.report('missingBlock', `${what} is empty.`, p.previous, 'Add one line for each part, indented by four columns.');
    return rows;
  }
  p.take();
  p.take();
  while (!p.atBlockEnd()) {
    p.beginLine();
    if (p.current.kind === 'indent') {
      p.report('unexpectedIndent', 'This line is indented deeper than the line above it.', p.peek(1), 'Align the two.');
      p.skipBlock();
      continue;
    }
    rows.push(parseRow(p));
    p.endLine();
  }
  p.take();
  return rows;
}

function rowsSpan(heading: Heading, name: Name, rows: readonly { readonly span: { readonly end: number } }[]) {
  return { start: heading.start, end: (rows[rows.length - 1] ?? name).span.end };
}

/** `import publisher/library/version as alias`. */
export function parseImport(p: ParserState): ImportDeclaration {
  const { start } = p.take();
  const publisher = parseSegment(p, 'the name of the publisher');
  closeSegment(p);
  const library = p.lost ? p.missingName() : parseSegment(p, 'the name of the library');
  closeSegment(p);
  const version = p.lost ? 0 : parseLibraryVersion(p);
  let alias: Name | null = null;
  if (!p.lost && p.atWord('as')) {
    p.take();
    alias = parseName(p, 'the alias of the library');
  }
  return { kind: 'import', publisher, library, version, alias, span: spanSince(p, start) };
}

const IMPORT_REMEDY = 'Write "import publisher/library/1 as alias".';

function closeSegment(p: ParserState): void {
  if (p.lost) return;
  if (p.at('/')) p.roles.tight.add(p.take().start);
  else p.fail('badImport', 'Expected "/" in the path of the library.', p.current, IMPORT_REMEDY);
}

/** Publishers may have hyphens in their names, which are operators elsewhere: the words and hyphens that touch. */
function parseSegment(p: ParserState, what: string): Name {
  const first = p.current;
  let text = '';
  let end = first.start;
  while (p.current.start === end && (p.current.kind === 'name' || p.current.kind === 'int' || p.at('-'))) {
    if (p.at('-')) p.roles.tight.add(p.current.start);
    const part = p.take();
    text += part.text;
    end = part.end;
  }
  if (text === '') p.fail('badImport', `Expected ${what}.`, first, IMPORT_REMEDY);
  return text === '' ? p.missingName() : { kind: 'name', text, span: { start: first.start, end } };
}

function parseLibraryVersion(p: ParserState): number {
  const token = p.current;
  if (token.kind !== 'int') {
    p.fail('badImport', 'Expected the version of the library.', token, IMPORT_REMEDY);
    return 0;
  }
  p.take();
  const version = Number(token.text);
  if (version < 1) p.report('badImport', 'Versions of libraries begin with 1.', spanOf(token), IMPORT_REMEDY);
  return version;
}
