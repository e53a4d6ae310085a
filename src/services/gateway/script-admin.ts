// The operator's endpoints over script keys and deployments. They stand apart from the rest of the gateway, because they are
// served by the script process, which starts sooner when it loads nothing else of the gateway.

import type { App } from '../../http/app.ts';
import { type InternalGate, internalGates } from '../../http/internal-auth.ts';
import { mountEndpoints } from '../../http/mount-endpoints.ts';
import { type AdminDeploymentDeps, deploymentAdminEndpoints, opinionAdminEndpoints } from './admin-deployments.ts';
import { type KeyUsageDeps, keyUsageEndpoint } from './admin-key-usage.ts';
import { type AdminComparisonDeps, comparisonAdminEndpoint } from './admin-live-comparison.ts';
import { type AdminScriptKeyDeps, scriptKeyAdminEndpoints } from './admin-script-keys.ts';
import { servedByScripts } from './responses.ts';
import { type OnStorageFault, withStorageWords } from './storage-refusal.ts';

export interface ScriptAdminDeps
  extends AdminDeploymentDeps,
    AdminComparisonDeps,
    AdminScriptKeyDeps,
    Omit<KeyUsageDeps, 'keys'> {
  /** Undefined where this process keeps no script keys. */
  readonly keys: (AdminScriptKeyDeps['keys'] & KeyUsageDeps['keys']) | undefined;
  readonly onFault: OnStorageFault;
}

export function mountScriptAdmin(app: App, deps: ScriptAdminDeps, gate: InternalGate): void {
  const endpoints = [
    ...deploymentAdminEndpoints(deps),
    ...opinionAdminEndpoints(deps),
    comparisonAdminEndpoint(deps),
    ...scriptKeyAdminEndpoints(deps),
    keyUsageEndpoint(deps),
  ];
  const inWords = endpoints.map((endpoint) => withStorageWords(endpoint, deps.onFault));
  mountEndpoints(app, inWords.map(servedByScripts), internalGates(gate));
}
