// Counts answered requests in plain numbers and shows them to Prometheus when it asks: counting costs nanoseconds.
import type { Metric, MetricObjectWithValues, MetricValue, Registry } from 'prom-client';

export interface HttpMeter {
  observe(status: number, seconds: number): void;
}

/** From a tenth of a millisecond (an answer from memory) to the longest script run. */
const BUCKET_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** Routes are patterns and methods a fixed list, so real traffic stays far below; beyond it requests go uncounted. */
const MAX_METERS = 4096;
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

interface Duration {
  readonly service: string;
  readonly route: string;
  readonly buckets: Float64Array;
  sum: number;
}

interface Tally {
  readonly labels: { readonly service: string; readonly route: string; readonly method: string };
  readonly byStatus: Map<number, { count: number }>;
  readonly meter: HttpMeter;
}

export type HttpMeters = (service: string, route: string, method: string) => HttpMeter;

export function createHttpMeters(registry: Registry): HttpMeters {
  const durations = new Map<string, Duration>();
  const tallies = new Map<string, Tally>();
  register(registry, 'http_requests_total', 'Requests answered, by route pattern and status.', 'counter', () =>
    [...tallies.values()].flatMap(requestValues),
  );
  register(registry, 'http_request_seconds', 'Seconds from the head of the request to the answer.', 'histogram', () =>
    [...durations.values()].flatMap(durationValues),
  );
  return (service, route, asked) => {
    const method = METHODS.has(asked) ? asked : 'OTHER';
    const key = `${service} ${method} ${route}`;
    const known = tallies.get(key);
    if (known !== undefined) return known.meter;
    const duration = durations.get(`${service} ${route}`) ?? newDuration(service, route);
    const tally = newTally({ service, route, method }, duration);
    if (tallies.size < MAX_METERS) {
      tallies.set(key, tally);
      durations.set(`${service} ${route}`, duration);
    }
    return tally.meter;
  };
}

function newDuration(service: string, route: string): Duration {
  return { service, route, buckets: new Float64Array(BUCKET_SECONDS.length + 1), sum: 0 };
}

function newTally(labels: Tally['labels'], duration: Duration): Tally {
  const byStatus: Tally['byStatus'] = new Map();
  const observe = (status: number, seconds: number): void => {
    const tally = byStatus.get(status);
    if (tally === undefined) byStatus.set(status, { count: 1 });
    else tally.count += 1;
    let bucket = 0;
    while (bucket < BUCKET_SECONDS.length && seconds > (BUCKET_SECONDS[bucket] ?? 0)) bucket += 1;
    duration.buckets[bucket] = (duration.buckets[bucket] ?? 0) + 1;
    duration.sum += seconds;
  };
  return { labels, byStatus, meter: { observe } };
}

type Value = MetricValue<string> & { metricName?: string };

function requestValues({ labels, byStatus }: Tally): Value[] {
  return [...byStatus].map(([status, { count }]) => ({ value: count, labels: { ...labels, status } }));
}

function durationValues({ service, route, buckets, sum }: Duration): Value[] {
  const labels = { service, route };
  const values: Value[] = [];
  let count = 0;
  for (const [i, inBucket] of buckets.entries()) {
    count += inBucket;
    const le = BUCKET_SECONDS[i] ?? '+Inf';
    values.push({ metricName: 'http_request_seconds_bucket', value: count, labels: { le, ...labels } });
  }
  values.push({ metricName: 'http_request_seconds_sum', value: sum, labels });
  values.push({ metricName: 'http_request_seconds_count', value: count, labels });
  return values;
}

/** The registry only ever asks a metric for its name and its values, so these two need no more than that. */
function register(registry: Registry, name: string, help: string, type: string, values: () => Value[]): void {
  const metric = {
    name,
    help,
    get: async () =>
      ({ name, help, type, values: values(), aggregator: 'sum' }) as unknown as MetricObjectWithValues<Value>,
  };
  registry.registerMetric(metric as unknown as Metric);
}
