// Finds the functions of a source tree that do not fit a screen.

import { parseAst } from 'rolldown/parseAst';
import type { Tree } from './structure-rules.ts';

export const MAX_FUNCTION_LINES = 70;

/** A part of the syntax tree: every node has a type, and its place in the text. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/**
 * Functions with more lines than fit, each as its room and its name, and how many lines it has. Without the folders
 * below the room, so that a file may move. A function inside a long one counts for itself; tests may be as long as they
 * like.
 */
export function longFunctions(tree: Tree): Map<string, number> {
  const found = new Map<string, number>();
  for (const [path, source] of tree) {
    if (path.endsWith('.test.ts') || path.includes('/testing/') || linesOf(source) <= MAX_FUNCTION_LINES) continue;
    const room = path.split('/')[1]?.replace(/\.tsx?$/, '') ?? '';
    for (const { name, lines } of functionsOf(source, path.endsWith('.tsx') ? 'tsx' : 'ts'))
      if (lines > MAX_FUNCTION_LINES) found.set(`${room} ${name}`, lines);
  }
  return found;
}

function functionsOf(source: string, lang: 'ts' | 'tsx'): { readonly name: string; readonly lines: number }[] {
  const functions: { name: string; lines: number }[] = [];
  const visit = (value: unknown, outer: string): void => {
    if (Array.isArray(value)) for (const item of value) visit(item, outer);
    if (!isNode(value)) return;
    const name = nameOf(value) ?? outer;
    if (/Function/.test(value.type) && isNode(value.body))
      functions.push({ name, lines: linesOf(source.slice(value.start, value.end)) });
    for (const child of Object.values(value)) visit(child, name);
  };
  visit(parseAst(source, { lang }), 'without a name');
  return functions;
}

const linesOf = (text: string): number => text.split('\n').length;

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

/** Of a declaration, a method or a property: what everything inside it is known by. */
function nameOf({ id, key }: Node): string | undefined {
  const named = isNode(id) ? id : isNode(key) ? key : undefined;
  return typeof named?.name === 'string' ? named.name : undefined;
}
