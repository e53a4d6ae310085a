// What a call calls, as far as it can be told while it is still being written.

import { findFunction } from '../builtins/index.ts';
import { methodTypeOf } from '../builtins/signature-text.ts';
import type { Shape } from '../builtins/types.ts';
import { dottedPath } from '../check/arguments.ts';
import type { Module, UserFunction } from '../check/scopes.ts';
import { fits, isUnknown } from '../check/shapes.ts';
import type { Expression, Member } from '../syntax/index.ts';
import type { Document } from './document.ts';
import { builtinForms, type CallForm, newForm, userForm } from './forms.ts';

/** All forms of what stands before the parenthesis; none when it is not known. */
export function formsOfCallee(document: Document, callee: Expression): CallForm[] {
  if (callee.kind === 'identifier') return formsOfName(document, callee.name);
  if (callee.kind !== 'member') return [];
  const path = dottedPath(callee);
  const [root = ''] = path ?? [];
  if (path === null || document.variableAt(root, callee.span.start) !== null) {
    const methods = formsOfMethod(document, callee);
    if (methods.length > 0 || path === null) return methods;
  }
  const library = document.module.imports.get(root);
  if (library !== undefined) return library === null ? [] : formsInLibrary(document, library, path.slice(1));
  const constructed = path.length === 2 ? formsOfNew(document, document.module, root, path[1]!) : [];
  if (constructed.length > 0) return constructed;
  const named = formsOfName(document, path.join('.'));
  return named.length > 0 ? named : formsOfMethod(document, callee);
}

function formsOfName(document: Document, name: string): CallForm[] {
  const own = document.module.functions.get(name) ?? [];
  if (own.length > 0) return own.map((fn) => userForm(document, fn));
  const entry = findFunction(name);
  return entry === null ? [] : builtinForms(entry, document.version, null);
}

function formsInLibrary(document: Document, library: Module, path: readonly string[]): CallForm[] {
  const [name = '', member = ''] = path;
  if (path.length === 2) return formsOfNew(document, library, name, member);
  const forms = library.functions.get(name) ?? [];
  return forms.filter(({ declaration }) => declaration.exported).map((fn) => userForm(document, fn));
}

function formsOfNew(document: Document, module: Module, type: string, member: string): CallForm[] {
  const symbol = module.types.get(type);
  return symbol === undefined || member !== 'new' ? [] : [newForm(document, module, symbol)];
}

function formsOfMethod(document: Document, callee: Member): CallForm[] {
  const type = document.info.typeOf(callee.object);
  if (type === null || isUnknown(type.shape)) return [];
  const own = methodsOn(document, type.shape).filter(({ declaration: { name } }) => name.text === callee.property.text);
  if (own.length > 0) return own.map((fn) => userForm(document, fn, true));
  const owner = methodTypeOf(type.shape);
  const entry = owner === null ? null : findFunction(`${owner}.${callee.property.text}`);
  return entry === null ? [] : builtinForms(entry, document.version, owner);
}

/** The methods of the script, and those its libraries export, that take a value of the shape before the dot. */
export function methodsOn(document: Document, shape: Shape): UserFunction[] {
  const { module, version } = document;
  const own = [...module.functions.values()].flat();
  const foreign = [...module.imports.values()]
    .flatMap((library) => [...(library?.functions.values() ?? [])].flat())
    .filter(({ declaration }) => declaration.exported);
  return [...own, ...foreign].filter(({ declaration, parameters: [first] }) => {
    if (!declaration.method || first === undefined) return false;
    return first.shape === null || fits(shape, first.shape, version);
  });
}
