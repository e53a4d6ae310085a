// The evaluate contract inside a thread: one request, one of a socket's messages, and a batch that is cut into requests.

import { checkStrict } from '../../../http/strict-body.ts';
import type { RequestOutcome } from '../../../library/request-runner.ts';
import { runEnvelope } from '../envelope.ts';
import { joined, withFields } from '../json-splice.ts';
import { batchHeadSchema, evaluateHeadSchema } from '../schemas.ts';
import type { Handler, HandlerCall } from './handler.ts';
import { itemsOf } from './list-items.ts';
import { checkScript, readRun } from './run-fields.ts';

export const run: Handler = (call) => evaluated(call.value, call);

async function evaluated(value: unknown, { limits, runId, at, engine, tell }: HandlerCall): Promise<RequestOutcome> {
  const head = checkStrict(evaluateHeadSchema, value, at);
  checkScript(head.script, limits, at);
  const request = { source: head.script, ...readRun(head, limits, at), runId };
  tell({ bars: request.bars.count, timeoutMs: request.timeoutMs });
  const outcome = await engine.evaluate(request);
  return outcome.kind === 'answer' ? { kind: 'answered', json: outcome.json } : outcome;
}

export const runMessage: Handler = async (call) => {
  const { id, request } = runEnvelope(call.value, (known) => call.tell({ id: known }));
  const outcome = await evaluated(request, call);
  return outcome.kind === 'answered'
    ? { kind: 'answered', json: joined(withFields({ type: 'result', id }, outcome.json)) }
    : outcome;
};

/** Each request gets a thread, a time limit and a status of its own, so the batch is only cut here. */
export const runBatch: Handler = ({ value, bytes }) => {
  checkStrict(batchHeadSchema, value);
  return { kind: 'split', bodies: itemsOf(bytes) };
};
