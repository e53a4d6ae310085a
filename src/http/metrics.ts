// Prometheus metrics: one registry, the HTTP metrics of the kit, and the page that shows them.
import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type MetricObject,
  Registry,
} from 'prom-client';
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
  gauge(options: MetricOptions & { collect?: () => number | Promise<number> }): Gauge;
  histogram(options: HistogramOptions): Histogram;
  /** The meter of one route; ask once and keep it where every microsecond counts. */
  readonly httpMeter: HttpMeters;
}

/** What the runtime tells of itself carries the labels: several processes may be shown on one page. */
export function createMetrics(labels: Readonly<Record<string, string>> = {}): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, labels });
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
              async collect() {
                this.set(await collect());
              },
            }),
      }),
    histogram: ({ name, help, labels = [], buckets }) =>
      new Histogram({ name, help, labelNames: [...labels], buckets: [...buckets], registers }),
    httpMeter: createHttpMeters(registry),
  };
}

/** The metrics of another process, as its registry gives them; none while it cannot be asked. */
export type OtherMetrics = () => Promise<readonly object[]>;

/** The text that Prometheus reads: one page for all processes of ours. */
export const metricsPage =
  ({ registry }: Metrics, others: OtherMetrics = async () => []) =>
  async (c: KitContext): Promise<Response> => {
    const theirs = await others();
    const all =
      theirs.length === 0
        ? registry
        : AggregatorRegistry.aggregate([await registry.getMetricsAsJSON(), theirs as MetricObject[]]);
    return c.body(await all.metrics(), 200, { 'content-type': registry.contentType });
  };
