// Puts the script worker's routes on an app: keys, runs, the script library, usage, and sign-in at code hosts.

import { type AdminGate, createAdminGate, requireAdmin } from '../../http/admin-gate.ts';
import type { App } from '../../http/app.ts';
import type { Audit } from '../../http/audit.ts';
import type { GuessLimit } from '../../http/guess-limit.ts';
import { type InternalGate, internalGates } from '../../http/internal-auth.ts';
import { type Gates, mountEndpoints } from '../../http/mount-endpoints.ts';
import type { KeyBindings, ScriptKeys } from '../../keys/script-keys.ts';
import type { CodeHost, DeviceFlow } from '../../library/device-flow.ts';
import type { Publications } from '../../library/publications.ts';
import type { Scripts } from '../../library/scripts.ts';
import type { UsageCounter } from '../../library/usage.ts';
import { editorEndpoints } from './editor.ts';
import { gitOauthEndpoints } from './git-oauth.ts';
import { keyEndpoints } from './keys.ts';
import { publicationEndpoints } from './publications.ts';
import { type Authenticate, createAuthenticate } from './require-key.ts';
import { type RunDeps, runEndpoint } from './run.ts';
import { libraryEndpoints } from './scripts.ts';
import { createStorageGuard, type OnFault, type StorageGuard } from './storage-refusal.ts';
import { usageEndpoint } from './usage.ts';

export { SCRIPTS_ERRORS, type ScriptsErrorCode } from './errors.ts';
export type { Authenticate } from './require-key.ts';
export type { OnFault, StorageGuard } from './storage-refusal.ts';

export interface ScriptsDeps {
  /** Over the API_KEYS store; undefined where none is bound (API_KEYS=none). */
  readonly keys: ScriptKeys | undefined;
  /** Over the durable database; undefined where none is bound (SCRIPT_DATABASE=none). */
  readonly scripts: Scripts | undefined;
  /** Published libraries, beside the scripts; undefined where nothing keeps them. */
  readonly publications: Publications | undefined;
  /** Runs per key, beside the scripts; undefined where nothing keeps them. */
  readonly usage: UsageCounter | undefined;
  /** The gate of endpoints that declare no `door`: they are internal. */
  readonly gate: InternalGate;
  readonly allowOpenKeys: boolean;
  readonly requireRunAuth: boolean;
  /** ADMIN_TOKEN; while it is empty no key is made. */
  readonly adminToken: string | undefined;
  /** Wrong admin tokens by address; not counted when left out. */
  readonly guesses?: GuessLimit;
  /** The analysis service's road to the evaluate contract. */
  readonly serveRun: RunDeps['serveRun'];
  readonly deviceFlow: DeviceFlow;
  readonly oauthClientIds: Readonly<Partial<Record<CodeHost, string | undefined>>>;
  readonly monotonicMs: () => number;
  readonly audit: Audit;
  readonly onFault: OnFault;
}

export interface ScriptWorker {
  /** For the other routes of this service that need a key. */
  readonly authenticate: Authenticate;
  readonly stored: StorageGuard;
  readonly gates: Gates;
}

/** The app must have been made with this service's error table and shape. */
export function mountScripts(app: App, deps: ScriptsDeps): ScriptWorker {
  const { keys, scripts, publications, usage, requireRunAuth, serveRun, monotonicMs } = deps;
  const bindings: KeyBindings = {
    durableDatabase: scripts !== undefined,
    lookup: keys && ((key) => keys.lookup(key)),
    allowOpenKeys: deps.allowOpenKeys,
  };
  const stored = createStorageGuard(deps.onFault);
  const authenticate = createAuthenticate(bindings, stored);
  const adminGate = createAdminGate({ token: deps.adminToken, keysOf: '--scripts', guesses: deps.guesses });
  const gates = gatesOf(deps.gate, adminGate, authenticate);
  const endpoints = [
    ...keyEndpoints({ keys, adminGate, audit: deps.audit, stored }),
    runEndpoint({ bindings, requireRunAuth, usage, publications, serveRun, stored, monotonicMs }),
    ...libraryEndpoints({ authenticate, scripts, stored }),
    ...publicationEndpoints({ authenticate, publications, stored, monotonicMs }),
    ...editorEndpoints({ authenticate, publications, serveRun, stored, monotonicMs }),
    usageEndpoint({ authenticate, usage, stored }),
    ...gitOauthEndpoints({ deviceFlow: deps.deviceFlow, clientIds: deps.oauthClientIds, monotonicMs }),
  ];
  mountEndpoints(app, endpoints, gates);
  return { authenticate, stored, gates };
}

const gatesOf = (gate: InternalGate, adminGate: AdminGate, authenticate: Authenticate): Gates => ({
  ...internalGates(gate),
  scriptKey: async (c) => void (await authenticate(c)),
  admin: (c) => requireAdmin(adminGate, c, ['x-admin-token']),
});
