// The requested expressions of a script, each written as a program of its own.

import type { BuiltinCallExpr } from '../../check/tree.ts';
import type { Emitted, EmittedRequest } from '../../run/script.ts';
import { Module } from '../module.ts';
import { originOf } from './flatten.ts';
import { requestedProgram } from './requested-program.ts';

/** Requests inside of requests. */
export const MAX_DEPTH = 4;

/** The language's own limit on the elements of all requested tuples together. */
const MAX_TUPLE_ELEMENTS = 127;

/** The code of a request that cannot be worked out on other bars. */
export const IMPOSSIBLE_REQUEST = 'PE302';

export type EmitModule = (module: Module, depth: number) => Emitted;

/** Those that come out alike are one: the run time then works them out once. */
export function emitRequests(module: Module, depth: number, emitModule: EmitModule): EmittedRequest[] {
  const known = new Map<string, EmittedRequest>();
  const requests: EmittedRequest[] = [];
  countElements(module);
  for (const call of module.requests) {
    module.requestsLeft.count -= 1;
    if (depth >= MAX_DEPTH || module.requestsLeft.count < 0) {
      refuse(module, call, 'nests requests too deeply.', 'Take the requests apart.');
      continue;
    }
    const { program, missing } = requestedProgram(module.program, call);
    const [turn] = missing;
    if (turn !== undefined) {
      const remedy = 'Request what does not depend on it, and choose in the loop.';
      refuse(module, call, `has an expression that depends on '${turn.name}', which only a loop knows.`, remedy);
      continue;
    }
    const emitted = emitModule(
      new Module(program, [...module.requestedBy, originOf(call)], module.requestsLeft),
      depth + 1,
    );
    const [finding] = emitted.refused;
    if (finding !== undefined) module.findings.push({ ...finding, span: call.span });
    const request = known.get(emitted.source) ?? { program, emitted, at: call.span.start };
    known.set(emitted.source, request);
    requests.push(request);
  }
  return requests;
}

function countElements(module: Module): void {
  let elements = 0;
  for (const call of module.requests) {
    const { shape } = call.arguments.find(({ parameter }) => parameter.name === 'expression')!.values[0]!.type;
    if (shape.kind !== 'tuple') continue;
    const before = elements;
    elements += shape.items.length;
    if (before > MAX_TUPLE_ELEMENTS || elements <= MAX_TUPLE_ELEMENTS) continue;
    const words = `brings the elements of requested tuples to ${elements}; ${MAX_TUPLE_ELEMENTS} are allowed.`;
    refuse(module, call, words, 'Request fewer values.');
  }
}

function refuse(module: Module, call: BuiltinCallExpr, words: string, remedy: string): void {
  const message = `${call.name}() ${words}`;
  module.findings.push({ code: IMPOSSIBLE_REQUEST, severity: 'error', message, span: call.span, remedy });
}
