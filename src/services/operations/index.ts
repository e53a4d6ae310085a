// The endpoints for whoever runs the process: health, readiness, metrics, and the description of the API.

import type { App } from '../../http/app.ts';
import { docsPage } from '../../http/docs-page.ts';
import type { InternalGate } from '../../http/internal-auth.ts';
import { type Metrics, metricsHandler } from '../../http/metrics.ts';
import { withoutFolders } from '../../trading/storage-error.ts';

export { OPERATIONS_ROUTES } from './routes.ts';

export interface OperationsDeps {
  readonly version: string;
  readonly environment: string;
  /** paper, testnet or live: what a trade would be. */
  readonly mode: string;
  readonly prices: string;
  /** Whether there are sockets to connect to. */
  readonly websocket: boolean;
  readonly metrics: Metrics;
  readonly gate: InternalGate;
  readonly openApi: object;
  /** Each really tries its part; a message tells what is wrong. */
  readonly probes: Readonly<Record<string, () => Promise<void> | void>>;
  readonly warnings: readonly string[];
}

/** A probe that hangs is a failed probe. */
const PROBE_TIMEOUT_MS = 3000;

export function mountOperations(app: App, deps: OperationsDeps): void {
  const { version, environment, mode, prices, websocket } = deps;
  app.get('/health', (c) =>
    c.json({
      success: true,
      requestId: c.var.requestId,
      status: 'healthy',
      version,
      environment,
      mode,
      prices,
      websocket,
    }),
  );
  app.get('/ready', async (c) => {
    const names = Object.keys(deps.probes);
    const outcomes = await Promise.all(names.map((name) => outcomeOf(deps.probes[name] as () => Promise<void> | void)));
    const checks = Object.fromEntries(names.map((name, index) => [name, outcomes[index] ?? 'ok']));
    const ready = outcomes.every((outcome) => outcome === undefined);
    const status = ready ? 'ready' : 'not ready';
    return c.json(
      { success: ready, requestId: c.var.requestId, status, checks, warnings: deps.warnings },
      ready ? 200 : 503,
    );
  });
  app.get('/metrics', metricsHandler(deps.metrics, deps.gate));
  app.get('/openapi.json', (c) => c.json(deps.openApi));
  const page = docsPage('Signalbox API', '/openapi.json');
  app.get('/docs', (c) => c.html(page.html, 200, page.headers));
}

async function outcomeOf(probe: () => Promise<void> | void): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${PROBE_TIMEOUT_MS} ms`)), PROBE_TIMEOUT_MS);
  });
  try {
    await Promise.race([probe(), tooLate]);
    return undefined;
  } catch (error) {
    return withoutFolders(error instanceof Error ? error.message : String(error));
  } finally {
    clearTimeout(timer);
  }
}
