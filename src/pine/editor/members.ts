// What may follow a dot: members of a namespace, an enum, a type or a library, and fields and methods of a value.

import { isNamespace, membersOf, methodsOf, namespacesIn } from '../builtins/index.ts';
import { fieldsOf } from '../builtins/object-fields.ts';
import { methodTypeOf } from '../builtins/signature-text.ts';
import { type Shape, typeText } from '../builtins/types.ts';
import type { EnumSymbol, Module, TypeSymbol } from '../check/scopes.ts';
import { isUnknown } from '../check/shapes.ts';
import type { Expression } from '../syntax/index.ts';
import { annotated } from './annotated.ts';
import { methodsOn } from './callee.ts';
import { builtin, type Candidate, callable, ownFunction, plain, RANK } from './completion.ts';
import { type Document, shapeWords, typeWords } from './document.ts';
import { builtinForms, newForm } from './forms.ts';
import { enumDeclarationOf, typeDeclarationOf } from './own-declarations.ts';

interface Asked {
  readonly document: Document;
  readonly offset: number;
  readonly called: boolean;
}

/** The expression before the dot, or its words where it could not be read. */
export function memberNames(asked: Asked, object: Expression | null, path: readonly string[] | null): Candidate[] {
  const { document, offset } = asked;
  const [root = ''] = path ?? [];
  // In `var lib.` the parser takes the alias for the name of a new variable.
  const declares = object === null && (document.module.imports.has(root) || document.module.types.has(root));
  const variable = path === null || declares ? null : document.variableAt(root, offset);
  const shape = shapeBefore(document, object, path?.length === 1 ? variable : null);
  const ofValue = shape === null ? [] : membersOfValue(asked, shape);
  if (path === null) return ofValue;
  const ofName = variable === null ? membersOfOwn(asked, path) : null;
  return ofName ?? [...ofValue, ...membersOfNamespace(asked, path.join('.'))];
}

function shapeBefore(document: Document, object: Expression | null, variable: ReturnType<Document['variableAt']>) {
  const type = object === null ? null : document.info.typeOf(object);
  if (type !== null && !isUnknown(type.shape)) return type.shape;
  return variable === null ? null : (document.typeDeclaredAt(variable.span)?.shape ?? null);
}

function membersOfNamespace({ document: { version }, called }: Asked, name: string): Candidate[] {
  if (!isNamespace(name)) return [];
  const members = membersOf(name, version).map((entry) => builtin(entry, entry.member, version, called));
  const inner = namespacesIn(name).map((full) => plain(RANK.namespace, full.slice(name.length + 1), 'namespace'));
  return [...members, ...inner];
}

/** Members of something the script declares or imports; null when the words name no such thing. */
function membersOfOwn(asked: Asked, path: readonly string[]): Candidate[] | null {
  const { module } = asked.document;
  const [root = '', inner = ''] = path;
  const library = module.imports.get(root);
  if (library !== undefined) {
    if (library === null) return [];
    return path.length === 1 ? exportsOf(asked, library) : membersDeclared(asked, library, inner);
  }
  return path.length === 1 ? membersDeclared(asked, module, root) : null;
}

function membersDeclared(asked: Asked, module: Module, name: string): Candidate[] | null {
  const found = module.enums.get(name);
  if (found !== undefined) return enumMembers(module, found);
  const type = module.types.get(name);
  return type === undefined ? null : constructors(asked, module, type);
}

export function enumMembers({ script }: Module, { userEnum }: EnumSymbol, path = ''): Candidate[] {
  const declaration = enumDeclarationOf(script, userEnum.name);
  const parts = declaration === null ? null : annotated(script, declaration).parts;
  return userEnum.members.map(({ name, title }) =>
    plain(RANK.own, `${path}${name}`, 'enumMember', {
      detail: title === name ? userEnum.name : `${userEnum.name} "${title}"`,
      documentation: parts?.get(name) ?? '',
    }),
  );
}

function constructors({ document, called }: Asked, module: Module, symbol: TypeSymbol): Candidate[] {
  const { name } = symbol.userType;
  const copy = { detail: `${name}.copy(object: ${name}) → ${name}`, insertText: called ? 'copy' : 'copy()' };
  return [
    callable(RANK.own, 'new', 'function', [newForm(document, module, symbol)], called),
    plain(RANK.own, 'copy', 'function', copy),
  ];
}

function exportsOf({ document, called }: Asked, library: Module): Candidate[] {
  const functions = [...library.functions.values()]
    .map((forms) => forms.filter(({ declaration }) => declaration.exported))
    .filter((forms) => forms.length > 0)
    .map((forms) => ownFunction(document, forms, called, false));
  const types = [...library.types.values()]
    .filter(({ exported }) => exported)
    .map(({ userType: { name } }) => plain(RANK.own, name, 'type', { detail: `type ${name}` }));
  const enums = [...library.enums.values()]
    .filter(({ exported }) => exported)
    .map(({ userEnum: { name } }) => plain(RANK.own, name, 'enum', { detail: `enum ${name}` }));
  const constants = [...library.globals.names.values()]
    .filter(({ exported }) => exported)
    .map(({ variable: { name, type } }) => plain(RANK.own, name, 'constant', { detail: typeWords(type) }));
  return [...functions, ...types, ...enums, ...constants];
}

function membersOfValue({ document, called }: Asked, shape: Shape): Candidate[] {
  const own = Map.groupBy(methodsOn(document, shape), ({ declaration }) => declaration.name.text);
  const methods = [...own.values()].map((forms) => ownFunction(document, forms, called, true));
  const builtins = builtinMethods(document, shape, called).filter(({ item }) => !own.has(item.label));
  return [...fieldsOfValue(document, shape), ...methods, ...builtins];
}

function fieldsOfValue(document: Document, shape: Shape): Candidate[] {
  if (shape.kind === 'object')
    return [...fieldsOf(shape.name)].map(([name, type]) => plain(RANK.own, name, 'field', { detail: typeText(type) }));
  const found = document.typeOf(shape);
  if (found === null) return [];
  const { module, symbol } = found;
  const declaration = typeDeclarationOf(module.script, symbol.userType.name);
  const parts = declaration === null ? null : annotated(module.script, declaration).parts;
  return symbol.fields.map(({ name, shape: of }) =>
    plain(RANK.own, name, 'field', {
      detail: shapeWords(of),
      documentation: parts?.get(name) ?? '',
    }),
  );
}

function builtinMethods({ version }: Document, shape: Shape, called: boolean): Candidate[] {
  if (shape.kind === 'user') {
    const told = { detail: 'copy()', documentation: 'A new object with the same fields.' };
    return [plain(RANK.builtin, 'copy', 'method', { ...told, insertText: called ? 'copy' : 'copy()' })];
  }
  const owner = methodTypeOf(shape);
  if (owner === null) return [];
  return methodsOf(owner, version).map((entry) =>
    callable(RANK.builtin, entry.member, 'method', builtinForms(entry, version, owner), called),
  );
}
