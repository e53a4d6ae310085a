// The defaults of built-in parameters, which the table writes as Pine: a literal or a built-in name.

import { findValue } from '../builtins/index.ts';
import { type Default, defaultOf, type Parameter } from '../builtins/model.ts';
import { NA, type PineType, type PineVersion, scalar, typeOf } from '../builtins/types.ts';
import type { Span } from '../syntax/index.ts';
import type { BuiltinExpr, ConstantExpr, ConstantValue } from './tree.ts';

type Known =
  | { readonly value: ConstantValue; readonly type: PineType }
  | { readonly name: string; readonly type: PineType };

/** By version, then by the text in the table. */
const read: Readonly<Record<PineVersion, Map<string, Known>>> = { 5: new Map(), 6: new Map() };

/** The default as an expression at the call; null when it is in words. */
export function defaultExpr(parameter: Parameter, version: PineVersion, span: Span): ConstantExpr | BuiltinExpr | null {
  const fallback = defaultOf(parameter, version);
  if (fallback === null || fallback.inWords) return null;
  const known = knownDefault(fallback, version);
  return 'name' in known ? { kind: 'builtin', ...known, span } : { kind: 'constant', ...known, span };
}

function knownDefault({ text }: Default, version: PineVersion): Known {
  const before = read[version].get(text);
  if (before !== undefined) return before;
  const known = readDefault(text, version);
  read[version].set(text, known);
  return known;
}

function readDefault(text: string, version: PineVersion): Known {
  if (text === 'na') return { value: null, type: typeOf('const', NA) };
  if (text.startsWith('"')) return { value: text.slice(1, -1), type: typeOf('const', scalar('string')) };
  if (text.startsWith('#')) {
    const digits = text.length === 7 ? `${text.slice(1)}FF` : text.slice(1);
    return { value: Number.parseInt(digits, 16), type: typeOf('const', scalar('color')) };
  }
  if (/^-?\d/.test(text)) {
    const value = Number(text);
    return { value, type: typeOf('const', scalar(/[.e]/i.test(text) ? 'float' : 'int')) };
  }
  const entry = findValue(text);
  if (entry === null) throw new Error(`built-in table: the default ${text} is no value`);
  if (entry.kind === 'variable') return { name: entry.name, type: entry.type };
  return { value: version === 5 ? entry.valueInV5 : entry.value, type: entry.type };
}
