// One source text from its first declaration to its last statement: what it declares is read first, then its lines.

import type { PineVersion } from '../builtins/types.ts';
import { type FunctionDeclaration, type Script, type Statement, walk } from '../syntax/index.ts';
import { checkHidden } from './check-names.ts';
import { checkStatement } from './check-statements.ts';
import type { Checker } from './checker.ts';
import { declareEnum } from './enums.ts';
import { checkExportedTypes, exposedFunctions } from './exports.ts';
import { Findings } from './faults.ts';
import { checkUncalled } from './instances.ts';
import { findAssignments } from './reassigned.ts';
import { DECLARATIONS } from './recorded-calls.ts';
import { type Module, Scope, type UserFunction } from './scopes.ts';
import { shapeKey } from './shapes.ts';
import type { Block, Stmt } from './tree.ts';
import { readType } from './type-references.ts';
import { declareType, readDefaults, readFields } from './user-types.ts';

export function newModule(
  script: Script,
  version: PineVersion,
  library: string | null,
  assumed: Module['assumed'] = null,
): Module {
  const isLibrary = script.statements.some((statement) => declares(statement) === 'library');
  return {
    assumed,
    given: new Map(),
    script,
    version,
    library,
    isBuiltIn: false,
    findings: new Findings(),
    globals: new Scope(null),
    functions: new Map(),
    types: new Map(),
    enums: new Map(),
    imports: new Map(),
    ...findAssignments(script),
    isLibrary,
    exposed: isLibrary ? exposedFunctions(script) : new Set(),
    dynamicRequests: false,
    declared: false,
  };
}

/** `indicator`, `strategy` or `library` when the statement is the call of it. */
function declares(statement: Statement): string | null {
  if (statement.kind !== 'expression' || statement.expression.kind !== 'call') return null;
  const { callee } = statement.expression;
  return callee.kind === 'identifier' && DECLARATIONS.has(callee.name) ? callee.name : null;
}

/** Checks the module the checker stands in; the lines outside of functions are the answer. */
export function checkModule(c: Checker): Block {
  const { module } = c.place;
  const { statements } = module.script;
  readDeclarations(c, statements);
  const out: Stmt[] = [];
  for (const [order, statement] of statements.entries())
    c.at({ order }, () => {
      if (statement.kind === 'type') readDefaults(c, statement);
      else checkStatement(c, statement, 'none', out);
    });
  if (c.isExhausted) reportExhausted(c);
  for (const forms of module.functions.values()) for (const fn of forms) checkUncalled(c, fn);
  checkExportedTypes(c);
  if (module.library === null) checkHidden(c);
  if (!module.declared && !statements.some(hasDeclaration) && !isUnread(module.script)) reportMissing(c);
  return { statements: out, value: null };
}

/** A text whose version cannot be read has neither statements nor annotations, and was reported. */
const isUnread = ({ statements, annotations, span }: Script): boolean =>
  statements.length === 0 && annotations.length === 0 && span.end > 0;

/** A call that was refused is still there. */
const hasDeclaration = (statement: Statement): boolean => {
  let found = false;
  walk(statement, (node) => {
    if (node.kind === 'call' && node.callee.kind === 'identifier' && DECLARATIONS.has(node.callee.name)) found = true;
    return found ? false : undefined;
  });
  return found;
};

function reportExhausted(c: Checker): void {
  const message = 'The script is too large, counting its functions once per combination of types they are called with.';
  c.report(
    'tooManyInstances',
    message,
    c.place.module.script.span,
    'Give the parameters types, or shorten the functions.',
  );
}

function reportMissing(c: Checker): void {
  const remedy = 'Write indicator("My script") or strategy("My script") below the version line.';
  const { start } = c.place.module.script.span;
  c.report('missingDeclaration', 'The script does not say what it is.', { start, end: start }, remedy);
}

/** Imports first, then the names of types, then what may use them. */
function readDeclarations(c: Checker, statements: readonly Statement[]): void {
  for (const statement of statements) if (statement.kind === 'import') readImport(c, statement);
  for (const [order, statement] of statements.entries()) {
    if (statement.kind === 'type') declareType(c, statement, order);
    if (statement.kind === 'enum') declareEnum(c, statement);
    if ('exported' in statement && statement.exported) checkExport(c, statement);
  }
  for (const statement of statements) if (statement.kind === 'type') readFields(c, statement);
  for (const [order, statement] of statements.entries())
    if (statement.kind === 'function') declareFunction(c, statement, order);
}

function checkExport(c: Checker, statement: Statement): void {
  if (c.place.module.isLibrary) return;
  const remedy = 'Leave out "export", or declare the script with library().';
  c.report('badExport', 'Only a library can export.', statement.span, remedy);
}

function readImport(c: Checker, node: Statement & { kind: 'import' }): void {
  const { publisher, library, version, alias } = node;
  const name = (alias ?? library).text;
  if (publisher.text === '' || library.text === '' || name === '') {
    c.broken = true;
    return;
  }
  const { imports } = c.place.module;
  if (imports.has(name)) {
    c.report('redeclared', `There is already an import ${name}.`, node.span, 'Name this one with "as".');
    return;
  }
  imports.set(name, c.library(`${publisher.text}/${library.text}/${version}`, node.span));
}

function declareFunction(c: Checker, node: FunctionDeclaration, order: number): void {
  const { module } = c.place;
  const name = node.name.text;
  const seen = new Set<string>();
  const parameters = node.parameters.map((parameter) => {
    const { text, span } = parameter.name;
    if (text !== '' && text !== '_' && seen.has(text))
      c.report('badFunction', `The function has two parameters ${text}.`, span, 'Rename one of them.');
    seen.add(text);
    const shape = parameter.type === null ? null : readType(c, parameter.type);
    if (node.exported && parameter.type === null && module.isLibrary)
      c.report(
        'badExport',
        `The parameter ${text} of an exported function needs a type.`,
        span,
        `Write "float ${text}".`,
      );
    return { node: parameter, name: text, shape, qualifier: parameter.qualifier };
  });
  if (node.method) checkReceiver(c, node);
  if (name === '') {
    c.broken = true;
    return;
  }
  const fn: UserFunction = { declaration: node, module, order, parameters, instances: new Map(), active: false };
  const forms = module.functions.get(name);
  if (forms === undefined) module.functions.set(name, [fn]);
  else if (forms.some((other) => signature(other) === signature(fn)))
    c.report(
      'redeclared',
      `There is already a function ${name}() that takes these parameters.`,
      node.name.span,
      'Rename one of them.',
    );
  else forms.push(fn);
}

/** What tells the forms of a function apart: since v6 only what must be given counts. */
const signature = ({ parameters, module }: UserFunction): string =>
  parameters
    .filter(({ node }) => module.version === 5 || node.defaultValue === null)
    .map(({ shape, qualifier }) => (shape === null ? '' : `${qualifier ?? 'series'} ${shapeKey(shape)}`))
    .join(';');

function checkReceiver(c: Checker, node: FunctionDeclaration): void {
  const [first] = node.parameters;
  if (first !== undefined && first.type !== null) return;
  const remedy = `Write "method ${node.name.text}(array<float> this)", with the type it is a method of.`;
  c.report('badFunction', 'The first parameter of a method needs a type.', (first ?? node.name).span, remedy);
}
