// What a hover says, as Markdown: a signature or declaration in a block of code, what it means, and its parts.

import { findFunction, findValue } from '../builtins/index.ts';
import type { ConstantEntry, ValueEntry, WordEntry } from '../builtins/model.ts';
import { type PineVersion, typeText } from '../builtins/types.ts';
import type { Span } from '../syntax/index.ts';
import { builtinForms, type CallForm, type FormParameter, parameterWords } from './forms.ts';

export interface Hover {
  /** Markdown. */
  readonly contents: string;
  /** Offsets of the words it speaks of. */
  readonly range: Span;
}

/** Nothing to say is no hover. */
export const hoverAt = ({ start, end }: Span, contents: string): Hover | null =>
  contents === '' ? null : { contents, range: { start, end } };

/** Parts that say nothing are left out. */
export const page = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n\n');

export const code = (...lines: readonly string[]): string => `\`\`\`pine\n${lines.join('\n')}\n\`\`\``;

/** All forms of a function, and each of its parameters once. */
export function formsPage(forms: readonly CallForm[]): string {
  const [first] = forms;
  if (first === undefined) return '';
  const byName = Map.groupBy(
    forms.flatMap(({ parameters }) => parameters),
    ({ name }) => name,
  );
  const rows = [...byName.values()].map(parameterRow);
  return page(
    code(...forms.map(({ signature }) => signature)),
    first.doc,
    rows.join('\n'),
    first.returns === '' ? '' : `Returns: ${first.returns}`,
  );
}

/** `- \`length\`: series int, default 14. Bars to look back.` */
export function parameterRow(alike: readonly FormParameter[]): string {
  const [first] = alike as [FormParameter];
  const types = [...new Set(alike.map(({ type }) => type))].filter((type) => type !== '');
  const allowed = [...new Set(alike.flatMap((one) => one.allowed))];
  const facts = [
    types.join(' or '),
    first.fallback === null ? '' : `default ${inCode(first.fallback)}`,
    allowed.length === 0 ? '' : `one of ${allowed.map(inCode).join(', ')}`,
  ].filter((fact) => fact !== '');
  const told = facts.length === 0 ? '' : `: ${facts.join(', ')}`;
  return `- ${inCode(first.name)}${told}${first.doc === '' ? '' : `. ${first.doc}`}`;
}

export const inCode = (text: string): string => `\`${text.replaceAll('`', "'")}\``;

export const parameterPage = (parameter: FormParameter): string =>
  page(code(parameterWords(parameter)), parameter.doc, allowedLine(parameter));

const allowedLine = ({ allowed }: FormParameter): string =>
  allowed.length === 0 ? '' : `One of ${allowed.map(inCode).join(', ')}.`;

/** A built-in by its full name; where `time` is called, the function is meant, else the variable. */
export function builtinPage(name: string, version: PineVersion, called: boolean): string {
  const value = findValue(name);
  const entry = findFunction(name);
  const forms = entry === null ? '' : formsPage(builtinForms(entry, version, null));
  const told = value?.versions.includes(version) === true ? valuePage(value, version) : '';
  return called ? forms || told : told || forms;
}

function valuePage(entry: ValueEntry, version: PineVersion): string {
  const value = entry.kind === 'constant' ? constantWords(entry, version) : '';
  return page(code(`${typeText(entry.type)} ${entry.name}${value}`), entry.doc);
}

function constantWords(entry: ConstantEntry, version: PineVersion): string {
  const value = version === 5 ? entry.valueInV5 : entry.value;
  const { shape } = entry.type;
  if (shape.kind === 'scalar' && shape.name === 'color' && typeof value === 'number')
    return ` = #${(value >>> 8).toString(16).padStart(6, '0').toUpperCase()}`;
  return '';
}

export const wordPage = ({ name, doc }: WordEntry): string => page(code(name), doc);

export const namespacePage = (name: string): string => `Namespace ${inCode(name)}.`;
