// What hovers say of the things a script declares: variables, functions, types and their fields, enums and imports.

import type { EnumSymbol, Module } from '../check/scopes.ts';
import type { Node, Span } from '../syntax/index.ts';
import { annotated } from './annotated.ts';
import { type Document, shapeWords, typeWords } from './document.ts';
import { newForm, userForm } from './forms.ts';
import { code, formsPage, inCode, page, parameterRow } from './hover-text.ts';
import { enumDeclarationOf, importOf, typeDeclarationOf } from './own-declarations.ts';

/** A variable, parameter or counter by the span of its name: `var series float total`. */
export function variablePage(document: Document, span: Span): string {
  const { module } = document;
  const declaration = document.declarationAt(span);
  if (declaration === null) return '';
  const mode = declaration.kind === 'variable' && declaration.mode !== null ? declaration.mode : '';
  const name = document.text(module, span);
  const line = [mode, typeWords(document.typeDeclaredAt(span)), name].filter((part) => part !== '').join(' ');
  return page(code(line), noteOf(document, declaration, name));
}

/** Above a variable its own annotation, above a function that of the parameter. */
function noteOf({ script }: Document, declaration: Node, name: string): string {
  if (declaration.kind !== 'parameter') return annotated(script, declaration).description;
  const owner = script.statements.find((one) => one.kind === 'function' && one.parameters.includes(declaration));
  return owner === undefined ? '' : (annotated(script, owner).parts.get(name) ?? '');
}

/** The forms of the script's own function whose name stands at the span. */
export function ownFunctionPage(document: Document, name: string, span: Span): string {
  const forms = document.module.functions.get(name) ?? [];
  const meant = forms.filter(({ declaration }) => declaration.name.span.start === span.start);
  return formsPage(meant.map((fn) => userForm(document, fn)));
}

export function typePage(document: Document, module: Module, name: string): string {
  const symbol = module.types.get(name);
  if (symbol === undefined) return '';
  const { parameters, doc } = newForm(document, module, symbol);
  const rows = parameters.map((parameter) => parameterRow([parameter]));
  return page(code(`type ${name}`), doc, rows.join('\n'));
}

export function fieldPage(module: Module, type: string, name: string): string {
  const field = module.types.get(type)?.fields.find((one) => one.name === name);
  const declaration = typeDeclarationOf(module.script, type);
  if (field === undefined || declaration === null) return '';
  return page(
    code(`${shapeWords(field.shape)} ${type}.${name}`),
    annotated(module.script, declaration).parts.get(name) ?? '',
  );
}

export function enumPage({ script }: Module, { userEnum }: EnumSymbol): string {
  const declaration = enumDeclarationOf(script, userEnum.name);
  const notes = declaration === null ? null : annotated(script, declaration);
  const rows = userEnum.members.map(({ name, title }) => {
    const doc = notes?.parts.get(name) ?? '';
    return `- ${inCode(name)}${title === name ? '' : `: "${title}"`}${doc === '' ? '' : `. ${doc}`}`;
  });
  return page(code(`enum ${userEnum.name}`), notes?.description ?? '', rows.join('\n'));
}

export function enumMemberPage({ script }: Module, { userEnum }: EnumSymbol, name: string): string {
  const member = userEnum.members.find((one) => one.name === name);
  if (member === undefined) return '';
  const declaration = enumDeclarationOf(script, userEnum.name);
  const doc = declaration === null ? '' : annotated(script, declaration).parts.get(name);
  return page(code(`${userEnum.name}.${name} = ${JSON.stringify(member.title)}`), doc ?? '');
}

export function importPage({ script }: Document, alias: string): string {
  const found = importOf(script, alias);
  if (found === null) return '';
  return code(`import ${found.publisher.text}/${found.library.text}/${found.version} as ${alias}`);
}

/** What a library exports under a name, or a member of an enum it exports. */
export function exportPage(document: Document, library: Module, name: string, member: string): string {
  const found = library.enums.get(name);
  if (found?.exported === true)
    return member === '' ? enumPage(library, found) : enumMemberPage(library, found, member);
  if (library.types.get(name)?.exported === true) return typePage(document, library, name);
  const constant = library.globals.names.get(name);
  return constant?.exported === true ? code(`${typeWords(constant.variable.type)} ${name}`.trim()) : '';
}
