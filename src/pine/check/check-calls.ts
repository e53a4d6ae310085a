// What a call means: a function of the script, of a library or built in, a method, or a new object.

import { findFunction, isNamespace, methodsOf, suggestionFor } from '../builtins/index.ts';
import type { FunctionEntry } from '../builtins/model.ts';
import type { Shape } from '../builtins/types.ts';
import { type Call, type Member, nearestName } from '../syntax/index.ts';
import { checkArguments, dottedPath, type GivenArgument } from './arguments.ts';
import { builtinCall, finishBuiltin, resolveBuiltin, typeArgumentsOf } from './builtin-calls.ts';
import type { Checker } from './checker.ts';
import { cycleText } from './recursion.ts';
import { libraryOf, type Module, type UserFunction } from './scopes.ts';
import { describe, holdsUnknown, isUnknown, unknownExpr } from './shapes.ts';
import type { Expr } from './tree.ts';
import { takesCall, takesReceiver, userCall } from './user-calls.ts';
import { copyObject, newObject } from './user-types.ts';

export function checkCall(c: Checker, node: Call): Expr {
  const { callee } = node;
  if (callee.kind === 'identifier') return callByName(c, node, callee.name);
  if (callee.kind === 'member') return callMember(c, node, callee);
  c.value(callee);
  checkArguments(c, node);
  return c.refuse('notCallable', 'Only a function can be called.', callee.span, 'Write the name of a function.');
}

/** Functions of the name that stand above the present statement. */
const functionsOf = (module: Module, name: string, order: number): UserFunction[] =>
  (module.functions.get(name) ?? []).filter((fn) => fn.order < order);

function callByName(c: Checker, node: Call, name: string): Expr {
  const { module, order } = c.place;
  const given = checkArguments(c, node);
  const own = functionsOf(module, name, order);
  if (own.length > 0) return takesNoTypes(c, node, name) ?? userCall(c, own, given, node);
  const entry = findFunction(name);
  if (entry?.versions.includes(c.version) === true) return callBuiltin(c, entry, given, node, false);
  const later = module.functions.get(name)?.[0];
  if (later !== undefined) return usedTooEarly(c, node, later);
  if (entry !== null) return callBuiltin(c, entry, given, node, false);
  return undeclaredFunction(c, node, name);
}

function takesNoTypes(c: Checker, node: Call, name: string): Expr | null {
  if (node.typeArguments.length === 0) return null;
  return c.refuse('badTypeArguments', `${name}() takes no type in angle brackets.`, node.span);
}

function usedTooEarly(c: Checker, node: Call, later: UserFunction): Expr {
  const name = later.declaration.name.text;
  const cycle = c.wantsRemedy ? cycleText(c.place.module, c.place.functionName, name) : null;
  if (cycle !== null) {
    const message = `A function cannot call itself, also not through others: ${cycle}.`;
    return c.refuse('recursion', message, node.callee.span, 'Use a loop instead.');
  }
  const remedy = 'Move the function above the place where it is called.';
  return c.refuse('usedBeforeDeclaration', `${name}() is called before it is declared.`, node.callee.span, remedy);
}

function undeclaredFunction(c: Checker, node: Call, name: string): Expr {
  const { module, order } = c.place;
  const span = node.callee.span;
  if (c.find(name) !== null)
    return c.refuse('notCallable', `${name} is a variable, not a function.`, span, 'Leave out the parentheses.');
  if (module.types.has(name))
    return c.refuse('notCallable', `${name} is a type.`, span, `Write ${name}.new() for a new object.`);
  const own = [...module.functions].flatMap(([one, forms]) => (forms.some((fn) => fn.order < order) ? [one] : []));
  const meant = c.wantsRemedy ? (nearestName(name, own) ?? suggestionFor(name, c.version)) : null;
  return c.refuse('undeclaredFunction', `There is no function ${name}().`, span, remedyFor(meant));
}

