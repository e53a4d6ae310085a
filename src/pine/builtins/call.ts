// A call of a function as the checker hands it over, and the two answers there are: resolved, or refused in words.

import type { Overload, Parameter } from './model.ts';
import type { PineType, PineVersion, Shape } from './types.ts';

export interface Argument {
  /** Null for a positional argument. */
  readonly name: string | null;
  readonly type: PineType;
  /** The argument as written when it is a built-in constant (`size.tiny`) or a quoted text (`"FIFO"`). */
  readonly text?: string;
}

export interface Call {
  readonly version: PineVersion;
  readonly arguments: readonly Argument[];
  /** What stands in angle brackets: `array.new<float>()`. */
  readonly typeArguments?: readonly Shape[];
  /** The first argument stands before the dot; it is not counted in messages. */
  readonly method?: boolean;
  /** A v5 script that declares dynamic_requests = true: its requests take series arguments as in v6. */
  readonly dynamicRequests?: boolean;
}

export interface Callee {
  readonly name: string;
  readonly overloads: readonly Overload[];
}

export interface Slot {
  readonly parameter: Parameter;
  /** Indices of the call's arguments; none: the default, several: a parameter that takes any number. */
  readonly arguments: readonly number[];
}

export interface Resolved {
  readonly ok: true;
  readonly overload: Overload;
  /** One per parameter of the overload that the version has, in order. */
  readonly slots: readonly Slot[];
  readonly type: PineType;
}

export type Fault =
  | 'version'
  | 'angle-brackets'
  | 'too-many'
  | 'order'
  | 'twice'
  | 'unknown-name'
  | 'type'
  | 'qualifier'
  | 'constant'
  | 'missing';

export interface Refused {
  readonly ok: false;
  readonly fault: Fault;
  readonly message: string;
  /** Index of the argument at fault, or null when it is the call. */
  readonly argument: number | null;
}

export type Resolution = Resolved | Refused;

export const refuse = (fault: Fault, message: string, argument: number | null = null): Refused => ({
  ok: false,
  fault,
  message,
  argument,
});
