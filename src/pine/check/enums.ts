// The enums of a module: their members and titles.

import { isNamespace } from '../builtins/index.ts';
import { type EnumDeclaration, type EnumMember, type Member, nearestName } from '../syntax/index.ts';
import type { Checker } from './checker.ts';
import { constantValue } from './constants.ts';
import { isString, isUnknown, unknownExpr } from './shapes.ts';
import type { Expr, UserEnum } from './tree.ts';
import { isReservedTypeName } from './type-references.ts';

/** Name inside shapes: the same for a library however it is imported. */
export const keyOf = (c: Checker, name: string): string => {
  const { library } = c.place.module;
  return library === null ? name : `${library}.${name}`;
};

/** Whether a type or enum can have the name; if not, that is reported. */
export function isFreeTypeName(c: Checker, { text, span }: EnumDeclaration['name']): boolean {
  const { types, enums } = c.place.module;
  if (text === '') {
    c.broken = true;
    return false;
  }
  if (!types.has(text) && !enums.has(text) && !isReservedTypeName(text)) return true;
  c.report('redeclared', `There is already a type ${text}.`, span, 'Choose another name.');
  return false;
}

export function declareEnum(c: Checker, node: EnumDeclaration): void {
  if (!isFreeTypeName(c, node.name)) return;
  const { text: name, span } = node.name;
  if (isNamespace(name)) {
    const message = `An enum cannot be called like the namespace ${name}: ${name}.x would mean both.`;
    c.report('redeclared', message, span, 'Choose another name.');
    return;
  }
  const titles = new Map<string, string>();
  for (const member of node.members) {
    const { text } = member.name;
    if (titles.has(text))
      c.report('badEnum', `The enum ${name} has ${text} twice.`, member.name.span, 'Remove one of them.');
    else if (text !== '') titles.set(text, titleOf(c, member));
  }
  const key = keyOf(c, name);
  const members = [...titles].map(([text, title]) => ({ name: text, title }));
  const userEnum: UserEnum = { id: c.program.nextId(), name, key, members };
  c.place.module.enums.set(name, { userEnum, exported: node.exported, span });
  c.program.enums.set(key, userEnum);
}

function titleOf(c: Checker, { title: node, name }: EnumMember): string {
  if (node === null) return name.text;
  const title = c.value(node);
  if (isUnknown(title.type.shape)) return name.text;
  const value = isString(title.type.shape) ? constantValue(title) : undefined;
  if (typeof value === 'string') return value;
  c.report('badEnum', 'The title of an enum member is a text known at compile time.', node.span, 'Write it in quotes.');
  return name.text;
}

/** `Side.up`. */
export function enumMember(c: Checker, userEnum: UserEnum, node: Member): Expr {
  const { text, span } = node.property;
  if (text === '') {
    c.broken = true;
    return unknownExpr(node.span);
  }
  const names = userEnum.members.map(({ name }) => name);
  const member = names.indexOf(text);
  if (member < 0) {
    const meant = nearestName(text, names);
    const remedy = meant === null ? `It has ${names.join(', ')}.` : `Did you mean ${meant}?`;
    return c.refuse('unknownMember', `The enum ${userEnum.name} has no member ${text}.`, span, remedy);
  }
  c.refers(node, { kind: 'enum-member', name: `${userEnum.name}.${text}`, span: null });
  const shape = { kind: 'enum', name: userEnum.key } as const;
  return { kind: 'enum', userEnum, member, type: { qualifier: 'const', shape }, span: node.span };
}
