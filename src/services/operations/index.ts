// The endpoints for whoever runs the process: health, readiness, metrics, and the description of the API.

import { errorText } from '../../errors/error-text.ts';
import { withoutFolders } from '../../errors/storage-error.ts';
import type { App } from '../../http/app.ts';
import { type DocsPage, docsPage } from '../../http/docs-page.ts';
import type { Endpoint, EndpointHandler } from '../../http/endpoint.ts';
import { type InternalGate, internalGates } from '../../http/internal-auth.ts';
import { type Metrics, metricsPage, type OtherMetrics } from '../../http/metrics.ts';
import { mountEndpoints } from '../../http/mount-endpoints.ts';
import { foregroundTimers } from '../../timing/timers.ts';
import { withTimeout } from '../../timing/with-timeout.ts';
import { OPERATIONS_DOCS } from './docs.ts';

export interface OperationsDeps {
  /** Of the interface. */
  readonly version: string;
  /** Of the product. */
  readonly release: string;
  readonly environment: string;
  /** paper, testnet or live: the most that a trade can be. */
  readonly mode: string;
  /** What a trade at each exchange would be, or `off`. */
  readonly venues: Readonly<Record<string, string>>;
  /** Where the prices come from that accounts go by; several with commas. */
  readonly prices: string;
  /** Whether there are sockets to connect to. */
  readonly websocket: boolean;
  readonly metrics: Metrics;
  /** Those of our other process, where there is one. */
  readonly otherMetrics?: OtherMetrics | undefined;
  readonly gate: InternalGate;
  /** The description of everything that is mounted, these endpoints included; asked for once they are. */
  readonly openApi: () => object | Promise<object>;
  /** Each really tries its part; a message tells what is wrong. */
  readonly probes: () => Readonly<Record<string, Probe>>;
  /** What somebody should look at, though everything works. */
  readonly warnings: () => readonly string[];
  /** What can be set in two places: the value in force and where it comes from. */
  readonly settings: () => readonly ShownSetting[];
  readonly monotonicMs: () => number;
}

/** A part that stands still and is replaced soon. */
export const PART_AWAY = 'away';
const QUIET_WORDS = ['off', PART_AWAY];

/**
 * May resolve with `off`, what stays so until the operator has done something, or `away`: either is shown and keeps
 * nothing else from being ready.
 */
export type Probe = () => unknown;

interface ShownSetting {
  readonly name: string;
  readonly value: string;
  readonly source: string;
}

/** A probe that hangs is a failed probe. */
const PROBE_TIMEOUT_MS = 3000;
const PROBE_INTERVAL_MS = 1000;

export function mountOperations(app: App, deps: OperationsDeps): void {
  mountEndpoints(app, operationsEndpoints(deps), internalGates(deps.gate));
}

export function operationsEndpoints(deps: OperationsDeps): readonly Endpoint[] {
  const { version, release, environment, mode, venues, prices, websocket } = deps;
  return [
    {
      ...OPERATIONS_DOCS.health,
      handler: (c) => {
        const about = { status: 'healthy', version, release, environment, mode, venues, prices, websocket };
        return c.json({ success: true, requestId: c.var.requestId, ...about });
      },
    },
    { ...OPERATIONS_DOCS.ready, handler: readyHandler(deps) },
    { ...OPERATIONS_DOCS.metrics, handler: metricsPage(deps.metrics, deps.otherMetrics) },
    { ...OPERATIONS_DOCS.openApi, handler: openApiHandler(deps.openApi) },
    { ...OPERATIONS_DOCS.docs, handler: docsHandler(release) },
  ];
}

/** Put together when somebody first looks. */
function docsHandler(release: string): EndpointHandler {
  let page: DocsPage | undefined;
  return (c) => {
    page ??= docsPage({ title: 'Signalbox API', openapiUrl: '/openapi.json', release });
    return c.html(page.html, 200, page.headers);
  };
}

/** Hundreds of kilobytes: encoded again only when there is something new to describe. */
function openApiHandler(describe: OperationsDeps['openApi']): EndpointHandler {
  let described: object | undefined;
  let encoded = new Uint8Array();
  return async (c) => {
    const now = await describe();
    if (now !== described) encoded = Uint8Array.from(Buffer.from(JSON.stringify(now)));
    described = now;
    return c.body(encoded, 200, { 'content-type': 'application/json', 'content-length': String(encoded.length) });
  };
}

function readyHandler({ mode, probes, warnings, settings, monotonicMs }: OperationsDeps): EndpointHandler {
  const check = oncePerSecond(() => checkAll(probes()), monotonicMs);
  return async (c) => {
    const checks = await check();
    const ready = Object.values(checks).every((outcome) => ['ok', ...QUIET_WORDS].includes(outcome));
    const status = ready ? 'ready' : 'not ready';
    return c.json(
      { success: ready, requestId: c.var.requestId, status, mode, checks, warnings: warnings(), settings: settings() },
      ready ? 200 : 503,
    );
  };
}

type Checks = Readonly<Record<string, string>>;

async function checkAll(probes: ReturnType<OperationsDeps['probes']>): Promise<Checks> {
  const outcomes = Object.entries(probes).map(async ([name, probe]) => [name, (await outcomeOf(probe)) ?? 'ok']);
  return Object.fromEntries(await Promise.all(outcomes));
}

/** The probes write to every database, and anybody may ask: whoever asks in the same second shares one answer. */
function oncePerSecond<T>(work: () => Promise<T>, monotonicMs: () => number): () => Promise<T> {
  let startedMs = Number.NEGATIVE_INFINITY;
  let shared: Promise<T> | undefined;
  let isRunning = false;
  return () => {
    if (shared !== undefined && (isRunning || monotonicMs() - startedMs < PROBE_INTERVAL_MS)) return shared;
    startedMs = monotonicMs();
    isRunning = true;
    shared = work().finally(() => {
      isRunning = false;
    });
    return shared;
  };
}

async function outcomeOf(probe: Probe): Promise<string | undefined> {
  const late = (): string => `no answer within ${PROBE_TIMEOUT_MS} ms`;
  try {
    // Inside a promise, so that a probe that throws at once is told like one that fails later.
    const passed = Promise.resolve(probe()).then((word) => QUIET_WORDS.find((quiet) => quiet === word));
    return await withTimeout(passed, PROBE_TIMEOUT_MS, late, foregroundTimers);
  } catch (error) {
    return withoutFolders(errorText(error));
  }
}
