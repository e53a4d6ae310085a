// What the annotations above a declaration say of it and of its parts: `//@function`, `//@param`, `//@field` and others.

import type { Annotation, Node, Script } from '../syntax/index.ts';

/** An essay in a comment is not a hover. */
const MAX_TEXT = 2000;

export interface Annotated {
  readonly description: string;
  readonly returns: string;
  /** Texts of parameters or fields by their names. */
  readonly parts: ReadonlyMap<string, string>;
}

const DESCRIBING: ReadonlySet<string> = new Set(['function', 'type', 'enum', 'variable']);
const OF_PARTS: ReadonlySet<string> = new Set(['param', 'field']);

/** Grouped once per script: a list of thousands of names asks for each of them. */
const grouped = new WeakMap<Script, ReadonlyMap<number, readonly Annotation[]>>();

function byTarget(script: Script): ReadonlyMap<number, readonly Annotation[]> {
  const known = grouped.get(script) ?? Map.groupBy(script.annotations, ({ target }) => target);
  grouped.set(script, known);
  return known;
}

export function annotated(script: Script, declaration: Node): Annotated {
  let description = '';
  let returns = '';
  const parts = new Map<string, string>();
  for (const { name, text } of byTarget(script).get(declaration.span.start) ?? []) {
    const short = text.slice(0, MAX_TEXT);
    if (DESCRIBING.has(name)) description = short;
    else if (name === 'returns') returns = short;
    else if (OF_PARTS.has(name)) {
      const [, part = '', words = ''] = /^(\S+)\s*([\s\S]*)$/.exec(short) ?? [];
      parts.set(part, words);
    }
  }
  return { description, returns, parts };
}
