// POST /run: one script over the bars of the request, answered with the bytes that its thread made.

import type { App } from '../../http/app.ts';
import type { KitContext } from '../../http/context.ts';
import { readBody } from '../../http/read-body.ts';
import type { Evaluate } from './evaluate.ts';
import type { TakeRate } from './free-rate.ts';
import { refusal } from './read-request.ts';
import { MODES } from './schemas.ts';
import type { ParseBody } from './sliced-json.ts';

/** The contract's: 50,000 bars with all their digits and a script fit in. */
export const RUN_BODY_LIMIT_BYTES = 16 * 1024 * 1024;

export interface RunDeps {
  readonly evaluate: Evaluate;
  readonly takeRate: TakeRate;
  readonly parseBody: ParseBody;
}

export function mountRun(app: App, { evaluate, takeRate, parseBody }: RunDeps): void {
  app.post('/run', async (c) => {
    const headers = takeRate(c.var.clientAddress);
    checkMode(c);
    const value = await parseBody(await readBody(c, RUN_BODY_LIMIT_BYTES));
    const json = await evaluate(value, { requestId: c.var.requestId, signal: c.req.raw.signal });
    return jsonAnswer(c, [json], headers);
  });
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
  headers: Readonly<Record<string, string>> = {},
): Response {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const all = { ...headers, 'content-type': 'application/json', 'content-length': String(length) };
  const [only] = pieces;
  if (pieces.length === 1 && only !== undefined) return c.body(only as Uint8Array<ArrayBuffer>, 200, all);
  return c.body(ReadableStream.from(pieces), 200, all);
}
