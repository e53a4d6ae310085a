// The checker's front door: a syntax tree in, the checked program and everything that is wrong with it out.

import { laterQualifier, type PineVersion, type Qualifier, qualifierFits } from '../builtins/types.ts';
import { type Diagnostic, hasErrors, type Name, type Script } from '../syntax/index.ts';
import { checkExpression } from './check-expressions.ts';
import { checkBlock } from './check-statements.ts';
import { Checker, type Parts, Program } from './checker.ts';
import { CHECK_CODES } from './faults.ts';
import { LibraryShelf, type LibrarySource } from './libraries.ts';
import { checkModule, newModule } from './modules.ts';
import type { Module } from './scopes.ts';
import { SemanticInfo } from './semantic-info.ts';
import { checkShown } from './shown.ts';
import type { Block, CheckedProgram } from './tree.ts';

export { CHECK_CODES } from './faults.ts';
export type { LibrarySource } from './libraries.ts';
export { type Declaration, type DeclarationKind, SemanticInfo, type VisibleName } from './semantic-info.ts';

export interface CheckOptions {
  readonly version: PineVersion;
  readonly libraries?: readonly LibrarySource[];
  /** Whether the text was read without mistakes: only then is it told that something is missing as a whole. */
  readonly isWhole?: boolean;
}

export interface Checked {
  /** Null when there are mistakes, or when parts of the text could not be read. */
  readonly program: CheckedProgram | null;
  /** What the checker found, in the order of the text; the parser's own findings are not among them. */
  readonly diagnostics: readonly Diagnostic[];
  readonly info: SemanticInfo;
  /** What the script declares and imports; editors look names up in it. */
  readonly module: Module;
}

/** Checks a script as `parse` gave it, also one with holes. */
export function check(script: Script, options: CheckOptions): Checked {
  const fractional = new Set<string>();
  const plain = checkFractions(script, options, null, fractional);
  const { diagnostics } = plain;
  const { given } = plain.module;
  if (given.size === 0) return plain;
  if (diagnostics.some(({ code }) => code === CHECK_CODES.wrongQualifier))
    return withGivenQualifiers(script, options, fractional) ?? plain;
  // A warning about a place that seldom runs may be wrong too when a variable is known earlier than it was taken for.
  if (!diagnostics.some(isAboutSeldom) || [...given.values()].every((one) => one === 'series')) return plain;
  const exact = withGivenQualifiers(script, options, fractional);
  return exact === null ? plain : { ...plain, diagnostics: diagnostics.filter(confirmedBy(exact.diagnostics)) };
}

const isAboutSeldom = ({ code }: Diagnostic): boolean =>
  code === CHECK_CODES.notOnEveryBar || code === CHECK_CODES.seldomHistory;

const confirmedBy =
  (exact: readonly Diagnostic[]) =>
  (found: Diagnostic): boolean =>
    !isAboutSeldom(found) || exact.some(({ code, span }) => code === found.code && span.start === found.span.start);

/** Each round can make variables later known, three steps at most; chains longer than this occur in no script. */
const MAX_ROUNDS = 12;

/**
 * A variable that is given other values is taken for a series, which it nearly always is. Only where that makes the
 * script wrong is it worth the time to find out what its values really are: begin with the earliest, and look again
 * until no variable turns out later known than it was taken for. Since v6 what changes is never a constant.
 */
function withGivenQualifiers(script: Script, options: CheckOptions, fractional: Set<string>): Checked | null {
  let assumed: ReadonlyMap<Name, Qualifier> = new Map();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const attempt = checkFractions(script, options, assumed, fractional);
    const { given } = attempt.module;
    const next = new Map(assumed);
    for (const [name, qualifier] of given) next.set(name, laterQualifier(qualifier, next.get(name) ?? 'const'));
    if (isStable(given, assumed)) {
      const constant = options.version === 5 ? [] : [...given.keys()].filter((name) => next.get(name) === 'const');
      if (constant.length === 0) return attempt;
      for (const name of constant) next.set(name, 'simple');
    }
    assumed = next;
  }
  return null;
}

const isStable = (given: ReadonlyMap<Name, Qualifier>, assumed: ReadonlyMap<Name, Qualifier>): boolean =>
  [...given].every(([name, qualifier]) => qualifierFits(qualifier, assumed.get(name) ?? 'const'));

/** Which ints are given quotients is only known below their declarations: then once more, with what was found. */
function checkFractions(
  script: Script,
  options: CheckOptions,
  assumed: ReadonlyMap<Name, Qualifier> | null,
  fractional: Set<string>,
): Checked {
  for (let round = 1; ; round++) {
    const found = fractional.size;
    const attempt = checkOnce(script, options, assumed, fractional);
    if (fractional.size === found || round === MAX_ROUNDS) return attempt;
  }
}

function checkOnce(
  script: Script,
  { version, libraries = [], isWhole = false }: CheckOptions,
  assumed: ReadonlyMap<Name, Qualifier> | null,
  fractional: Set<string>,
): Checked {
  const shelf = new LibraryShelf(libraries);
  const module = newModule(script, version, null, assumed);
  const info = new SemanticInfo(script);
  const program = new Program(fractional);
  const parts: Parts = {
    expression: checkExpression,
    block: checkBlock,
    library: (c, key, at) => shelf.load(c, key, at),
  };
  const place = {
    module,
    scope: module.globals,
    order: 0,
    functionName: null,
    local: false,
    dry: false,
    steady: true,
    lazy: 'no' as const,
  };
  const checker = new Checker(program, info, place, parts);
  const main = checkModule(checker);
  if (isWhole && !checker.broken && !hasErrors(module.findings.sorted())) checkShown(checker);
  const diagnostics = module.findings.sorted();
  const whole = !hasErrors(diagnostics) && !checker.broken;
  return { program: whole ? finish(program, version, main) : null, diagnostics, info, module };
}

function finish(program: Program, version: PineVersion, main: Block): CheckedProgram | null {
  const { declaration, declaredAt, types, enums, functions, inputs, outputs } = program;
  if (declaration === null || declaredAt === null) return null;
  return {
    version,
    ...declaration,
    declaredAt,
    types: [...types.values()],
    enums: [...enums.values()],
    functions,
    main,
    inputs,
    outputs,
  };
}
