// Picks the overload a call means and binds its arguments to parameters, or says exactly what is wrong with the call.

import {
  type Argument,
  type Call,
  type Callee,
  type Refused,
  type Resolution,
  type Resolved,
  refuse,
  type Slot,
} from './call.ts';
import { type Overload, type Parameter, parameterType } from './model.ts';
import { placeArguments } from './place-arguments.ts';
import { TypeBindings } from './type-bindings.ts';
import {
  laterQualifier,
  NA,
  type PineType,
  type PineVersion,
  type Qualifier,
  qualifierFits,
  type Shape,
  shapeText,
  TYPE_VARIABLES,
  tupleOf,
  typeOf,
  typeText,
} from './types.ts';

/** How far an overload got before it failed: the one that got furthest is the one the message speaks of. */
interface Attempt {
  readonly refused: Refused;
  readonly matched: number;
}

const KNOWN_BY: Readonly<Record<Qualifier, string>> = {
  const: 'it must be known at compile time',
  input: 'it must be a constant or an input',
  simple: 'it must not change from bar to bar',
  series: '',
};

/** The first overload, in the order of the table, that takes the arguments. */
export function resolveOverload(callee: Callee, call: Call): Resolution {
  const available = callee.overloads.filter((overload) => overload.versions.includes(call.version));
  if (available.length === 0) return refuse('version', missingInVersion(callee, call.version));
  let best: Attempt | null = null;
  for (const overload of available) {
    const outcome = tryOverload(callee, overload, call);
    if ('ok' in outcome) return outcome;
    if (best === null || outcome.matched > best.matched) best = outcome;
  }
  return best!.refused;
}

function missingInVersion({ name }: Callee, version: PineVersion): string {
  return version === 5
    ? `${name}() exists only since Pine v6; write //@version=6 to use it.`
    : `${name}() no longer exists in Pine v6.`;
}

function tryOverload(callee: Callee, overload: Overload, call: Call): Resolved | Attempt {
  const bindings = new TypeBindings(call.version);
  const parameters = overload.parameters.filter((parameter) => parameter.versions.includes(call.version));
  const unbound = (refused: Refused): Attempt => ({ refused, matched: -1 });
  const brackets = bindBrackets(callee, overload, call, bindings);
  if (brackets !== null) return unbound(brackets);
  const slots = placeArguments(callee, overload, parameters, call);
  if ('ok' in slots) return unbound(slots);
  let matched = 0;
  for (const { parameter, index } of inOrderOfArguments(slots)) {
    const refused = checkArgument(callee, parameter, call, index, bindings);
    if (refused !== null) return { refused, matched };
    matched += 1;
  }
  const missing = slots.find(({ parameter, arguments: given }) => given.length === 0 && parameter.fallback === null);
  if (missing !== undefined) return { refused: missingArgument(callee, missing.parameter, call, bindings), matched };
  const type = resultType(overload, call, bindings);
  if (hasVariable(type.shape)) {
    const message = `The type of ${callee.name}() is not known: give at least one value that is not na.`;
    return { refused: refuse('type', message), matched };
  }
  return { ok: true, overload, slots, type };
}

/** Whether a collection is left whose element no argument decided. */
const hasVariable = (shape: Shape): boolean =>
  shape.kind === 'variable' || ('element' in shape && hasVariable(shape.element));

function bindBrackets({ name }: Callee, overload: Overload, call: Call, bindings: TypeBindings): Refused | null {
  const given = call.typeArguments ?? [];
  const wanted = overload.typeArguments;
  if (wanted.length === 0)
    return given.length === 0 ? null : refuse('angle-brackets', `${name}() takes no type in angle brackets.`);
  if (given.length !== wanted.length) {
    const example = wanted.length === 1 ? 'float' : 'string, float';
    return refuse('angle-brackets', `${name}() needs its types in angle brackets: ${name}<${example}>().`);
  }
  for (const [i, variable] of wanted.entries())
    if (!bindings.fix(variable, given[i]!)) {
      const { accepts } = TYPE_VARIABLES[variable];
      const got = shapeText(given[i]!);
      return refuse(
        'angle-brackets',
        `Wrong type in the angle brackets of ${name}(): expected ${accepts}, got ${got}.`,
      );
    }
  return null;
}