const remedyFor = (meant: string | null): string | undefined =>
  meant === null ? undefined : meant.startsWith('the ') ? `Use ${meant}.` : `Did you mean ${meant}?`;

function callBuiltin(
  c: Checker,
  entry: FunctionEntry,
  given: readonly GivenArgument[],
  node: Call,
  method: boolean,
): Expr {
  return builtinCall(c, { entry, given, node, method, typeArguments: typeArgumentsOf(c, node) });
}

function callMember(c: Checker, node: Call, callee: Member): Expr {
  const path = dottedPath(callee);
  if (path === null || path.includes('')) return callMethod(c, node, callee, checkArguments(c, node));
  const root = path[0]!;
  const variable = c.find(root);
  const given = checkArguments(c, node);
  const library = libraryOf(c.place.module, path);
  if (variable === null && library !== undefined) return callLibrary(c, node, library, path, given);
  const constructed = path.length === 2 ? construct(c, c.place.module, path[0]!, path[1]!, given, node) : null;
  if (constructed !== null && (variable === null || path[1] === 'new')) return constructed;
  const entry = findFunction(path.join('.'));
  if (variable === null) {
    if (entry !== null) return callBuiltin(c, entry, given, node, false);
    if (isNamespace(path.slice(0, -1).join('.'))) return undeclaredFunction(c, node, path.join('.'));
    return callMethod(c, node, callee, given);
  }
  if (entry === null) return callMethod(c, node, callee, given);
  // A variable with the name of a namespace: `color.new(color, 50)` is the function, `line.delete()` the method.
  const call = { entry, given, node, method: false, typeArguments: typeArgumentsOf(c, node) };
  const resolution = resolveBuiltin(c, call);
  if (resolution.ok || !hasMethod(c, variable.variable.type.shape, callee.property.text))
    return finishBuiltin(c, call, resolution);
  return callMethod(c, node, callee, given);
}

/** `T.new(…)` and `T.copy(…)` of a type that the module declares, or null. */
function construct(
  c: Checker,
  module: Module,
  type: string,
  member: string,
  given: readonly GivenArgument[],
  node: Call,
): Expr | null {
  const symbol = module.types.get(type);
  if (symbol === undefined || (member !== 'new' && member !== 'copy')) return null;
  if (module !== c.place.module && !symbol.exported) return notExported(c, node, module, type);
  if (module === c.place.module && symbol.order > c.place.order) {
    const remedy = 'Move the type above the place where it is used.';
    return c.refuse('usedBeforeDeclaration', `${type} is used before it is declared.`, node.callee.span, remedy);
  }
  const refused = takesNoTypes(c, node, `${type}.${member}`);
  if (refused !== null) return refused;
  return (member === 'new' ? newObject : copyObject)(c, symbol.userType, given, node);
}

const notExported = (c: Checker, node: Call, library: Module, name: string): Expr =>
  c.refuse('notExported', `Library ${library.library} does not export ${name}.`, node.callee.span, 'Export it there.');

function callLibrary(
  c: Checker,
  node: Call,
  library: Module | null,
  path: readonly string[],
  given: readonly GivenArgument[],
): Expr {
  if (library === null) return unknownExpr(node.span);
  const name = path[1]!;
  if (path.length === 3) {
    const constructed = construct(c, library, name, path[2]!, given, node);
    if (constructed !== null) return constructed;
  }
  const forms = library.functions.get(name) ?? [];
  const exported = forms.filter(({ declaration }) => declaration.exported);
  if (path.length === 2 && exported.length > 0)
    return takesNoTypes(c, node, name) ?? userCall(c, exported, given, node);
  if (forms.length > 0) return notExported(c, node, library, name);
  const names = [...library.functions].flatMap(([one, all]) =>
    all.some((fn) => fn.declaration.exported) ? [one] : [],
  );
  const meant = nearestName(name, names);
  const message = `Library ${library.library} has no function ${path.slice(1).join('.')}().`;
  const remedy = library.isBuiltIn ? remedyOfBuiltIn(library, names) : remedyFor(meant);
  return c.refuse('undeclaredFunction', message, node.callee.span, remedy);
}

