// Finds the types, enums and imports of a script by name.

import type { EnumDeclaration, ImportDeclaration, Script, TypeDeclaration } from '../syntax/index.ts';

export const typeDeclarationOf = ({ statements }: Script, name: string): TypeDeclaration | null =>
  statements.find((one): one is TypeDeclaration => one.kind === 'type' && one.name.text === name) ?? null;

export const enumDeclarationOf = ({ statements }: Script, name: string): EnumDeclaration | null =>
  statements.find((one): one is EnumDeclaration => one.kind === 'enum' && one.name.text === name) ?? null;

export const importOf = ({ statements }: Script, alias: string): ImportDeclaration | null =>
  statements.find(
    (one): one is ImportDeclaration => one.kind === 'import' && (one.alias ?? one.library).text === alias,
  ) ?? null;
