// What every service of a process is given: settings, log, metrics, request ids, the internal gate, and the making of an app.

import { randomBytes } from 'node:crypto';
import type { Config } from '../config.ts';
import { type App, createApp } from '../http/app.ts';
import { createAddressList } from '../http/client-address.ts';
import type { ErrorShape, ErrorTable } from '../http/errors.ts';
import { createGuessLimit } from '../http/guess-limit.ts';
import { createInternalGate } from '../http/internal-auth.ts';
import type { Log } from '../http/log.ts';
import { createMetrics } from '../http/metrics.ts';
import { createOwnPages } from '../http/own-page.ts';
import { createRequestIds } from '../http/request-id.ts';
import type { RaisedAlarms } from '../trading/notifications/raised-alarms.ts';
import { monotonicMs, nowMs } from './clocks.ts';

/** Of a body, for endpoints that name no limit of their own. */
const MAX_BODY_BYTES = 1024 * 1024;

/** What of the settings it needs itself; a service says what more it needs. */
type ContextConfig = Pick<Config, 'trustedProxies' | 'internalToken' | 'baseUrl'>;

export type ProcessContext<C extends ContextConfig = Config> = ReturnType<typeof createProcessContext<C>>;

export interface ContextParts {
  /** Which of our processes this is, as its metrics say it. */
  readonly process: 'trading' | 'scripts';
  readonly alarms: RaisedAlarms;
}

export function createProcessContext<C extends ContextConfig>(config: C, log: Log, { process, alarms }: ContextParts) {
  const metrics = createMetrics({ process });
  const requestIds = createRequestIds({ nowMs, randomBytes });
  const trustedProxies = createAddressList(config.trustedProxies);
  const makeApp = (service: string, errors: ErrorTable, shape: ErrorShape): App =>
    createApp({
      service,
      errors,
      shape,
      requestIds,
      trustedProxies,
      log,
      metrics,
      defaultBodyLimitBytes: MAX_BODY_BYTES,
      nowMs: monotonicMs,
    });
  const guesses = createGuessLimit({ monotonicMs });
  const pages = createOwnPages({ trustedProxies, baseUrl: config.baseUrl });
  const gate = createInternalGate({ token: config.internalToken, guesses, pages });
  return { config, log, alarms, metrics, requestIds, trustedProxies, gate, guesses, makeApp };
}

/** Pages that come from our own address may use what is behind it. */
export const ownOrigins = ({
  baseUrl,
  allowedOrigins,
}: Pick<Config, 'baseUrl' | 'allowedOrigins'>): readonly string[] =>
  baseUrl === undefined ? allowedOrigins : [...allowedOrigins, new URL(baseUrl).origin];
