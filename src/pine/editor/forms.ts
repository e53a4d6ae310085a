// The forms in which something can be called, alike for built-ins, the script's own functions, libraries and new objects.

import { defaultOf, type FunctionEntry, parameterType } from '../builtins/model.ts';
import { signatureText } from '../builtins/signature-text.ts';
import { type PineVersion, type Shape, typeOf, typeText } from '../builtins/types.ts';
import type { Module, TypeSymbol, UserFunction } from '../check/scopes.ts';
import type { FunctionInstance } from '../check/tree.ts';
import { annotated } from './annotated.ts';
import { type Document, shapeWords, typeWords } from './document.ts';

export interface FormParameter {
  readonly name: string;
  /** In words; empty where it takes what comes. */
  readonly type: string;
  readonly shape: Shape | null;
  /** As it is written, or in words between parentheses; null: it must be given. */
  readonly fallback: string | null;
  /** What an argument must be one of, such as `shape.*`; empty: anything. */
  readonly allowed: readonly string[];
  readonly doc: string;
}

export interface CallForm {
  readonly signature: string;
  readonly parameters: readonly FormParameter[];
  readonly typeArguments: number;
  readonly doc: string;
  readonly returns: string;
}

/** The forms a version has. Of a method, those with a value before the dot, which is no parameter any more. */
export function builtinForms(entry: FunctionEntry, version: PineVersion, methodOf: string | null): CallForm[] {
  return entry.overloads
    .filter((form) => form.versions.includes(version) && (methodOf === null || form.methodOf === methodOf))
    .map((form) => ({
      signature: signatureText(entry.name, form, version),
      parameters: form.parameters
        .slice(methodOf === null ? 0 : 1)
        .filter(({ versions }) => versions.includes(version))
        .map((parameter): FormParameter => {
          const { name, allowed } = parameter;
          const type = parameterType(parameter, version);
          const fallback = defaultOf(parameter, version);
          const words = fallback === null ? null : fallback.inWords ? `(${fallback.text})` : fallback.text;
          return { name, type: typeText(type), shape: type.shape, fallback: words, allowed, doc: '' };
        }),
      typeArguments: form.typeArguments.length,
      doc: entry.doc,
      returns: '',
    }));
}

export function userForm(document: Document, fn: UserFunction, method = false): CallForm {
  const { declaration, module } = fn;
  const { description, returns, parts } = annotated(module.script, declaration);
  const instances = [...fn.instances.values()];
  const parameters = fn.parameters.map(({ node, name, shape, qualifier }, i): FormParameter => {
    const type =
      shape === null
        ? inferred(instances, i)
        : qualifier === null
          ? shapeWords(shape)
          : typeWords(typeOf(qualifier, shape));
    const fallback = node.defaultValue === null ? null : document.text(module, node.defaultValue.span);
    return { name, type, shape, fallback, allowed: [], doc: parts.get(name) ?? '' };
  });
  return {
    signature: `${declaration.name.text}(${parameters.map(parameterWords).join(', ')})${resultOf(instances)}`,
    parameters: parameters.slice(method ? 1 : 0),
    typeArguments: 0,
    doc: description,
    returns,
  };
}

/** `length: series int = 14`. */
export const parameterWords = ({ name, type, fallback }: FormParameter): string =>
  `${name}${type === '' ? '' : `: ${type}`}${fallback === null ? '' : ` = ${fallback}`}`;

/** A parameter without a type has the one of its only use; where it is used with several, none is told. */
const inferred = (instances: readonly FunctionInstance[], at: number): string =>
  same(
    instances.flatMap(({ parameters }) => (parameters[at] === undefined ? [] : shapeWords(parameters[at].type.shape))),
  );

/** What all uses answer; how early it is known depends on the arguments. */
function resultOf(instances: readonly FunctionInstance[]): string {
  const result = same(instances.map(({ result: { shape } }) => shapeWords(shape)));
  return result === '' ? '' : ` → ${result}`;
}

const same = (texts: readonly string[]): string => (new Set(texts).size === 1 ? texts[0]! : '');

/** `Point.new(x: float = 0, y: float = na)`: every field may be left out. */
export function newForm(document: Document, module: Module, { userType }: TypeSymbol): CallForm {
  const declaration = module.script.statements.find(
    (statement) => statement.kind === 'type' && statement.name.text === userType.name,
  );
  const notes = declaration === undefined ? null : annotated(module.script, declaration);
  const fields = declaration?.kind === 'type' ? declaration.fields : [];
  const parameters = userType.fields.map(({ name, shape }): FormParameter => {
    const written = fields.find((field) => field.name.text === name)?.defaultValue ?? null;
    const fallback = written === null ? 'na' : document.text(module, written.span);
    const doc = notes?.parts.get(name) ?? '';
    return { name, type: shapeWords(shape), shape, fallback, allowed: [], doc };
  });
  return {
    signature: `${userType.name}.new(${parameters.map(parameterWords).join(', ')}) → ${userType.name}`,
    parameters,
    typeArguments: 0,
    doc: notes?.description ?? '',
    returns: '',
  };
}
