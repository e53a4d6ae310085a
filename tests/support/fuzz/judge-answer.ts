// What is wrong with the answer to a random request: a 500, a stranger let in, something openapi.json does not know, or slowness.

import type { AnswerChecker } from '../documented-answers.ts';
import { type HttpRequest, isInternal, STRANGER } from './http-requests.ts';

export interface Answered {
  readonly status: number;
  readonly text: string;
  readonly contentType: string | null;
  /** Until it began: a long list goes on for as long as there is something in it. */
  readonly tookMs: number;
}

/** A request, sent; in words where there was no answer. */
export type Send = (request: HttpRequest) => Promise<Answered | string>;

const SLOWEST_MS = 2000;
/** A slow one is slow every time. */
const SLOW_TRIES = 3;
/** Of work, to see how busy the machine is: longer than one turn of its scheduler. */
const PROBE_MICROS = 60_000;
/** Given before anybody looks which endpoint is meant, and so in no description of one. */
const BEFORE_ROUTING = /The path or the Host header is malformed|no WebSocket is served at this path/;
/** A head that is too large, which nobody reads to its end. */
const HEAD_TOO_LARGE = 431;
/** Said of a path with letters like %61 too: which process serves it is decided by the path as it is written. */
const NOBODY_SERVES = /there is nothing here/;

export async function faultOf(
  request: HttpRequest,
  answered: Answered,
  check: AnswerChecker,
  send: Send,
): Promise<string | undefined> {
  const { operation, method, target, peer } = request;
  const { status, text, contentType } = answered;
  if (status === 500) return `answered 500: ${text.slice(0, 300)}`;
  if (peer === STRANGER && status < 300 && isInternal(operation))
    return `let a stranger in with ${status}: ${text.slice(0, 300)}`;
  // The answer to a HEAD has no words to tell the one 404 from the other.
  if (BEFORE_ROUTING.test(text) || status === HEAD_TOO_LARGE || (method === 'HEAD' && status === 404)) return undefined;
  const path = pathOf(target);
  if (!target.startsWith(path) && NOBODY_SERVES.test(text)) return undefined;
  const fault = check({ method, path, status, contentType, text });
  if (fault !== undefined) return fault;
  const leastMs = await quickestMs(request, answered, send);
  return leastMs > SLOWEST_MS ? `took ${Math.round(leastMs)} ms` : undefined;
}

/** Of some tries, where the first was slow; less by what others on this machine have cost it. */
async function quickestMs(request: HttpRequest, { tookMs }: Answered, send: Send): Promise<number> {
  let leastMs = tookMs;
  for (let tries = 1; tries < SLOW_TRIES && leastMs > SLOWEST_MS; tries += 1) {
    const again = await send(request);
    if (typeof again !== 'string') leastMs = Math.min(leastMs, again.tookMs / stretch());
  }
  return leastMs;
}

/** How many times as long work takes now as its processor time says. */
function stretch(): number {
  const startMs = performance.now();
  const before = process.cpuUsage();
  let usedMicros = 0;
  while (usedMicros < PROBE_MICROS) {
    const { user, system } = process.cpuUsage(before);
    usedMicros = user + system;
  }
  return Math.max(1, ((performance.now() - startMs) * 1000) / usedMicros);
}

/** As the program reads it: letters may be written in any way. */
export function pathOf(target: string): string {
  const path = target.replace(/[?#].*/s, '');
  try {
    return decodeURI(new URL(`http://localhost${path}`).pathname);
  } catch {
    return path;
  }
}

export function parsedOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
