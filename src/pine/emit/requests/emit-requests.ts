// The requested expressions of a script, each written as a program of its own.

import type { BuiltinCallExpr } from '../../check/tree.ts';
import type { Emitted, EmittedRequest } from '../../run/script.ts';
import { Module } from '../module.ts';
import { requestedProgram } from './requested-program.ts';

/** Requests inside of requests; one that depends on its own value would never end. */
export const MAX_DEPTH = 4;

/** The code of a request that cannot be worked out on other bars. */
export const IMPOSSIBLE_REQUEST = 'PE302';

export type EmitModule = (module: Module, depth: number) => Emitted;

/** Those that come out alike are one: the run time then works them out once. */
export function emitRequests(module: Module, depth: number, emitModule: EmitModule): EmittedRequest[] {
  const known = new Map<string, EmittedRequest>();
  const requests: EmittedRequest[] = [];
  for (const call of module.requests) {
    if (depth >= MAX_DEPTH) {
      refuse(module, call, 'nests requests too deeply, or depends on its own value.', 'Take the requests apart.');
      continue;
    }
    const { program, missing } = requestedProgram(module.program, call);
    const [turn] = missing;
    if (turn !== undefined) {
      const remedy = 'Request what does not depend on it, and choose in the loop.';
      refuse(module, call, `has an expression that depends on '${turn.name}', which only a loop knows.`, remedy);
      continue;
    }
    const emitted = emitModule(new Module(program, true), depth + 1);
    for (const finding of emitted.refused) module.findings.push({ ...finding, span: call.span });
    const request = known.get(emitted.source) ?? { program, emitted };
    known.set(emitted.source, request);
    requests.push(request);
  }
  return requests;
}

function refuse(module: Module, call: BuiltinCallExpr, words: string, remedy: string): void {
  const message = `${call.name}() ${words}`;
  module.findings.push({ code: IMPOSSIBLE_REQUEST, severity: 'error', message, span: call.span, remedy });
}
