// Puts the script worker's routes on an app: keys, runs, the script library, usage, and sign-in at code hosts.

import { createAdminGate } from '../../http/admin-gate.ts';
import type { App } from '../../http/app.ts';
import type { KitContext } from '../../http/context.ts';
import type { KeyBindings, ScriptKeys } from '../../keys/script-keys.ts';
import type { CodeHost, DeviceFlow } from '../../library/device-flow.ts';
import type { Scripts } from '../../library/scripts.ts';
import type { UsageCounter } from '../../library/usage.ts';
import { mountGitOauth } from './git-oauth.ts';
import { mountKeys } from './keys.ts';
import { type Authenticate, createAuthenticate } from './require-key.ts';
import { mountRun } from './run.ts';
import { mountScriptRoutes } from './scripts.ts';
import { createStored, type OnFault, type Stored } from './stored.ts';
import { mountUsage } from './usage.ts';

export { SCRIPTS_ERRORS, type ScriptsErrorCode } from './errors.ts';
export type { Authenticate } from './require-key.ts';
export { SCRIPTS_ROUTES } from './routes.ts';
export { errorSchema } from './schemas.ts';
export type { OnFault, Stored } from './stored.ts';

export interface ScriptsDeps {
  /** Over the API_KEYS store; undefined where none is bound (API_KEYS=none). */
  readonly keys: ScriptKeys | undefined;
  /** Over the durable database; undefined where none is bound (SCRIPT_DATABASE=none). */
  readonly scripts: Scripts | undefined;
  /** Runs per key, beside the scripts; undefined where nothing keeps them. */
  readonly usage: UsageCounter | undefined;
  readonly allowOpenKeys: boolean;
  readonly requireRunAuth: boolean;
  /** ADMIN_TOKEN; while it is empty no key is made. */
  readonly adminToken: string | undefined;
  /** The analysis service's road to the evaluate contract. */
  readonly serveRun: (c: KitContext) => Promise<Response>;
  readonly deviceFlow: DeviceFlow;
  readonly oauthClientIds: Readonly<Partial<Record<CodeHost, string | undefined>>>;
  readonly monotonicMs: () => number;
  readonly onFault: OnFault;
}

export interface ScriptWorker {
  /** For the other routes of this service that need a key. */
  readonly authenticate: Authenticate;
  readonly stored: Stored;
}

/** The app must have been made with this service's error table and shape. */
export function mountScripts(app: App, deps: ScriptsDeps): ScriptWorker {
  const { keys, scripts, usage, requireRunAuth, serveRun, monotonicMs } = deps;
  const bindings: KeyBindings = {
    durableDatabase: scripts !== undefined,
    lookup: keys?.lookup,
    allowOpenKeys: deps.allowOpenKeys,
  };
  const stored = createStored(deps.onFault);
  const authenticate = createAuthenticate(bindings, stored);
  mountKeys(app, { keys, adminGate: createAdminGate({ token: deps.adminToken }), stored });
  mountRun(app, { bindings, requireRunAuth, usage, serveRun, stored, monotonicMs });
  mountScriptRoutes(app, { authenticate, scripts, stored });
  mountUsage(app, { authenticate, usage, stored });
  mountGitOauth(app, { deviceFlow: deps.deviceFlow, clientIds: deps.oauthClientIds, monotonicMs });
  return { authenticate, stored };
}
