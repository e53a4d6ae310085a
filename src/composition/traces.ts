// Traces of signals where the settings name a collector of OpenTelemetry.

import { createOtlpTraces } from '../adapters/traces/otlp-traces.ts';
import type { Config } from '../config.ts';
import type { Log } from '../http/log.ts';
import { backgroundTimers } from '../timing/timers.ts';
import type { SignalTrace } from '../trading/signal-trace.ts';
import { monotonicMs, nowMs } from './clocks.ts';
import type { ProcessContext } from './process-context.ts';
import type { Teardown } from './teardown.ts';
import { VERSION } from './version.ts';

const LOSING =
  'traces are lost: look whether OTEL_EXPORTER_OTLP_ENDPOINT is the address of a collector that takes OTLP over HTTP as JSON, and runs';

type TracesContext = Pick<ProcessContext, 'metrics'> & {
  readonly config: Pick<Config, 'traces'>;
  readonly log: Pick<Log, 'info' | 'warn'>;
};

/** Undefined where nobody watches. */
export function openTraces({ config, metrics, log }: TracesContext, teardown: Teardown): SignalTrace | undefined {
  const { endpoint, headers, serviceName } = config.traces;
  if (endpoint === undefined) return undefined;
  const spans = metrics.counter({
    name: 'trace_spans_total',
    help: 'Steps of signals told to the collector of OpenTelemetry, by what became of them.',
    labels: ['outcome'],
  });
  for (const outcome of ['sent', 'dropped']) spans.inc({ outcome }, 0);
  let isLosing = false;
  const traces = createOtlpTraces({
    ...{ endpoint, headers, serviceName, version: VERSION, nowMs, clockMs: monotonicMs, timers: backgroundTimers },
    onSent(count) {
      spans.inc({ outcome: 'sent' }, count);
      if (isLosing) log.info({}, 'the collector takes traces again');
      isLosing = false;
    },
    onDropped(count, why) {
      spans.inc({ outcome: 'dropped' }, count);
      // Once, until it takes some again: they come every two seconds.
      if (!isLosing) log.warn({ reason: why }, LOSING);
      isLosing = true;
    },
  });
  teardown.add(() => traces.close());
  return traces;
}
