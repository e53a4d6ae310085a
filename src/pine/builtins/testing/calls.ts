// Writes calls down shortly for tests: `call('ta.sma', 'series float; length = const int')`.

import type { Argument, Call, Resolution } from '../call.ts';
import { findFunction } from '../index.ts';
import { resolveOverload } from '../resolve-overload.ts';
import { Scanner } from '../scanner.ts';
import { type PineType, type Shape, typeOf, typeText } from '../types.ts';

/** A type as signatures write it, plus `user Name` and `enum Name`, alone or in one pair of angle brackets. */
export function typeFrom(text: string): PineType {
  const own = /^(?:(const|input|simple|series) )?(?:(array|matrix)<)?(user|enum) (\w+)>?$/.exec(text);
  if (own === null) return new Scanner(text).type();
  const [, qualifier = 'series', collection, kind, name = ''] = own;
  const shape: Shape = { kind: kind as 'user' | 'enum', name };
  const held: Shape = collection === undefined ? shape : { kind: collection as 'array' | 'matrix', element: shape };
  return typeOf(qualifier as PineType['qualifier'], held);
}

/** `name = type : text as written`; name and text may be left out. */
function argumentFrom(text: string): Argument {
  const [, name, type = '', written] = /^(?:(\w+) = )?([^:]+?)(?: : (.+))?$/.exec(text.trim()) ?? [];
  return { name: name ?? null, type: typeFrom(type), ...(written === undefined ? {} : { text: written }) };
}

export function resolve(name: string, args: string, options: Partial<Call> = {}): Resolution {
  const entry = findFunction(name);
  if (entry === null) throw new Error(`${name} is no built-in function`);
  const given = args === '' ? [] : args.split(';').map(argumentFrom);
  return resolveOverload(entry, { version: 6, arguments: given, ...options });
}

/** The type a call returns, or the message that says what is wrong with it. */
export function outcome(name: string, args: string, options: Partial<Call> = {}): string {
  const found = resolve(name, args, options);
  return found.ok ? typeText(found.type) : found.message;
}
