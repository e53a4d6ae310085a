// What every service stands on: settings, log, metrics, request ids, the internal gate, and the making of an app.

import { randomBytes } from 'node:crypto';
import type { Config } from '../config.ts';
import { type App, createApp } from '../http/app.ts';
import { createAddressList } from '../http/client-address.ts';
import type { ErrorShape, ErrorTable } from '../http/errors.ts';
import { createGuessLimit } from '../http/guess-limit.ts';
import { createInternalGate } from '../http/internal-auth.ts';
import type { Log } from '../http/log.ts';
import { createMetrics } from '../http/metrics.ts';
import { createRequestIds } from '../http/request-id.ts';
import { createRaisedAlarms } from '../trading/raised-alarms.ts';
import { monotonicMs, nowMs } from './clocks.ts';

/** Of a body, for endpoints that name no limit of their own. */
const MAX_BODY_BYTES = 1024 * 1024;

/** The kind of the alarm that another process holds the analysis keys; the greeting shows it too. */
export const KEYS_HELD = 'analysis keys';

export type Ground = ReturnType<typeof createGround>;

export function createGround(config: Config, log: Log) {
  const metrics = createMetrics();
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
  const gate = createInternalGate({ token: config.internalToken, guesses });
  const alarms = createRaisedAlarms({ nowMs, log });
  return { config, log, alarms, metrics, requestIds, trustedProxies, gate, guesses, makeApp };
}
