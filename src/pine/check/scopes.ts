// The names of a script and where each of them is known: variables by block, functions, types and imports by module.

import { findFunction, findValue, findWord, isNamespace } from '../builtins/index.ts';
import type { PineVersion, Qualifier, Shape } from '../builtins/types.ts';
import type { FunctionDeclaration, Name, Parameter, Script, Span } from '../syntax/index.ts';
import type { Findings } from './faults.ts';
import type { Expr, FunctionInstance, UserEnum, UserField, UserType, Variable } from './tree.ts';

/** What a name stands for decides whether `:=` may change it. */
export type VariableRole = 'variable' | 'const' | 'parameter' | 'counter';

export interface VariableSymbol {
  readonly variable: Variable;
  /** The name in its declaration. */
  readonly node: Name;
  /** The qualifier its declaration asks for in so many words. */
  readonly asked: Qualifier | null;
  readonly role: VariableRole;
  /** Place of its top-level statement: a function sees only what stands above it. */
  readonly order: number;
  readonly global: boolean;
  /** What it was declared with, for constants that are used outside of their library. */
  readonly value: Expr | null;
  readonly exported: boolean;
}

/** One block's names, inside another block's. */
export class Scope {
  readonly parent: Scope | null;
  readonly names = new Map<string, VariableSymbol>();
  /** How late it is known whether the block runs. */
  readonly under: Qualifier;
  /** Whether it runs once on every bar, or once in every call of its function. */
  readonly steady: boolean;

  constructor(parent: Scope | null, under: Qualifier = 'const', steady = true) {
    this.parent = parent;
    this.under = under;
    this.steady = steady;
  }

  /** The innermost variable of the name; global ones only when they stand above the statement `order`. */
  find(name: string, order: number): VariableSymbol | null {
    for (let scope: Scope | null = this; scope !== null; scope = scope.parent) {
      const symbol = scope.names.get(name);
      if (symbol !== undefined && (!symbol.global || symbol.order <= order)) return symbol;
    }
    return null;
  }
}

export interface UserParameter {
  readonly node: Parameter;
  readonly name: string;
  /** Null: takes what comes. */
  readonly shape: Shape | null;
  readonly qualifier: Qualifier | null;
}

export interface UserFunction {
  readonly declaration: FunctionDeclaration;
  readonly module: Module;
  readonly order: number;
  readonly parameters: readonly UserParameter[];
  readonly instances: Map<string, FunctionInstance>;
  /** True while its body is looked at: a call from there would never end. */
  active: boolean;
}

export interface TypeSymbol {
  readonly userType: UserType;
  /** The same list as the type's, to fill in. */
  readonly fields: UserField[];
  /** Place of its statement: objects are made below it. */
  readonly order: number;
  readonly exported: boolean;
  readonly span: Span;
}

export interface EnumSymbol {
  readonly userEnum: UserEnum;
  readonly exported: boolean;
  readonly span: Span;
}

/** Whether the name on its own is a built-in variable of the version, such as `close`. */
export function isBuiltinVariable(name: string, version: PineVersion): boolean {
  const entry = findValue(name);
  return entry?.kind === 'variable' && entry.versions.includes(version);
}

/** One source text: the script itself or a library. */
export interface Module {
  readonly script: Script;
  readonly version: PineVersion;
  /** `publisher/library/version`, or null for the script itself. */
  readonly library: string | null;
  /** Of a library: whether it comes with the engine, and so has some functions only of the one that it stands for. */
  isBuiltIn: boolean;
  readonly findings: Findings;
  readonly globals: Scope;
  readonly functions: Map<string, UserFunction[]>;
  readonly types: Map<string, TypeSymbol>;
  readonly enums: Map<string, EnumSymbol>;
  /** By alias; null for a library that could not be had, which was reported. */
  readonly imports: Map<string, Module | null>;
  /** Every variable declared outside of blocks, by its first place, also those further down. */
  readonly globalNames: ReadonlyMap<string, Span>;
  /** Declarations whose variable is given another value somewhere. */
  readonly reassigned: ReadonlySet<Name>;
  /** How late the values given to such variables are known at most, as far as they were met. */
  readonly given: Map<Name, Qualifier>;
  /** What such variables are taken for; null: each of them may change on every bar. */
  readonly assumed: ReadonlyMap<Name, Qualifier> | null;
  /** What indicator(), strategy() or library() stands in the script, by the first word found. */
  readonly isLibrary: boolean;
  /** Of a library: the functions that run where it is imported. */
  readonly exposed: ReadonlySet<string>;
  dynamicRequests: boolean;
  /** Whether its indicator(), strategy() or library() call was met. */
  declared: boolean;
}

/**
 * The import that a dotted name begins with, undefined when it begins with none. A library may be called like a
 * namespace (`ta`): what it does not export is then the built-in.
 */
export function libraryOf(module: Module, path: readonly string[]): Module | null | undefined {
  const [root, name] = path;
  const library = module.imports.get(root!);
  if (library == null || !isNamespace(root!) || exportsName(library, name!)) return library;
  const full = path.join('.');
  const builtin = findFunction(full) !== null || findValue(full) !== null || findWord(full) !== null;
  return builtin ? undefined : library;
}

const exportsName = ({ functions, types, enums, globals }: Module, name: string): boolean =>
  functions.get(name)?.some(({ declaration }) => declaration.exported) === true ||
  (types.get(name) ?? enums.get(name) ?? globals.names.get(name))?.exported === true;
