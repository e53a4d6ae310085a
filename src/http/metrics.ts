// Prometheus metrics: one registry, the HTTP metrics of the kit, and the page that shows them.
import type { Handler } from 'hono';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { KitEnv } from './context.ts';
import { Refusal } from './errors.ts';
import { createHttpMeters, type HttpMeters } from './http-tallies.ts';
import { gateRequestOf, type InternalGate } from './internal-auth.ts';

export interface MetricOptions {
  name: string;
  help: string;
  labels?: readonly string[];
}

export interface HistogramOptions extends MetricOptions {
  buckets: readonly number[];
}

export interface Metrics {
  readonly registry: Registry;
  counter(options: MetricOptions): Counter;
  gauge(options: MetricOptions & { collect?: () => number }): Gauge;
  histogram(options: HistogramOptions): Histogram;
  // The meter of one route; ask once and keep it where every microsecond counts.
  readonly httpMeter: HttpMeters;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  return {
    registry,
    counter: ({ name, help, labels = [] }) => new Counter({ name, help, labelNames: [...labels], registers }),
    gauge: ({ name, help, labels = [], collect }) =>
      new Gauge({
        name,
        help,
        labelNames: [...labels],
        registers,
        ...(collect === undefined
          ? {}
          : {
              collect() {
                this.set(collect());
              },
            }),
      }),
    histogram: ({ name, help, labels = [], buckets }) =>
      new Histogram({ name, help, labelNames: [...labels], buckets: [...buckets], registers }),
    httpMeter: createHttpMeters(registry),
  };
}

// Loopback clients may look, and whoever holds the internal token.
export function metricsHandler(metrics: Metrics, gate: InternalGate): Handler<KitEnv> {
  return async (c) => {
    const request = gateRequestOf(c);
    if (!gate.checkLoopback(request).ok) {
      const verdict = gate.check(request);
      if (!verdict.ok) throw new Refusal('UNAUTHORIZED', verdict.message);
    }
    return c.body(await metrics.registry.metrics(), 200, { 'content-type': metrics.registry.contentType });
  };
}
