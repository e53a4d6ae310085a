// Circles of functions that call each other, found by name when one calls another that stands below it.

import { type FunctionDeclaration, walk } from '../syntax/index.ts';
import type { Module } from './scopes.ts';

/** `f → g → f` when the function `to`, by whatever it calls, comes back to `from`; null when it does not. */
export function cycleText(module: Module, from: string | null, to: string): string | null {
  if (from === null) return null;
  if (from === to) return `${from} → ${to}`;
  const cameFrom = new Map<string, string>([[to, from]]);
  const open = [to];
  for (let name = open.pop(); name !== undefined; name = open.pop())
    for (const next of calledBy(module, name)) {
      if (next === from) return [...pathTo(cameFrom, name, from), from].join(' → ');
      if (cameFrom.has(next) || !module.functions.has(next)) continue;
      cameFrom.set(next, name);
      open.push(next);
    }
  return null;
}

function pathTo(cameFrom: ReadonlyMap<string, string>, last: string, first: string): string[] {
  const path = [last];
  for (let name = cameFrom.get(last); name !== undefined && name !== first; name = cameFrom.get(name)) path.push(name);
  return [first, ...path.reverse()];
}

const calledBy = (module: Module, name: string): Set<string> =>
  new Set((module.functions.get(name) ?? []).flatMap(({ declaration }) => callsIn(declaration)));

function callsIn(declaration: FunctionDeclaration): string[] {
  const names: string[] = [];
  walk(declaration.body, (node) => {
    if (node.kind === 'call' && node.callee.kind === 'identifier') names.push(node.callee.name);
    return undefined;
  });
  return names;
}
