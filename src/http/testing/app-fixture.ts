// Test fixture of the kit: an app with a table, a shape, a clock that stands still and a log that is kept.
import { createApp, type RoutedApp } from '../app.ts';
import { createAddressList } from '../client-address.ts';
import { defineErrors, type ErrorShape } from '../errors.ts';
import type { KitOptions } from '../kit.ts';
import { createLog } from '../log.ts';
import { createMetrics, type Metrics } from '../metrics.ts';

export const kitRows = {
  PAYLOAD_TOO_LARGE: { status: 413, message: 'The body is too large. Send a smaller one.' },
  INVALID_JSON: { status: 400, message: 'The body is not JSON. Send JSON.' },
  NOT_FOUND: { status: 404, message: 'There is nothing at this path. See /docs.' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'This path has no such method. See /docs.' },
  UNAUTHORIZED: { status: 401, message: 'Not allowed. Send the token.' },
  RATE_LIMITED: { status: 429, message: 'Too many requests. Wait.' },
  INTERNAL: { status: 500, message: 'Something failed here. Try again, and look in the log.' },
} as const;

export const gatewayShape: ErrorShape = ({ code, message, requestId, extra }) => ({
  success: false,
  requestId,
  error: message,
  code,
  ...extra,
});

export interface Fixture {
  app: RoutedApp;
  metrics: Metrics;
  lines: () => Record<string, unknown>[];
  text: () => string;
}

/** Ids count up from 1, so that two fixtures given the same requests give the same ids. */
export function createFixture(options: Partial<KitOptions> = {}): Fixture {
  const written: string[] = [];
  let ids = 0;
  const metrics = createMetrics();
  const app = createApp({
    service: 'gateway',
    errors: defineErrors({ ...kitRows }),
    shape: gatewayShape,
    requestIds: () => {
      ids += 1;
      return `00000000-0000-7000-8000-${String(ids).padStart(12, '0')}`;
    },
    trustedProxies: createAddressList([]),
    log: createLog({ level: 'info', name: 'test', destination: { write: (line) => written.push(line) } }),
    metrics,
    defaultBodyLimitBytes: 1024,
    nowMs: () => 0,
    ...options,
  });
  return {
    app,
    metrics,
    lines: () => written.map((line) => JSON.parse(line) as Record<string, unknown>),
    text: () => written.join(''),
  };
}
