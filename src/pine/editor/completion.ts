// What completion offers: the items, and how built-ins and declarations of the script become items.

import type { Entry, WordEntry } from '../builtins/model.ts';
import { type PineVersion, typeText } from '../builtins/types.ts';
import type { UserFunction } from '../check/scopes.ts';
import type { Document } from './document.ts';
import { builtinForms, type CallForm, userForm } from './forms.ts';

export type CompletionKind =
  | 'function'
  | 'variable'
  | 'constant'
  | 'keyword'
  | 'type'
  | 'namespace'
  | 'method'
  | 'field'
  | 'enum'
  | 'enumMember'
  | 'parameter'
  | 'snippet'
  | 'annotation';

export interface Completion {
  readonly label: string;
  readonly kind: CompletionKind;
  /** The signature or the type. */
  readonly detail: string;
  readonly documentation: string;
  readonly insertText: string;
  /** A snippet has places to fill in: `${1:length}`. */
  readonly insertTextFormat: 'snippet' | 'plaintext';
}

/** What stands first in the list, where the beginnings fit equally well. */
export const RANK = { fitting: 0, parameter: 1, own: 2, builtin: 3, namespace: 4, word: 5, snippet: 6 } as const;

export interface Candidate {
  readonly item: Completion;
  readonly rank: number;
}

interface Told {
  readonly detail?: string;
  readonly documentation?: string;
  /** Where another text than the label is inserted. */
  readonly insertText?: string;
}

export function plain(rank: number, label: string, kind: CompletionKind, told: Told = {}): Candidate {
  const { detail = '', documentation = '', insertText = label } = told;
  return { rank, item: { label, kind, detail, documentation, insertText, insertTextFormat: 'plaintext' } };
}

export function snippet(rank: number, label: string, kind: CompletionKind, insertText: string, told: Told): Candidate {
  const { detail = '', documentation = '' } = told;
  return { rank, item: { label, kind, detail, documentation, insertText, insertTextFormat: 'snippet' } };
}

/** A function with places for what must be given; only its name where the parenthesis already stands. */
export function callable(
  rank: number,
  label: string,
  kind: CompletionKind,
  forms: readonly CallForm[],
  called: boolean,
): Candidate {
  const [form] = forms;
  const more = forms.length > 1 ? ` (and ${forms.length - 1} more)` : '';
  const told = { detail: `${form?.signature ?? label}${more}`, documentation: form?.doc ?? '' };
  if (called || form === undefined) return plain(rank, label, kind, told);
  const types = ['float', 'string'].slice(0, form.typeArguments).map((type, i) => `\${${i + 1}:${type}}`);
  const brackets = types.length === 0 ? '' : `<${types.join(', ')}>`;
  const needed = form.parameters.filter(({ fallback }) => fallback === null);
  const places = needed.map(({ name }, i) => `\${${types.length + i + 1}:${name}}`);
  const open = places.length === 0 && form.parameters.length > 0 ? [`$${types.length + 1}`] : places;
  if (brackets === '' && open.length === 0) return plain(rank, label, kind, { ...told, insertText: `${label}()` });
  return snippet(rank, label, kind, `${label}${brackets}(${open.join(', ')})`, told);
}

/** A built-in under its full name, or under its member's where the namespace already stands. */
export function builtin(entry: Entry, label: string, version: PineVersion, called: boolean): Candidate {
  if (entry.kind === 'function')
    return callable(RANK.builtin, label, 'function', builtinForms(entry, version, null), called);
  return plain(RANK.builtin, label, entry.kind, { detail: typeText(entry.type), documentation: entry.doc });
}

export function ownFunction(
  document: Document,
  forms: readonly UserFunction[],
  called: boolean,
  method: boolean,
): Candidate {
  const name = forms[0]!.declaration.name.text;
  const told = forms.map((fn) => userForm(document, fn, method));
  return callable(RANK.own, name, method ? 'method' : 'function', told, called);
}

export const word = ({ name, doc, kind }: WordEntry): Candidate =>
  plain(RANK.word, name, kind === 'type' ? 'type' : 'keyword', { documentation: doc });
