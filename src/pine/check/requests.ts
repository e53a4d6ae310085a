// Where other symbols and timeframes may be requested: a script without dynamic requests asks for the same ones on every bar,
// so that its requests stand outside of `if`, `switch` and loops.

import type { Span } from '../syntax/index.ts';
import type { Checker } from './checker.ts';

const REMEDY = 'Call it outside of the block, or write dynamic_requests = true in the declaration.';

/** A `request.*()` function is called. */
export function noteRequest(c: Checker, name: string, span: Span): void {
  c.requests = true;
  if (isRefused(c)) c.report('globalOnly', `Cannot use '${name}' in local scope.`, span, REMEDY);
}

/** A function that requests something is called; only v5 lets that be done in a block. */
export function noteRequestingCall(c: Checker, name: string, span: Span): void {
  c.requests = true;
  if (c.version === 6 && isRefused(c))
    c.report('globalOnly', `Cannot use '${name}' in local scope: it requests other data.`, span, REMEDY);
}

/** In a block of a structure; the body of a function is none. */
function isRefused({ place }: Checker): boolean {
  const { module, scope, functionName, local } = place;
  if (module.dynamicRequests) return false;
  return functionName === null ? local : scope.parent?.parent !== module.globals;
}
