// Puts the arguments of a call into the slots of a signature, by position and by name, before their types are looked at.

import { nearestName } from '../syntax/index.ts';
import { type Call, type Callee, type Refused, refuse, type Slot } from './call.ts';
import type { Overload, Parameter } from './model.ts';

/** The slots of the parameters that the version has, or what is wrong with how the call is written. */
export function placeArguments(
  callee: Callee,
  overload: Overload,
  parameters: readonly Parameter[],
  call: Call,
): readonly Slot[] | Refused {
  const slots = parameters.map((parameter) => ({ parameter, arguments: [] as number[] }));
  let named = false;
  for (const [index, argument] of call.arguments.entries()) {
    if (argument.name === null) {
      if (named) return refuse('order', 'Arguments without a name must come before those with one.', index);
      const slot = slots[index] ?? slots.findLast(({ parameter }) => parameter.variadic);
      if (slot === undefined) return tooMany(callee, parameters, call, index);
      slot.arguments.push(index);
      continue;
    }
    named = true;
    const slot = slots.find(({ parameter }) => parameter.name === argument.name);
    if (slot === undefined) return unknownName(callee, overload, parameters, call, index);
    if (slot.arguments.length > 0)
      return refuse('twice', `The argument ${argument.name} of ${callee.name}() is given twice.`, index);
    slot.arguments.push(index);
  }
  return slots;
}

function tooMany({ name }: Callee, parameters: readonly Parameter[], call: Call, index: number): Refused {
  const hidden = call.method === true ? 1 : 0;
  const most = parameters.length - hidden;
  const given = call.arguments.length - hidden;
  const words = most === 0 ? 'no arguments' : most === 1 ? 'one argument' : `at most ${most} arguments`;
  return refuse('too-many', `${name}() takes ${words}, got ${given}.`, index);
}

function unknownName(
  { name, overloads }: Callee,
  overload: Overload,
  parameters: readonly Parameter[],
  call: Call,
  index: number,
): Refused {
  const wanted = call.arguments[index]!.name!;
  const other = overload.parameters.find((parameter) => parameter.name === wanted);
  if (other !== undefined) {
    if (call.version === 5)
      return refuse('version', `${name}() takes ${wanted} only since Pine v6; write //@version=6 to use it.`, index);
    const remedy = other.remedy === null ? 'leave it out' : other.remedy;
    return refuse('version', `${name}() has no argument ${wanted} since Pine v6: ${remedy}.`, index);
  }
  const elsewhere = overloads.some(
    (o) => o.versions.includes(call.version) && o.parameters.some((p) => p.name === wanted),
  );
  if (elsewhere) {
    const together = call.arguments.flatMap((argument) => argument.name ?? []).join(', ');
    return refuse('unknown-name', `No form of ${name}() takes these arguments together: ${together}.`, index);
  }
  const names = parameters.map((parameter) => parameter.name);
  const meant = nearestName(wanted, names);
  const hint = meant === null ? `it takes ${names.join(', ') || 'none'}` : `did you mean ${meant}?`;
  return refuse('unknown-name', `${name}() has no argument ${wanted}; ${hint}${meant === null ? '.' : ''}`, index);
}
