// Copies a part of the checked tree, with other variables and other functions in their places.

import type { FunctionInstance, Variable } from '../../check/tree.ts';

export interface Replacements {
  variable(variable: Variable): Variable;
  callee(callee: FunctionInstance): FunctionInstance;
  /** Told of every copy. */
  copied?(copy: object, original: object): void;
}

/** Where the tree names variables. */
const VARIABLES: ReadonlySet<string> = new Set(['variable', 'variables', 'counter', 'item', 'index']);

/** What is the same in every copy: types, places in the text and entries of tables. */
const SHARED: ReadonlySet<string> = new Set([
  'type',
  'span',
  'overload',
  'parameter',
  'typeArguments',
  'userType',
  'userEnum',
  'owner',
]);

export function cloneTree<T>(node: T, replace: Replacements): T {
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) return node.map((part) => cloneTree<unknown>(part, replace)) as T;
  const copy: Record<string, unknown> = {};
  for (const [name, part] of Object.entries(node)) copy[name] = clonePart(name, part, replace);
  replace.copied?.(copy, node);
  return copy as T;
}

function clonePart(name: string, part: unknown, replace: Replacements): unknown {
  if (SHARED.has(name)) return part;
  if (name === 'callee') return replace.callee(part as FunctionInstance);
  if (!VARIABLES.has(name) || typeof part !== 'object') return cloneTree(part, replace);
  const other = (variable: Variable | null) => (variable === null ? null : replace.variable(variable));
  return Array.isArray(part) ? part.map(other) : other(part as Variable | null);
}