const remedyOfBuiltIn = ({ library }: Module, names: readonly string[]): string =>
  `With the engine come ${names.join(', ')}. For the others publish the library itself as ${library}, or hand its source in; on the command line with --library ${library}=file.pine.`;

/** The type by whose name the table knows the methods of a value. */
const methodType = (shape: Shape): string =>
  shape.kind === 'object' ? shape.name : ['array', 'matrix', 'map'].includes(shape.kind) ? shape.kind : '';

function builtinMethod(c: Checker, shape: Shape, name: string): FunctionEntry | null {
  const type = methodType(shape);
  const entry = type === '' ? null : findFunction(`${type}.${name}`);
  const known = entry?.overloads.some(({ methodOf, versions }) => methodOf === type && versions.includes(c.version));
  return known === true ? entry : null;
}

const hasMethod = (c: Checker, shape: Shape, name: string): boolean =>
  builtinMethod(c, shape, name) !== null || userMethods(c, name, shape).length > 0;

/** Methods of the script and of what it imports that take the value before the dot. */
function userMethods(c: Checker, name: string, shape: Shape): UserFunction[] {
  const { module, order } = c.place;
  const found = functionsOf(module, name, order).filter(({ declaration }) => declaration.method);
  for (const library of module.imports.values())
    for (const fn of library?.functions.get(name) ?? [])
      if (fn.declaration.method && fn.declaration.exported) found.push(fn);
  return found.filter((fn) => takesReceiver(c, fn, shape));
}

function callMethod(c: Checker, node: Call, callee: Member, given: readonly GivenArgument[]): Expr {
  const receiver = c.value(callee.object);
  const name = callee.property.text;
  if (name === '') c.broken = true;
  const { shape } = receiver.type;
  if (isUnknown(shape) || holdsUnknown(shape) || name === '') return unknownExpr(node.span);
  const all = [{ name: null, expr: receiver, span: callee.object.span }, ...given];
  const own = userMethods(c, name, shape);
  const entry = builtinMethod(c, shape, name);
  // A method of the script stands beside a built-in one of its name, and goes first where both take the arguments.
  if (own.length > 0 && (entry === null || takesCall(c, own, all, node)))
    return takesNoTypes(c, node, name) ?? userCall(c, own, all, node);
  if (entry !== null) return callBuiltin(c, entry, all, node, true);
  const userType = shape.kind === 'user' ? c.program.types.get(shape.name) : undefined;
  if (userType !== undefined && name === 'copy') return copyObject(c, userType, all, node);
  return unknownMethod(c, node, callee, shape);
}

function unknownMethod(c: Checker, node: Call, { property }: Member, shape: Shape): Expr {
  if (!c.wantsRemedy) return unknownExpr(node.span);
  const name = property.text;
  const forms = c.place.module.functions.get(name) ?? [];
  const plain = forms.some(({ declaration }) => !declaration.method);
  if (plain)
    return c.refuse(
      'notCallable',
      `${name}() is a function, not a method.`,
      node.callee.span,
      `Write "method ${name}" or call ${name}(…).`,
    );
  const known = methodType(shape) === '' ? [] : methodsOf(methodType(shape), c.version).map(({ member }) => member);
  const own = [...c.place.module.functions].flatMap(([one, all]) =>
    all.some((fn) => fn.declaration.method && takesReceiver(c, fn, shape)) ? [one] : [],
  );
  const meant = nearestName(name, [...own, ...known]);
  const type = describe({ qualifier: 'series', shape });
  return c.refuse('unknownMember', `${type} has no method ${name}().`, property.span, remedyFor(meant));
}
