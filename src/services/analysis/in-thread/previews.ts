// Previews inside a thread: bars with what a script or an expression draws on them, as PNG.

import { checkStrict } from '../../../http/strict-body.ts';
import type { Drawn, DrawRequest, NotDrawn } from '../../../library/chart-drawing.ts';
import type { RequestOutcome } from '../../../library/request-runner.ts';
import { firstErrorOf } from '../../../library/run-fault.ts';
import type { Refused, Stopped } from '../../../library/script-runner.ts';
import { refusal } from '../refusal.ts';
import { previewChartHeadSchema, previewIndicatorHeadSchema } from '../schemas.ts';
import { expressionFault, placedInExpression, scriptOf } from './expression.ts';
import { answered, type Handler, type HandlerCall } from './handler.ts';
import { checkScript, readRun } from './run-fields.ts';

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
