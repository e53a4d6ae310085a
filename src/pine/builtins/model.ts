// What the table of built-ins holds: functions with overloads, variables, constants, and the words of the language.

import type { PineType, PineVersion, Qualifier, Shape, TypeVariableName } from './types.ts';

export type ConstantValue = string | number | boolean;

/** A default as documented: a Pine expression such as `color.blue`, or words where no expression says it. */
export interface Default {
  readonly text: string;
  readonly inWords: boolean;
}

export interface Parameter {
  readonly name: string;
  /** The latest qualifier and the shape an argument may have, in v6. */
  readonly type: PineType;
  readonly typeInV5: PineType;
  /** Null: the argument is required. */
  readonly fallback: Default | null;
  readonly fallbackInV5: Default | null;
  /** Takes any number of arguments (at least one unless it has a default); always the last parameter. */
  readonly variadic: boolean;
  /** The constants or quoted texts the argument must be one of, such as `shape.*` or `"FIFO"`; empty: anything. */
  readonly allowed: readonly string[];
  readonly versions: readonly PineVersion[];
  /** What to write instead in a version that no longer has the parameter. */
  readonly remedy: string | null;
}

/** What a call returns; `fromArguments` means: as early known as its arguments allow, but never earlier than `qualifier`. */
export interface Result {
  readonly shape: Shape;
  readonly qualifier: Qualifier;
  readonly fromArguments: boolean;
}

export interface Overload {
  /** Types the caller must write in angle brackets: `array.new<float>()`. */
  readonly typeArguments: readonly TypeVariableName[];
  readonly parameters: readonly Parameter[];
  readonly result: Result;
  readonly versions: readonly PineVersion[];
  /** Keeps state of its own for every place it is called from. */
  readonly stateful: boolean;
  /** May only be called in the global scope. */
  readonly globalOnly: boolean;
  /** The type whose values may be written before the dot (`prices.push(x)`), or null. */
  readonly methodOf: string | null;
}

interface Named {
  /** With its namespace: `ta.sma`. */
  readonly name: string;
  /** Empty for a name without a dot. */
  readonly namespace: string;
  readonly member: string;
  readonly doc: string;
  readonly versions: readonly PineVersion[];
}

export interface FunctionEntry extends Named {
  readonly kind: 'function';
  readonly overloads: readonly Overload[];
}

export interface VariableEntry extends Named {
  readonly kind: 'variable';
  readonly type: PineType;
}

export interface ConstantEntry extends Named {
  readonly kind: 'constant';
  readonly type: PineType;
  /** Colors are 0xRRGGBBAA. */
  readonly value: ConstantValue;
  readonly valueInV5: ConstantValue;
}

export type ValueEntry = VariableEntry | ConstantEntry;
export type Entry = FunctionEntry | ValueEntry;

export interface WordEntry {
  readonly kind: 'keyword' | 'type' | 'annotation' | 'operator';
  readonly name: string;
  readonly doc: string;
  readonly versions: readonly PineVersion[];
}

/** One block of the table: everything of one namespace, in the notation that notation.ts reads. */
export interface TableSource {
  readonly namespace: string;
  readonly text: string;
}

export const ALL_VERSIONS: readonly PineVersion[] = [5, 6];

export const parameterType = (parameter: Parameter, version: PineVersion): PineType =>
  version === 5 ? parameter.typeInV5 : parameter.type;

export const defaultOf = (parameter: Parameter, version: PineVersion): Default | null =>
  version === 5 ? parameter.fallbackInV5 : parameter.fallback;
