// Hovers of names where they are used: variables, functions, namespaces, and what stands after a dot.

import { findFunction, isNamespace } from '../builtins/index.ts';
import { fieldsOf } from '../builtins/object-fields.ts';
import { methodTypeOf } from '../builtins/signature-text.ts';
import { typeText } from '../builtins/types.ts';
import { dottedPath } from '../check/arguments.ts';
import type { Declaration } from '../check/index.ts';
import type { Identifier, Member } from '../syntax/index.ts';
import { formsOfCallee } from './callee.ts';
import type { Document } from './document.ts';
import { builtinForms } from './forms.ts';
import {
  enumMemberPage,
  enumPage,
  exportPage,
  fieldPage,
  importPage,
  ownFunctionPage,
  typePage,
  variablePage,
} from './hover-own.ts';
import { builtinPage, code, formsPage, type Hover, hoverAt, namespacePage } from './hover-text.ts';

export function hoverOfName(document: Document, node: Identifier, called: boolean): Hover | null {
  const { name, span } = node;
  const { module } = document;
  const declared = document.info.declarationOf(node);
  if (declared !== null) return hoverAt(span, declaredPage(document, declared, called));
  const variable = document.variableAt(name, span.start);
  if (variable !== null) return hoverAt(span, variablePage(document, variable.span));
  if (module.imports.has(name)) return hoverAt(span, importPage(document, name));
  if (module.types.has(name)) return hoverAt(span, typePage(document, module, name));
  const found = module.enums.get(name);
  if (found !== undefined) return hoverAt(span, enumPage(module, found));
  return hoverAt(span, formsPage(formsOfCallee(document, node)));
}

function declaredPage(document: Document, { kind, name, span }: Declaration, called: boolean): string {
  if (kind === 'builtin') return builtinPage(name, document.version, called);
  if (span === null) return '';
  const isFunction = kind === 'function' || kind === 'method';
  return isFunction ? ownFunctionPage(document, name, span) : variablePage(document, span);
}

export function hoverOfMember(document: Document, node: Member, called: boolean): Hover | null {
  const { span, property } = node;
  const path = dottedPath(node);
  const declared = document.info.declarationOf(node);
  if (declared?.kind === 'builtin') {
    const method = path?.join('.') !== declared.name;
    const name = declared.name;
    const contents = method ? methodPage(document, node, name) : builtinPage(name, document.version, called);
    return hoverAt(method ? property.span : span, contents);
  }
  if (declared?.kind === 'function' || declared?.kind === 'method') {
    if (declared.span !== null) return hoverAt(property.span, declaredPage(document, declared, called));
  }
  const field = fieldOfValue(document, node);
  if (field !== '') return hoverAt(property.span, field);
  const forms = formsPage(formsOfCallee(document, node));
  if (forms !== '') return hoverAt(path === null ? property.span : span, forms);
  return path === null ? null : hoverAt(span, pathPage(document, path));
}

/** The forms that take the value before the dot. */
function methodPage({ info, version }: Document, { object }: Member, name: string): string {
  const entry = findFunction(name);
  const receiver = info.typeOf(object);
  if (entry === null || receiver === null) return '';
  return formsPage(builtinForms(entry, version, methodTypeOf(receiver.shape)));
}

function fieldOfValue(document: Document, { object, property }: Member): string {
  const type = document.info.typeOf(object);
  if (type === null) return '';
  if (type.shape.kind === 'object') {
    const field = fieldsOf(type.shape.name).get(property.text);
    return field === undefined ? '' : code(`${typeText(field)} ${type.shape.name}.${property.text}`);
  }
  const found = document.typeOf(type.shape);
  return found === null ? '' : fieldPage(found.module, found.symbol.userType.name, property.text);
}

/** Enum members, exports of libraries, built-ins and namespaces, by their words. */
function pathPage(document: Document, path: readonly string[]): string {
  const { module, version } = document;
  const [root = '', name = '', member = ''] = path;
  const library = module.imports.get(root);
  if (library !== undefined) return library === null ? '' : exportPage(document, library, name, member);
  const own = path.length === 2 ? module.enums.get(root) : undefined;
  if (own !== undefined) return enumMemberPage(module, own, name);
  const full = path.join('.');
  const found = builtinPage(full, version, false);
  return found === '' && isNamespace(full) ? namespacePage(full) : found;
}
