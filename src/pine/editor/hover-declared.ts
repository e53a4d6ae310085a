// Hovers of names where they are declared, of the names of arguments, and of types.

import { findWord } from '../builtins/index.ts';
import type { Name, Node, TypeReference } from '../syntax/index.ts';
import { parameterFor } from './call-arguments.ts';
import { formsOfCallee } from './callee.ts';
import type { Document } from './document.ts';
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
import { type Hover, hoverAt, parameterPage, wordPage } from './hover-text.ts';

/** The name, which is the last of the path, and what holds it. */
export function hoverOfDeclared(document: Document, path: readonly Node[], node: Name): Hover | null {
  return hoverAt(node.span, pageOf(document, path, node));
}

function pageOf(document: Document, path: readonly Node[], node: Name): string {
  const { module } = document;
  const parent = path[path.length - 2];
  const above = path[path.length - 3];
  switch (parent?.kind) {
    case 'variable':
    case 'tuple-declaration':
    case 'parameter':
    case 'for':
    case 'for-in':
      return variablePage(document, node.span);
    case 'function':
      return ownFunctionPage(document, node.text, node.span);
    case 'type':
      return typePage(document, module, node.text);
    case 'field':
      return above?.kind === 'type' ? fieldPage(module, above.name.text, node.text) : '';
    case 'enum': {
      const found = module.enums.get(node.text);
      return found === undefined ? '' : enumPage(module, found);
    }
    case 'enum-member': {
      const found = above?.kind === 'enum' ? module.enums.get(above.name.text) : undefined;
      return found === undefined ? '' : enumMemberPage(module, found, node.text);
    }
    case 'import':
      return importPage(document, (parent.alias ?? parent.library).text);
    case 'argument': {
      if (above?.kind !== 'call') return '';
      const place = { call: above, argument: parent, bare: false };
      const found = formsOfCallee(document, above.callee).flatMap((form) => parameterFor(form, place) ?? []);
      return found[0] === undefined ? '' : parameterPage(found[0]);
    }
    case 'type-reference':
      return referencePage(document, parent, node);
    default:
      return '';
  }
}

function referencePage(document: Document, { path }: TypeReference, node: Name): string {
  const { module } = document;
  const [root] = path;
  const library = root === undefined ? undefined : module.imports.get(root.text);
  if (library !== undefined && path.length === 2) {
    if (node === root) return importPage(document, root.text);
    return library === null ? '' : exportPage(document, library, node.text, '');
  }
  const own = typePage(document, module, node.text);
  const found = module.enums.get(node.text);
  if (own !== '' || found !== undefined) return found === undefined ? own : enumPage(module, found);
  const word = findWord(path.map(({ text }) => text).join('.')) ?? findWord(node.text);
  return word === null ? '' : wordPage(word);
}
