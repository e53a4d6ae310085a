// POST /run: one script over the bars of the request, answered with the bytes that its thread made.

import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { KitContext } from '../../http/context.ts';
import type { EndpointHandler } from '../../http/endpoint.ts';
import type { Answered, Caller, RequestKind } from '../../library/request-runner.ts';
import type { TakeRate } from './free-rate.ts';
import { refusal } from './refusal.ts';
import type { FindLibraries, Passed, RequestForwarder } from './request-forwarder.ts';
import { MODES } from './schemas.ts';

export interface RunDeps {
  readonly forwarder: RequestForwarder;
  readonly takeRate: TakeRate;
}

const OK = 200;

export interface ServeOptions {
  /** A run when left out; what else a script worker serves is help for editors. */
  readonly kind?: Extract<RequestKind, 'run' | 'lsp-completion' | 'lsp-hover' | 'lsp-diagnostics'>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly findLibraries?: FindLibraries | undefined;
}

/** The evaluate contract from the bytes of a request to those of its answer, whichever endpoint it came to. */
export type ServeRun = (c: KitContext, caller: Caller, options?: ServeOptions) => Promise<Response>;

export const anonymous = (address: string): Caller => ({ class: 'anonymous', id: address });

export function createServeRun(forwarder: RequestForwarder): ServeRun {
  return async (c, caller, { kind = 'run', headers, findLibraries } = {}) => {
    if (kind === 'run') checkMode(c);
    const limitBytes = kind === 'run' ? undefined : c.var.bodyLimitBytes;
    const { json } = onlyAnswer(await forwarder.serve(c, { kind, caller, findLibraries }, limitBytes));
    return jsonAnswer(c, [json], OK, headers);
  };
}

export const createRun =
  (serveRun: ServeRun, takeRate: TakeRate): EndpointHandler =>
  async (c) => {
    const { clientAddress } = c.var;
    return serveRun(c, anonymous(clientAddress), { headers: takeRate(clientAddress) });
  };

/** Of all requests only a batch is split into several, and only a search is drafted; any other has one answer. */
export function onlyAnswer(answer: Passed): Answered {
  if (answer.kind === 'answered') return answer;
  throw new Error(`a request ended as ${answer.kind} that has one answer`);
}

/** Other parameters are nobody's business here: clients put their key there on every call. */
function checkMode(c: KitContext): void {
  const modes: readonly string[] = MODES;
  if ((c.req.queries('mode') ?? []).every((mode) => modes.includes(mode))) return;
  throw refusal('INVALID_FIELD', `mode: has a value that is not allowed, send one of ${MODES.join(', ')}`);
}

export function jsonAnswer(
  c: KitContext,
  pieces: readonly Uint8Array[],
  status: ContentfulStatusCode = 200,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const all = { ...headers, 'content-type': 'application/json', 'content-length': String(length) };
  const [only] = pieces;
  if (pieces.length === 1 && only !== undefined) return c.body(only as Uint8Array<ArrayBuffer>, status, all);
  return c.body(ReadableStream.from(pieces), status, all);
}
