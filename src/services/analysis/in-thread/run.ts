// The evaluate contract inside a thread: one request, one of a socket's messages, and a batch that is cut into requests.

import { checkStrict } from '../../../http/strict-body.ts';
import type { GivenBars, RequestOutcome } from '../../../library/request-runner.ts';
import type { SymbolInfo } from '../../../pine/index.ts';
import { runEnvelope } from '../envelope.ts';
import { joined, withFields, withLastFields } from '../json-splice.ts';
import { batchHeadSchema, evaluateHeadSchemaOf } from '../schemas.ts';
import type { Handler, HandlerCall } from './handler.ts';
import { itemsOf } from './list-items.ts';
import { allLibraries, neededLibraries } from './published-libraries.ts';
import { checkLibraries, checkScript, readMarket, readRun } from './run-fields.ts';
import { wantedBars } from './wanted-bars.ts';

export const run: Handler = (call) => evaluated(call.value, call);

async function evaluated(value: unknown, call: HandlerCall): Promise<RequestOutcome> {
  const { limits, runId, at, bars, engine, tell } = call;
  const head = checkStrict(evaluateHeadSchemaOf(value), value, at);
  checkScript(head.script, limits, at);
  checkLibraries(head.libraries, limits, at);
  const needed = neededLibraries(call, head.script, head.libraries);
  if (needed !== undefined) return needed;
  const wanted = wantedBars(head, limits, at);
  // In memory of its own, so that it can be handed to the event loop.
  if (wanted !== undefined && bars === undefined) return { ...wanted, body: joined([call.bytes]) };
  const libraries = allLibraries(call, head.libraries);
  const request = { source: head.script, ...readRun(head, limits, at, bars?.columns), ...libraries, runId };
  tell({ bars: request.bars.count, timeoutMs: request.timeoutMs });
  const outcome = await engine.evaluate(
    bars === undefined ? request : { ...request, symbol: ofMarket(request.symbol) },
  );
  if (outcome.kind !== 'answer') return outcome;
  const { market } = readMarket(head);
  const more = { ...(market && { market }), ...(bars && { bars: toldBars(bars) }) };
  const json = Object.keys(more).length === 0 ? outcome.json : joined(withLastFields(outcome.json, more));
  return { kind: 'answered', json };
}

/** Markets that bars are kept of are perpetual futures of coins, unless the request says otherwise. */
const ofMarket = (symbol: SymbolInfo | undefined): SymbolInfo => ({ type: 'crypto', ...symbol });

/** The caller has not seen them: at which times they begin it cannot know otherwise. */
function toldBars({ symbol, timeframe, source, columns: { time, count } }: GivenBars) {
  const times = [...time.subarray(0, count)];
  return { symbol, timeframe, source, from: times[0], to: times.at(-1), times };
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
