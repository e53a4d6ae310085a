// What is offered inside of a call: names of parameters, and the constants the argument may be.

import { findValue, membersOf } from '../builtins/index.ts';
import type { ValueEntry } from '../builtins/model.ts';
import { type PineVersion, typeText } from '../builtins/types.ts';
import { formsOfCallee } from './callee.ts';
import { type Candidate, plain, RANK } from './completion.ts';
import type { Document } from './document.ts';
import { type CallForm, type FormParameter, parameterWords } from './forms.ts';
import { enumMembers } from './members.ts';
import type { ArgumentPlace } from './place.ts';

export function argumentNames(document: Document, place: ArgumentPlace): Candidate[] {
  const forms = formsOfCallee(document, place.call.callee);
  const constants = forms.flatMap((form) => {
    const parameter = parameterFor(form, place);
    return parameter === null ? [] : constantsFor(document, parameter);
  });
  const names = place.bare ? forms.flatMap((form) => parameterNames(form, place)) : [];
  return onePerLabel([...constants, ...names]);
}

const onePerLabel = (found: readonly Candidate[]): Candidate[] => [
  ...new Map(found.map((candidate) => [candidate.item.label, candidate])).values(),
];

const positionOf = ({ call, argument }: ArgumentPlace): number => call.arguments.indexOf(argument);

/** By its name, or by its position when nothing before it has a name. */
export function parameterFor({ parameters }: CallForm, place: ArgumentPlace): FormParameter | null {
  const { argument, call } = place;
  if (argument.name !== null) return parameters.find(({ name }) => name === argument.name?.text) ?? null;
  const position = positionOf(place);
  if (call.arguments.slice(0, position).some(({ name }) => name !== null)) return null;
  return parameters[position] ?? null;
}

/** The parameters that have no argument yet. */
function parameterNames({ parameters }: CallForm, place: ArgumentPlace): Candidate[] {
  const { call, argument } = place;
  const given = new Set(call.arguments.flatMap((one) => (one === argument || one.name === null ? [] : one.name.text)));
  const before = call.arguments.slice(0, positionOf(place)).filter(({ name }) => name === null).length;
  // A name that already has its "=" only changes.
  const ending = argument.name === null ? ' = ' : '';
  return parameters
    .slice(before)
    .filter(({ name }) => name !== '' && !given.has(name))
    .map((parameter, i) =>
      // In the order of the signature: what must be given stands first there.
      plain(RANK.parameter + i / parameters.length, `${parameter.name} =`, 'parameter', {
        detail: parameterWords(parameter),
        documentation: parameter.doc,
        insertText: `${parameter.name}${ending}`,
      }),
    );
}

function constantsFor(document: Document, { shape, allowed }: FormParameter): Candidate[] {
  const { version } = document;
  if (allowed.length > 0) return allowed.flatMap((one) => constantsNamed(one, version));
  if (shape === null) return [];
  const symbol = document.enumOf(shape);
  if (symbol !== null) {
    const { module } = symbol;
    const alias = [...document.module.imports].find(([, library]) => library === module)?.[0];
    const path = `${alias === undefined ? '' : `${alias}.`}${symbol.symbol.userEnum.name}.`;
    return enumMembers(module, symbol.symbol, path).map(({ item }) => ({ item, rank: RANK.fitting }));
  }
  if (shape.kind === 'scalar' && shape.name === 'bool')
    return ['true', 'false'].flatMap((name) => constantsNamed(name, version));
  return shape.kind === 'scalar' && shape.name === 'color' ? constantsNamed('color.*', version) : [];
}

/** `shape.*`, `plot.style_*`, `format.price` and `"FIFO"`. */
function constantsNamed(pattern: string, version: PineVersion): Candidate[] {
  if (pattern.startsWith('"')) return [plain(RANK.fitting, pattern, 'constant', { detail: 'const string' })];
  if (!pattern.endsWith('*')) {
    const found = findValue(pattern);
    return found?.versions.includes(version) === true ? [constant(found)] : [];
  }
  const start = pattern.slice(0, -1);
  return membersOf(start.slice(0, start.lastIndexOf('.')), version)
    .filter((entry) => entry.kind === 'constant')
    .filter(({ name }) => name.startsWith(start))
    .map(constant);
}

const constant = ({ name, type, doc }: ValueEntry): Candidate =>
  plain(RANK.fitting, name, 'constant', { detail: typeText(type), documentation: doc });
