// What every request goes through: its start, the way from a thrown thing to an answer, and the line in the log.
import type { Answer } from './answer.ts';
import { type AddressList, createClientAddress } from './client-address.ts';
import { type ErrorShape, type ErrorTable, failureOf } from './errors.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';

export interface KitOptions {
  service: string;
  errors: ErrorTable;
  shape: ErrorShape;
  requestIds: () => string;
  trustedProxies: AddressList;
  log: Log;
  metrics: Metrics;
  defaultBodyLimitBytes: number;
  /** Measures durations, so it should be monotonic. */
  nowMs: () => number;
}

export interface Exchange {
  readonly requestId: string;
  readonly clientAddress: string;
  readonly startedMs: number;
}

/** Tells log and metrics that an exchange has its answer. */
export type Finish = (exchange: Exchange, status: number) => void;

export interface Kit {
  begin(peer: string | undefined, forwardedFor: string | undefined): Exchange;
  fail(thrown: unknown, requestId: string): Answer;
  /** Prepared once where the route is the path itself, because every request of it needs the same. */
  finishOf(method: string, path: string, route: string): Finish;
}

export function createKit(options: KitOptions): Kit {
  const { service, errors, shape, requestIds, log, metrics, nowMs } = options;
  const clientAddress = createClientAddress(options.trustedProxies);
  const prepare = (method: string, path: string, route: string): Finish => {
    const meter = metrics.httpMeter(service, route, method);
    const line = log.access(service, method, path);
    return (exchange, status) => {
      const elapsedMs = nowMs() - exchange.startedMs;
      meter.observe(status, elapsedMs / 1000);
      line(status, Math.round(elapsedMs * 1000) / 1000, exchange.requestId, exchange.clientAddress);
    };
  };
  /** As many as there are routes without parameters. */
  const prepared = new Map<string, Finish>();
  return {
    begin: (peer, forwardedFor) => ({
      requestId: requestIds(),
      clientAddress: clientAddress(peer, forwardedFor),
      startedMs: nowMs(),
    }),
    fail(thrown, requestId) {
      const { unexpected, status, body, headers } = failureOf(thrown, errors, shape, requestId);
      if (unexpected) log.error({ requestId, err: thrown }, 'request failed');
      return { status, body, headers };
    },
    finishOf(method, path, route) {
      if (path !== route) return prepare(method, path, route);
      const name = `${method} ${route}`;
      const finish = prepared.get(name) ?? prepare(method, path, route);
      prepared.set(name, finish);
      return finish;
    },
  };
}
