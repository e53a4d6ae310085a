// The whole table of endpoints as the program mounts it, with nothing behind the doors: what /openapi.json is made from.

import { openSessions } from '../../src/composition/access.ts';
import type { ServiceDoc } from '../../src/http/openapi.ts';
import { socketEndpoint } from '../../src/http/socket-handshake.ts';
import { statusErrorSchema } from '../../src/http/status-shape.ts';
import { createFixture } from '../../src/http/testing/app-fixture.ts';
import { ANALYSIS_ERRORS, mountAnalysis } from '../../src/services/analysis/index.ts';
import { mountPages } from '../../src/services/dashboard/pages.ts';
import { mountArchive } from '../../src/services/gateway/admin-archive.ts';
import { mountBackups } from '../../src/services/gateway/admin-backups.ts';
import { mountBars } from '../../src/services/gateway/bars.ts';
import { GATEWAY_ERRORS, errorSchema as gatewayErrors, mountGateway } from '../../src/services/gateway/index.ts';
import { mountScriptAdmin } from '../../src/services/gateway/script-admin.ts';
import { mountOperations } from '../../src/services/operations/index.ts';
import { deploymentEndpoints } from '../../src/services/scripts/deployments.ts';
import { mountScripts, SCRIPTS_ERRORS } from '../../src/services/scripts/index.ts';
import { comparisonEndpoint } from '../../src/services/scripts/live-comparison.ts';
import { keptRunEndpoints } from '../../src/services/scripts/runs.ts';
import { STREAM_DOC } from '../../src/services/scripts/stream.ts';

/** Every field of it is itself, and so is what it returns: handlers are made over it, and never called. Settings are left out. */
const nothing: never = new Proxy(() => {}, {
  get: (_, name) => (/token$|PerMinute$/i.test(String(name)) ? undefined : nothing),
  apply: () => nothing,
}) as never;

/** By the name of the service; the gateway's is empty, as in the program's own description. */
export function apiTable(): Readonly<Record<string, ServiceDoc>> {
  const gateway = createFixture({ errors: GATEWAY_ERRORS }).app;
  mountGateway(gateway, nothing);
  openSessions({ app: gateway, context: nothing, store: nothing, onTrouble: nothing });
  mountScriptAdmin(gateway, nothing, nothing);
  mountBackups(gateway, nothing, nothing);
  mountArchive(gateway, nothing, nothing);
  mountBars(gateway, nothing, nothing);
  mountPages(gateway, nothing, nothing);
  mountOperations(gateway, nothing);
  const analysis = createFixture({ errors: ANALYSIS_ERRORS }).app;
  mountAnalysis(analysis, nothing);
  const scripts = createFixture({ errors: SCRIPTS_ERRORS }).app;
  mountScripts(scripts, nothing);
  return {
    '': { endpoints: gateway.endpoints, errorShapeSchema: gatewayErrors },
    Analysis: { endpoints: analysis.endpoints, errorShapeSchema: statusErrorSchema },
    Scripts: {
      endpoints: [
        ...scripts.endpoints,
        ...deploymentEndpoints(nothing),
        comparisonEndpoint(nothing),
        ...keptRunEndpoints(nothing),
        socketEndpoint(STREAM_DOC),
      ],
      errorShapeSchema: statusErrorSchema,
    },
  };
}
