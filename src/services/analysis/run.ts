// POST /run: one script over the bars of the request, answered with the bytes that its thread made.

import type { KitContext, KitEnv } from '../../http/context.ts';
import type { EndpointHandler } from '../../http/endpoint.ts';
import type { Evaluate } from './evaluate.ts';
import type { TakeRate } from './free-rate.ts';
import type { ReadLarge } from './large-bodies.ts';
import { refusal } from './refusal.ts';
import { MODES } from './schemas.ts';

export interface RunDeps {
  readonly evaluate: Evaluate;
  readonly takeRate: TakeRate;
  readonly readLarge: ReadLarge;
}

export type ServeRun = (c: KitContext, headers?: Readonly<Record<string, string>>) => Promise<Response>;

/** The evaluate contract from the bytes of a request to those of its answer, for whatever road leads here. */
export function createServeRun({ evaluate, readLarge }: Omit<RunDeps, 'takeRate'>): ServeRun {
  return async (c, headers) => {
    checkMode(c);
    const value = await readLarge(c);
    const json = await evaluate(value, { requestId: c.var.requestId, signal: c.req.raw.signal });
    return jsonAnswer(c, [json], headers);
  };
}

export const createRun =
  (serveRun: ServeRun, takeRate: TakeRate): EndpointHandler =>
  async (c) =>
    serveRun(c, takeRate(c.var.clientAddress));

/** Other parameters are nobody's business here: clients put their key there on every call. */
function checkMode(c: KitContext): void {
  const modes: readonly string[] = MODES;
  if ((c.req.queries('mode') ?? []).every((mode) => modes.includes(mode))) return;
  throw refusal('INVALID_FIELD', `mode: has a value that is not allowed, send one of ${MODES.join(', ')}`);
}

export function jsonAnswer(
  c: KitContext,
  pieces: readonly Uint8Array[],
  headers: Readonly<Record<string, string>> = {},
): Response {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const all = { ...headers, 'content-type': 'application/json', 'content-length': String(length) };
  const [only] = pieces;
  if (pieces.length === 1 && only !== undefined) {
    releaseWhenSent(c, only);
    return c.body(only as Uint8Array<ArrayBuffer>, 200, all);
  }
  return c.body(ReadableStream.from(pieces), 200, all);
}

/** Megabytes that wait for the garbage collector make it run again and again, beside everybody's signals. */
function releaseWhenSent(c: KitContext, { buffer }: Uint8Array): void {
  const { outgoing } = (c.env as KitEnv['Bindings'] | undefined) ?? {};
  outgoing?.once('close', () => {
    if (buffer instanceof ArrayBuffer) buffer.transfer(0);
  });
}
