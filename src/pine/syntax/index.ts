// The public face of the front end: source text to syntax tree, formatting, and the tree's types.

export { annotationsOf } from './annotations.ts';
export type * from './ast.ts';
export { type Diagnostic, DiagnosticList, hasErrors, type Severity, SYNTAX_CODES } from './diagnostic.ts';
export { nearestName } from './did-you-mean.ts';
export { type Formatted, format } from './format.ts';
export { MAX_SOURCE_LENGTH, type Parsed, type ParsedWithTokens, parse, parseOldDialect } from './parser.ts';
export { type LanguageVersion, MAX_NESTING } from './parser-state.ts';
export { type Comment, scan } from './scanner.ts';
export { LineTable, type Position, type Span } from './span.ts';
export { isOpenEnded, type Token } from './tokens.ts';
export { type OldVersion, versionWritten } from './version.ts';
export { childrenOf, nodesAt, walk } from './walk.ts';
