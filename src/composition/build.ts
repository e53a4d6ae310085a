// Builds everything but the sockets: the chosen services over their storage, behind one front.

import { lockDataDir } from '../adapters/storage/sqlite/instance-lock.ts';
import type { Config } from '../config.ts';
import { createFront, type ServiceApp } from '../http/front.ts';
import type { Log } from '../http/log.ts';
import { buildOpenApi, type ServiceDoc } from '../http/openapi.ts';
import { errorSchema, GATEWAY_ERRORS, GATEWAY_ROUTES, gatewayShape } from '../services/gateway/index.ts';
import { mountOperations, OPERATIONS_ROUTES } from '../services/operations/index.ts';
import { openGateway } from './gateway.ts';
import { createGround } from './ground.ts';
import { openMarket } from './market.ts';
import { createTeardown } from './teardown.ts';
import { VERSION } from './version.ts';

export type Built = Awaited<ReturnType<typeof build>>;

/** Without `trade` only the gateway is there, and nothing is executed: the command line looks at a data folder. */
export async function build(config: Config, log: Log, { trade }: { trade: boolean }) {
  const teardown = createTeardown();
  try {
    const lock = lockDataDir(config.dataDir);
    teardown.add(() => lock.release());
    const ground = createGround(config, log);
    const wants = (service: Config['services'][number]) =>
      trade ? config.services.includes(service) : service === 'gateway';
    const { prices } = openMarket(ground, teardown);
    const app = ground.makeApp('gateway', GATEWAY_ERRORS, gatewayShape);
    const gateway = wants('gateway') ? await openGateway({ app, ground, prices, teardown, trade }) : undefined;
    const apps: ServiceApp[] = [];
    const docs: Record<string, ServiceDoc> = {};
    const routes = [...(gateway === undefined ? [] : GATEWAY_ROUTES), ...OPERATIONS_ROUTES];
    mountOperations(app, {
      version: VERSION,
      environment: config.environment,
      mode: 'paper',
      prices: prices.label,
      metrics: ground.metrics,
      gate: ground.gate,
      openApi: buildOpenApi({
        title: 'Signalbox',
        version: VERSION,
        description: 'Trade signals in, interlocking checks, trades out.',
        serverUrl: config.baseUrl,
        routes,
        errorShapeSchema: errorSchema,
        others: docs,
      }),
      probes: { ...gateway?.probes },
      warnings: config.warnings,
    });
    const front = createFront(app, apps);
    return { app: front, doors: gateway?.doors ?? [], gateway, lock, tearDown: () => teardown.run() };
  } catch (error) {
    await teardown.run();
    throw error;
  }
}
