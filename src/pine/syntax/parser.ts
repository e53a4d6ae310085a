// The parser's front door: a source text in, a syntax tree and everything that is wrong with the text out.

import { readAnnotations } from './annotations.ts';
import type { Script } from './ast.ts';
import { type Diagnostic, DiagnosticList, hasErrors, SYNTAX_CODES } from './diagnostic.ts';
import { type Lexed, lex } from './lexer.ts';
import { parseStatements } from './parse-statements.ts';
import { type LanguageVersion, ParserState, type TokenRoles } from './parser-state.ts';
import type { Token } from './tokens.ts';
import { NEWEST_VERSION, readVersion } from './version.ts';

/** In characters. TradingView's own limit is far below; this one keeps a pasted log file from holding up a server. */
export const MAX_SOURCE_LENGTH = 1024 * 1024;

export interface Parsed {
  readonly script: Script;
  /** In the order of the text. */
  readonly diagnostics: readonly Diagnostic[];
  /** The version the script was read as; when its own is missing or unknown, that is reported and this is the newest. */
  readonly version: LanguageVersion;
}

/** What the formatter needs besides the tree. */
export interface ParsedWithTokens extends Parsed {
  readonly lexed: Lexed;
  readonly roles: TokenRoles;
}

/** `assumed`: the version of a script that does not say its own. */
export function parse(source: string, assumed?: LanguageVersion): Parsed {
  const { script, diagnostics, version } = parseWithTokens(source, assumed);
  return { script, diagnostics, version };
}

/**
 * A string that does not end on its line is nearly always a forgotten quote. Only where the script is right when such
 * strings go on, as old ones may, is it read like that.
 */
export function parseWithTokens(source: string, assumed?: LanguageVersion): ParsedWithTokens {
  const plain = parseOnce(source, false, assumed);
  if (!plain.diagnostics.some(({ code }) => code === SYNTAX_CODES.unterminatedString)) return plain;
  const wrapped = parseOnce(source, true, assumed);
  return hasErrors(wrapped.diagnostics) ? plain : wrapped;
}

function parseOnce(source: string, wraps: boolean, assumed: LanguageVersion | undefined): ParsedWithTokens {
  const diagnostics = new DiagnosticList();
  if (source.length > MAX_SOURCE_LENGTH) {
    const message = `The script has ${source.length} characters; the most that is read is ${MAX_SOURCE_LENGTH}.`;
    diagnostics.error('sourceTooLarge', message, { start: 0, end: 0 }, 'Move parts of it into libraries.');
    return nothing(source, diagnostics);
  }
  const lexed = lex(source, diagnostics, wraps);
  const { version, fault } = readVersion(lexed, assumed);
  const blamed = placesOfErrors(diagnostics);
  // A script of an old version is full of words that mean something else now; one clear sentence is worth more.
  const list = version === null ? new DiagnosticList() : diagnostics;
  if (fault !== null) list.error(fault.fault, fault.message, fault.span, fault.remedy);
  if (version === null) return nothing(source, list);
  return parseTokens(source, lexed, { diagnostics, blamed, version });
}

/**
 * A script as if it were of version 5, whatever its version line says, for whoever converts older ones. `names`: words of
 * the language that were plain names then.
 */
export function parseOldDialect(source: string, names: ReadonlySet<string>): ParsedWithTokens {
  const diagnostics = new DiagnosticList();
  const lexed = lex(source, diagnostics, true);
  const asThen = ({ kind, text, ...place }: Token): Token => ({
    kind: kind === 'keyword' && names.has(text) ? 'name' : kind,
    text,
    ...place,
  });
  return parseTokens(
    source,
    { ...lexed, tokens: lexed.tokens.map(asThen) },
    {
      diagnostics,
      blamed: placesOfErrors(diagnostics),
      version: 5,
    },
  );
}

const placesOfErrors = (diagnostics: DiagnosticList): number[] =>
  diagnostics.sorted().flatMap(({ severity, span }) => (severity === 'error' ? [span.start] : []));

interface Reading {
  readonly diagnostics: DiagnosticList;
  /** Where the scanner found something. */
  readonly blamed: readonly number[];
  readonly version: LanguageVersion;
}

function parseTokens(source: string, lexed: Lexed, { diagnostics, blamed, version }: Reading): ParsedWithTokens {
  const state = new ParserState(lexed.tokens, diagnostics, blamed, version);
  const statements = parseStatements(state);
  const annotations = readAnnotations(source, lexed.comments, lexed.tokens);
  const script: Script = { kind: 'script', statements, annotations, span: { start: 0, end: source.length } };
  return { script, diagnostics: diagnostics.sorted(), version, lexed, roles: state.roles };
}

function nothing(source: string, diagnostics: DiagnosticList): ParsedWithTokens {
  const script: Script = { kind: 'script', statements: [], annotations: [], span: { start: 0, end: source.length } };
  const lexed: Lexed = { tokens: [], comments: [] };
  return {
    script,
    diagnostics: diagnostics.sorted(),
    version: NEWEST_VERSION,
    lexed,
    roles: { tight: new Set(), words: new Set() },
  };
}
