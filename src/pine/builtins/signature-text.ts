// Writes a signature out in words, for hovers, completion and the reference.

import { defaultOf, type Overload, type Parameter, parameterType, type Result } from './model.ts';
import { type PineVersion, type Shape, shapeText, TYPE_VARIABLES, typeOf, typeText } from './types.ts';

/** `length: series int`, `biased: series bool = true`, `...number: series float`. */
export function parameterText(parameter: Parameter, version: PineVersion): string {
  const { name, variadic } = parameter;
  const fallback = defaultOf(parameter, version);
  const words = fallback === null ? '' : fallback.inWords ? ` = (${fallback.text})` : ` = ${fallback.text}`;
  return `${variadic ? '...' : ''}${name}: ${typeText(parameterType(parameter, version))}${words}`;
}

export function resultText({ shape, qualifier, fromArguments }: Result): string {
  const text = typeText(typeOf(qualifier, shape));
  return fromArguments ? text.replace(qualifier, `${qualifier}…series`) : text;
}

/** `ta.sma(source: series float, length: series int) → series float` */
export function signatureText(name: string, overload: Overload, version: PineVersion): string {
  const types = overload.typeArguments.map((variable) => TYPE_VARIABLES[variable].accepts);
  const brackets = types.length === 0 ? '' : `<${types.join(', ')}>`;
  const parameters = overload.parameters
    .filter((parameter) => parameter.versions.includes(version))
    .map((parameter) => parameterText(parameter, version));
  return `${name}${brackets}(${parameters.join(', ')}) → ${resultText(overload.result)}`;
}

/** The name under which a type's methods are found: `array` of `array<float>`, `line` of `series line`; else null. */
export function methodTypeOf(shape: Shape): string | null {
  if (shape.kind === 'array' || shape.kind === 'matrix' || shape.kind === 'map') return shape.kind;
  return shape.kind === 'object' ? shapeText(shape) : null;
}