/** Left to right as written, so that the first argument at fault is the one reported. */
function inOrderOfArguments(slots: readonly Slot[]): { parameter: Parameter; index: number }[] {
  return slots
    .flatMap(({ parameter, arguments: given }) => given.map((index) => ({ parameter, index })))
    .sort((a, b) => a.index - b.index);
}

/** `argument 2 (length) of ta.sma()`; the value before the dot of a method call has no number. */
function placeText({ name }: Callee, parameter: Parameter, call: Call, index: number): string {
  if (call.method === true && index === 0) return `the value before .${name.slice(name.lastIndexOf('.') + 1)}()`;
  return `argument ${call.method === true ? index : index + 1} (${parameter.name}) of ${name}()`;
}

function checkArgument(
  callee: Callee,
  parameter: Parameter,
  call: Call,
  index: number,
  bindings: TypeBindings,
): Refused | null {
  const argument = call.arguments[index]!;
  const dynamic = call.dynamicRequests === true && callee.name.startsWith('request.');
  const wanted = dynamic ? parameter.type : parameterType(parameter, call.version);
  const place = () => placeText(callee, parameter, call, index);
  const expected = () => typeText(typeOf(wanted.qualifier, bindings.fill(wanted.shape)));
  if (!bindings.accept(argument.type.shape, wanted.shape))
    return refuse('type', `Wrong type for ${place()}: expected ${expected()}, got ${typeText(argument.type)}.`, index);
  if (!qualifierFits(argument.type.qualifier, wanted.qualifier) && argument.type.shape.kind !== 'tuple') {
    const why = KNOWN_BY[wanted.qualifier];
    const got = `${argument.type.qualifier} ${shapeText(argument.type.shape)}`;
    const asked = `${wanted.qualifier} ${shapeText(bindings.fill(wanted.shape))}`;
    return refuse('qualifier', `Qualifier too weak for ${place()}: expected ${asked}, got ${got}; ${why}.`, index);
  }
  return checkConstant(parameter, argument, place, index);
}

/** A constant must come from the listed families, a quoted text from the listed texts; other values are not known here. */
function checkConstant(parameter: Parameter, argument: Argument, place: () => string, index: number): Refused | null {
  const { text } = argument;
  if (text === undefined) return null;
  const quoted = text.startsWith('"');
  const allowed = parameter.allowed.filter((one) => one.startsWith('"') === quoted);
  if (allowed.length === 0) return null;
  if (allowed.some((one) => one === text || (one.endsWith('*') && text.startsWith(one.slice(0, -1))))) return null;
  return refuse('constant', `Wrong value for ${place()}: expected ${allowed.join(', ')}, got ${text}.`, index);
}

function missingArgument({ name }: Callee, parameter: Parameter, call: Call, bindings: TypeBindings): Refused {
  const { qualifier, shape } = parameterType(parameter, call.version);
  const type = typeText(typeOf(qualifier, bindings.fill(shape)));
  return refuse('missing', `Missing argument ${parameter.name} (${type}) of ${name}().`);
}

function resultType({ result }: Overload, call: Call, bindings: TypeBindings): PineType {
  const filled = bindings.fill(result.shape);
  const qualifier = result.fromArguments
    ? call.arguments.reduce((latest, { type }) => laterQualifier(latest, type.qualifier), result.qualifier)
    : result.qualifier;
  // Nothing but na was given: the result is na as well.
  if (filled.kind === 'variable') return typeOf(qualifier, NA);
  if (filled.kind !== 'tuple' || result.shape.kind !== 'variable') return typeOf(qualifier, filled);
  return typeOf(qualifier, tupleOf(filled.items.map((item) => typeOf(qualifier, item.shape))));
}
