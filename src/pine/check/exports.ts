// What a library shows to those who import it: the functions they can reach, and the types they meet there.

import type { Shape } from '../builtins/types.ts';
import { type Node, type Script, type Span, walk } from '../syntax/index.ts';
import type { Checker } from './checker.ts';
import type { EnumSymbol, Module, TypeSymbol, UserFunction } from './scopes.ts';

/**
 * The functions that run where the library is imported: the exported ones and whatever they call. By name: of two forms
 * of one name both count. The others only serve the library's own lines, which do not run elsewhere, so that they may use
 * its variables and inputs.
 */
export function exposedFunctions({ statements }: Script): ReadonlySet<string> {
  const used = new Map<string, Set<string>>();
  const waiting: string[] = [];
  for (const statement of statements) {
    if (statement.kind !== 'function') continue;
    const name = statement.name.text;
    const names = used.get(name) ?? new Set();
    used.set(name, names);
    walk(statement, (node) => void addName(names, node));
    if (statement.exported) waiting.push(name);
  }
  const exposed = new Set<string>();
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (exposed.has(name)) continue;
    exposed.add(name);
    for (const other of used.get(name) ?? []) if (used.has(other)) waiting.push(other);
  }
  return exposed;
}

function addName(names: Set<string>, node: Node): void {
  if (node.kind === 'identifier') names.add(node.name);
  if (node.kind === 'member') names.add(node.property.text);
}

/** Whether the checker stands in a function that runs where its library is imported. */
export function isExposed({ place: { module, functionName } }: Checker): boolean {
  return functionName !== null && module.exposed.has(functionName);
}

/** Warns of types that importing scripts are handed and cannot name, because they are not exported themselves. */
export function checkExportedTypes(c: Checker): void {
  const { module } = c.place;
  if (!module.isLibrary || module.library !== null) return;
  for (const forms of module.functions.values())
    for (const fn of forms) if (fn.declaration.exported) checkSignature(c, fn);
  for (const { userType, fields, exported, span } of module.types.values())
    if (exported) for (const { shape } of fields) warnOf(c, hiddenIn(shape, module), userType.name, span);
}

function checkSignature(c: Checker, { declaration, parameters, instances, module }: UserFunction): void {
  const { text, span } = declaration.name;
  for (const { shape } of parameters) if (shape !== null) warnOf(c, hiddenIn(shape, module), `${text}()`, span);
  for (const { result } of instances.values()) warnOf(c, hiddenIn(result.shape, module), `${text}()`, span);
}

function warnOf(c: Checker, hidden: string | null, user: string, at: Span): void {
  if (hidden === null) return;
  const message = `${user} is exported and uses ${hidden}, which is not: scripts that import the library cannot name it.`;
  c.warn('badExport', message, at, `Write "export" before ${hidden} as well.`);
}

/** The first type or enum of the module in the shape that is not exported. */
function hiddenIn(shape: Shape, module: Module): string | null {
  switch (shape.kind) {
    case 'user':
      return hiddenName([...module.types.values()].find(({ userType }) => userType.key === shape.name));
    case 'enum':
      return hiddenName([...module.enums.values()].find(({ userEnum }) => userEnum.key === shape.name));
    case 'array':
    case 'matrix':
      return hiddenIn(shape.element, module);
    case 'map':
      return hiddenIn(shape.key, module) ?? hiddenIn(shape.value, module);
    case 'tuple':
      return shape.items.reduce<string | null>((found, item) => found ?? hiddenIn(item.shape, module), null);
    default:
      return null;
  }
}

function hiddenName(symbol: TypeSymbol | EnumSymbol | undefined): string | null {
  if (symbol === undefined || symbol.exported) return null;
  return 'userType' in symbol ? symbol.userType.name : symbol.userEnum.name;
}
