// The requests that need a key, inside a thread: bars with what a script or an expression draws on them, as PNG, and the
// test of a strategy, which says in words that it cannot be made yet.

import { checkStrict } from '../../../http/strict-body.ts';
import type { Drawn, DrawRequest, NotDrawn } from '../../../library/chart-drawing.ts';
import type { RequestOutcome } from '../../../library/request-runner.ts';
import { firstErrorOf } from '../../../library/run-fault.ts';
import type { Checked, Refused, Stopped } from '../../../library/script-runner.ts';
import { type AnalysisRefusal, refusal } from '../refusal.ts';
import { backtestHeadSchema, previewChartHeadSchema, previewIndicatorHeadSchema } from '../schemas.ts';
import { expressionFault, placedInExpression, scriptOf } from './expression.ts';
import { answered, type Handler, type HandlerCall } from './handler.ts';
import { checkScript, readRun } from './run-fields.ts';

/** The compiler's code for what it knows and the engine cannot run yet. */
const CANNOT_RUN_YET = 'PE301';

export const previewChart: Handler = async (call) => {
  const head = checkStrict(previewChartHeadSchema, call.value);
  const { script, options } = head;
  if (script !== undefined) checkScript(script, call.limits);
  const run = readRun(head, call.limits);
  const request = { ...run, source: script, options, title: script === undefined ? head.symbol : undefined };
  return drawnAnswer(request, await draw(call, request));
};

export const previewIndicator: Handler = async (call) => {
  const head = checkStrict(previewIndicatorHeadSchema, call.value);
  const { expression, options, overlay } = head;
  const fault = expressionFault(expression);
  if (fault !== undefined) throw refusal('INVALID_FIELD', `expression: ${fault}`);
  const pane = overlay === undefined ? 'by-values' : overlay ? 'bars' : 'own';
  const request = { ...readRun(head, call.limits), options, pane, title: oneLine(expression) } as const;
  const outcome = await drawExpression(call, request, expression);
  if (outcome.kind === 'compile-failed')
    throw refusal('SCRIPT_ERROR', firstErrorOf(outcome.diagnostics), {
      extra: { diagnostics: outcome.diagnostics },
    });
  return drawnAnswer(request, outcome);
};

export const backtestQuick: Handler = async ({ value, limits, engine, tell }) => {
  const head = checkStrict(backtestHeadSchema, value);
  checkScript(head.script, limits);
  const { libraries, timeoutMs } = readRun(head, limits);
  tell({ timeoutMs });
  const request = { source: head.script, timeoutMs };
  const outcome = await engine.check(libraries === undefined ? request : { ...request, libraries });
  if (outcome.kind !== 'checked') return outcome;
  throw verdictOn(outcome);
};

function draw({ engine, tell }: HandlerCall, request: DrawRequest): ReturnType<typeof engine.draw> {
  const { bars, timeoutMs } = request;
  tell({ bars: bars.count, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
  return engine.draw(request);
}

/** A number is plotted. What cannot be plotted may be a condition: then its bars are marked. */
async function drawExpression(call: HandlerCall, request: DrawRequest, expression: string) {
  const plotted = await draw(call, { ...request, source: scriptOf(expression, 'number') });
  if (plotted.kind === 'drawn') return plotted;
  if (plotted.kind === 'compile-failed') {
    const marked = await draw(call, { ...request, source: scriptOf(expression, 'condition') });
    if (marked.kind === 'drawn') return marked;
    if (marked.kind === 'runtime-error') return placedInExpression(marked, expression, 'condition');
  }
  return isRefused(plotted) ? placedInExpression(plotted, expression, 'number') : plotted;
}

const isRefused = (outcome: NotDrawn | Refused | Stopped): outcome is Refused =>
  outcome.kind === 'compile-failed' || outcome.kind === 'runtime-error' || outcome.kind === 'input-fault';

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

function drawnAnswer({ bars, options }: DrawRequest, outcome: Drawn | NotDrawn | Refused | Stopped): RequestOutcome {
  if (outcome.kind === 'not-drawn') throw refusal('UNAVAILABLE', outcome.reason);
  if (outcome.kind !== 'drawn') return outcome;
  const { png, script, warnings } = outcome;
  const { width, height, type, theme } = options;
  const meta = {
    width,
    height,
    type,
    theme,
    bars: bars.count,
    from: bars.time[0],
    to: bars.time[bars.count - 1],
    script: script && {
      script_type: script.meta.scriptType,
      script_name: script.meta.scriptName,
      overlay: script.meta.overlay,
      symbol: script.meta.symbol,
      timeframe: script.meta.timeframe,
    },
    plots: script?.plots ?? [],
    warnings,
  };
  const { buffer, byteOffset, byteLength } = png;
  return answered({
    status: 'success',
    chart: Buffer.from(buffer, byteOffset, byteLength).toString('base64'),
    meta,
  });
}

/** Faults of the script come first: they can be mended today. */
function verdictOn({ ok, diagnostics, scriptType }: Checked): AnalysisRefusal {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const isForLater = errors.every(({ code, message }) => code === CANNOT_RUN_YET && message.startsWith('strategy.'));
  if (ok ? scriptType === 'strategy' : isForLater) return refusal('STRATEGIES_NOT_SUPPORTED');
  if (!ok) return refusal('SCRIPT_ERROR', firstErrorOf(diagnostics), { extra: { diagnostics } });
  return refusal('INVALID_FIELD', `script: is an ${scriptType} and makes no trades, declare it with strategy(...)`);
}
