// Prometheus metrics: one registry, the HTTP metrics of the kit, and the page that shows them.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { KitContext } from './context.ts';
import { createHttpMeters, type HttpMeters } from './http-tallies.ts';

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

/** The text that Prometheus reads. */
export const metricsPage =
  ({ registry }: Metrics) =>
  async (c: KitContext): Promise<Response> =>
    c.body(await registry.metrics(), 200, { 'content-type': registry.contentType });
