// POST /preview/chart and POST /preview/indicator: bars with what a script or an expression draws on them, as PNG.

import type { KitContext } from '../../http/context.ts';
import { checkStrict } from '../../http/strict-body.ts';
import type { ChartDrawer, Drawn, DrawRequest } from '../../library/chart-drawer.ts';
import type { Refused, Stopped } from '../../library/script-runner.ts';
import { checkScript, outcomeFault, type RunLimits, type RunLine, readRun } from './evaluate.ts';
import { expressionFault, placedInExpression, scriptOf } from './expression.ts';
import type { ReadLarge } from './large-bodies.ts';
import type { Handler, Pair } from './protect.ts';
import { refusal } from './refusal.ts';
import { previewChartHeadSchema, previewIndicatorHeadSchema } from './schemas.ts';

export interface PreviewDeps {
  readonly drawer: ChartDrawer;
  readonly limits: RunLimits;
  readonly readLarge: ReadLarge;
  readonly monotonicMs: () => number;
  readonly log: (line: RunLine) => void;
}

type Draw = (c: KitContext, request: DrawRequest) => Promise<Drawn | Refused | Stopped>;

export function createPreviews(deps: PreviewDeps): { readonly chart: Handler; readonly indicator: Handler } {
  const { limits, readLarge } = deps;
  const draw = createDraw(deps);
  return {
    async chart(c) {
      const head = checkStrict(previewChartHeadSchema, await readLarge(c));
      const { script, options } = head;
      if (script !== undefined) checkScript(script, limits, 'script');
      const run = readRun(head, limits);
      const request = { ...run, source: script, options, title: script === undefined ? head.symbol : undefined };
      const outcome = await draw(c, request);
      if (outcome.kind !== 'drawn') throw outcomeFault(outcome, c.req.raw.signal);
      return pairOf(request, outcome);
    },

    async indicator(c) {
      const head = checkStrict(previewIndicatorHeadSchema, await readLarge(c));
      const { expression, options, overlay } = head;
      const fault = expressionFault(expression);
      if (fault !== undefined) throw refusal('INVALID_FIELD', `expression: ${fault}`);
      const pane = overlay === undefined ? 'by-values' : overlay ? 'bars' : 'own';
      const request = { ...readRun(head, limits), options, pane, title: oneLine(expression) } as const;
      const outcome = await drawExpression(c, draw, request, expression);
      if (outcome.kind === 'compile-failed')
        throw refusal('SCRIPT_ERROR', 'the expression has errors; the diagnostics tell where', {
          extra: { diagnostics: outcome.diagnostics },
        });
      if (outcome.kind !== 'drawn') throw outcomeFault(outcome, c.req.raw.signal);
      return pairOf(request, outcome);
    },
  };
}

function createDraw({ drawer, monotonicMs, log }: PreviewDeps): Draw {
  return async (c, request) => {
    const startedMs = monotonicMs();
    const outcome = await drawer.draw({ ...request, signal: c.req.raw.signal });
    const ms = Math.round(monotonicMs() - startedMs);
    log({ run: outcome.kind, bars: request.bars.count, ms, requestId: c.var.requestId });
    return outcome;
  };
}

/** A number is plotted. What cannot be plotted may be a condition: then its bars are marked. */
async function drawExpression(c: KitContext, draw: Draw, request: DrawRequest, expression: string) {
  const plotted = await draw(c, { ...request, source: scriptOf(expression, 'number') });
  if (plotted.kind === 'drawn') return plotted;
  if (plotted.kind === 'compile-failed') {
    const marked = await draw(c, { ...request, source: scriptOf(expression, 'condition') });
    if (marked.kind === 'drawn') return marked;
    if (marked.kind === 'runtime-error') return placedInExpression(marked, expression, 'condition');
  }
  return isRefused(plotted) ? placedInExpression(plotted, expression, 'number') : plotted;
}

const isRefused = (outcome: Refused | Stopped): outcome is Refused =>
  outcome.kind === 'compile-failed' || outcome.kind === 'runtime-error' || outcome.kind === 'input-fault';

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

function pairOf({ bars, options }: DrawRequest, { png, script, warnings }: Drawn): Pair {
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
  return {
    body: { status: 'success', chart: Buffer.from(buffer, byteOffset, byteLength).toString('base64'), meta },
    status: 200,
  };
}
