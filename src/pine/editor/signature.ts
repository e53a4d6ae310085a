// Signature help: what the call around the cursor takes, and which of its parameters the cursor stands at.

import type { LibrarySource } from '../check/index.ts';
import { type Expression, MAX_SOURCE_LENGTH, nodesAt } from '../syntax/index.ts';
import type { Token } from '../syntax/tokens.ts';
import { formsOfCallee } from './callee.ts';
import { clampOffset } from './cursor.ts';
import { Document } from './document.ts';
import type { CallForm } from './forms.ts';

export interface SignatureHelp {
  /** Each way in which it can be called. */
  readonly forms: readonly { readonly signature: string; readonly parameter: string | null; readonly doc: string }[];
  /** The first of them that still fits what is written. */
  readonly active: number;
  /** Where the call's parenthesis opens. */
  readonly opensAt: number;
}

export function signatureAt(
  source: string,
  offset: number,
  libraries: readonly LibrarySource[] = [],
): SignatureHelp | null {
  if (source.length > MAX_SOURCE_LENGTH) return null;
  const at = clampOffset(source, offset);
  const document = new Document(source, libraries);
  if (document.comments.some(({ start, end }) => start < at && at <= end)) return null;
  const words = document.tokens.filter(({ start, end }) => end > start && start < at);
  const call = openCall(words);
  const callee = call === null ? null : calleeBefore(document, words, call.opener);
  if (call === null || callee === null) return null;
  const found = formsOfCallee(document, callee);
  const forms = found.map((form) => ({ signature: form.signature, doc: form.doc, parameter: parameterOf(form, call) }));
  if (forms.length === 0) return null;
  const fitting = forms.findIndex(({ parameter }) => parameter !== null);
  return { forms, active: Math.max(0, fitting), opensAt: words[call.opener]!.start };
}

interface OpenCall {
  /** The index of its parenthesis among the words. */
  readonly opener: number;
  /** How many commas of its own stand before the cursor. */
  readonly position: number;
  /** The name before the "=" of the argument at the cursor. */
  readonly name: string | null;
}

/** The innermost parenthesis that is open at the end of the words. */
function openCall(words: readonly Token[]): OpenCall | null {
  let closed = 0;
  let position = 0;
  let argument = words.length;
  for (let index = words.length - 1; index >= 0; index--) {
    const { kind, text } = words[index]!;
    if (kind !== 'operator') continue;
    if (text === ')' || text === ']') closed += 1;
    else if ((text === '(' || text === '[') && closed > 0) closed -= 1;
    else if (text === '[' && closed === 0) return null;
    else if (text === '(')
      return { opener: index, position, name: nameAt(words, position === 0 ? index + 1 : argument) };
    else if (text === ',' && closed === 0) {
      if (position === 0) argument = index + 1;
      position += 1;
    }
  }
  return null;
}

function nameAt(words: readonly Token[], index: number): string | null {
  const [name, equals] = [words[index], words[index + 1]];
  return name?.kind === 'name' && equals?.text === '=' ? name.text : null;
}

/** What stands before the parenthesis, if it is something that can be called. */
function calleeBefore(document: Document, words: readonly Token[], opener: number): Expression | null {
  const last = words[opener - 1];
  if (last?.kind !== 'name' || last.end > words[opener]!.start) return null;
  const path = nodesAt(document.script, last.start);
  const call = path.findLast((node) => node.kind === 'call' && node.callee.span.end === last.end);
  return call?.kind === 'call' ? call.callee : null;
}

function parameterOf({ parameters }: CallForm, { name, position }: OpenCall): string | null {
  if (name !== null) return parameters.find((parameter) => parameter.name === name)?.name ?? null;
  return parameters[position]?.name ?? null;
}
