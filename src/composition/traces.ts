// Traces of signals where the settings name a collector of OpenTelemetry.

import { createOtlpTraces } from '../adapters/traces/otlp-traces.ts';
import { backgroundTimers } from '../timing/timers.ts';
import type { SignalTrace } from '../trading/signal-trace.ts';
import { monotonicMs, nowMs } from './clocks.ts';
import type { ProcessContext } from './process-context.ts';
import type { Teardown } from './teardown.ts';
import { VERSION } from './version.ts';

/** Undefined where nobody watches. */
export function openTraces({ config, metrics }: ProcessContext, teardown: Teardown): SignalTrace | undefined {
  const { endpoint, headers, serviceName } = config.traces;
  if (endpoint === undefined) return undefined;
  const spans = metrics.counter({
    name: 'trace_spans_total',
    help: 'Steps of signals told to the collector of OpenTelemetry, by what became of them.',
    labels: ['outcome'],
  });
  for (const outcome of ['sent', 'dropped']) spans.inc({ outcome }, 0);
  const traces = createOtlpTraces({
    ...{ endpoint, headers, serviceName, version: VERSION, nowMs, clockMs: monotonicMs, timers: backgroundTimers },
    onSent: (count) => spans.inc({ outcome: 'sent' }, count),
    onDropped: (count) => spans.inc({ outcome: 'dropped' }, count),
  });
  teardown.add(() => traces.close());
  return traces;
}
