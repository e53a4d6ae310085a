// The /admin routes: webhook keys and the controls. A change is stored, audited and in force when the answer leaves.

import type { App } from '../../http/app.ts';
import type { KitContext } from '../../http/context.ts';
import { Refusal } from '../../http/errors.ts';
import { readBody, readValid } from '../../http/read-body.ts';
import type { KeyError, KeyErrorCode, ListedKey, WebhookKeys } from '../../keys/webhook-keys.ts';
import type { Controls, ControlValues, SettingsStore } from '../../trading/controls.ts';
import type { GatewayErrorCode } from './errors.ts';
import { readQuery } from './read-query.ts';
import {
  allowlistSchema,
  auditQuerySchema,
  killSwitchSchema,
  limitsSchema,
  newKeySchema,
  queueModeSchema,
  rotateKeySchema,
} from './schemas.ts';

const DEFAULT_AUDIT_LIMIT = 50;

export interface AdminDeps {
  readonly keys: WebhookKeys;
  readonly controls: Controls;
  readonly settings: SettingsStore;
  /** Returns what is wrong with the entries, or nothing. */
  readonly allowlistFault: (entries: readonly string[]) => string | undefined;
  readonly nowMs: () => number;
}

const shaped = { code: 'INVALID_PAYLOAD' };

export function mountAdmin(app: App, deps: AdminDeps): void {
  mountKeys(app, deps);
  mountControls(app, deps);
  app.get('/admin/audit', (c) => {
    const { limit = DEFAULT_AUDIT_LIMIT } = readQuery(c, auditQuerySchema);
    const result = deps.settings.audit(limit).map(({ atMs, actor, setting, before, after }) => ({
      at: atMs,
      actor,
      setting,
      before: before === null ? null : JSON.parse(before),
      after: after === null ? null : JSON.parse(after),
    }));
    return answer(c, result);
  });
}

function mountKeys(app: App, { keys, settings, nowMs }: AdminDeps): void {
  const audit = (c: KitContext, before: ListedKey | null, after: ListedKey): void => {
    const entry = { atMs: nowMs(), actor: actorOf(c), setting: 'webhookKey' };
    settings.appendAudit({
      ...entry,
      before: before && JSON.stringify(keyView(before)),
      after: JSON.stringify(keyView(after)),
    });
  };
  const find = (keyId: string): ListedKey | null => keys.list().find((key) => key.keyId === keyId) ?? null;

  app.get('/admin/webhook-keys', (c) => answer(c, keys.list().map(keyView)));
  app.post('/admin/webhook-keys', async (c) => {
    const wanted = await readValid(c, newKeySchema, shaped);
    const { key, apiKey } = inHttpTerms(() => keys.create(wanted));
    audit(c, null, key);
    return answer(c, { ...keyView(key), apiKey }, 201);
  });
  app.post('/admin/webhook-keys/:keyId/rotate', async (c) => {
    const empty = (await readBody(c)).length === 0;
    const options = empty ? {} : await readValid(c, rotateKeySchema, shaped);
    const before = find(c.req.param('keyId'));
    const { key, apiKey } = inHttpTerms(() => keys.rotate(c.req.param('keyId'), options));
    audit(c, before, key);
    return answer(c, { ...keyView(key), apiKey });
  });
  app.delete('/admin/webhook-keys/:keyId', (c) => {
    const before = find(c.req.param('keyId'));
    const key = inHttpTerms(() => keys.revoke(c.req.param('keyId')));
    audit(c, before, key);
    return answer(c, keyView(key));
  });
}

function mountControls(app: App, { controls, allowlistFault }: AdminDeps): void {
  const show = {
    killSwitch: ({ killSwitch }: ControlValues) => ({ ...killSwitch, reason: killSwitch.reason ?? null }),
    queueMode: ({ queueMode }: ControlValues) => ({ mode: queueMode }),
    allowlist: ({ allowlist }: ControlValues) => ({ entries: allowlist }),
    limits: ({ limits }: ControlValues) => limits,
  };
  app.get('/admin/kill-switch', (c) => answer(c, show.killSwitch(controls.current())));
  app.put('/admin/kill-switch', async (c) => {
    controls.set('killSwitch', await readValid(c, killSwitchSchema, shaped), actorOf(c));
    return answer(c, show.killSwitch(controls.current()));
  });
  app.get('/admin/queue-mode', (c) => answer(c, show.queueMode(controls.current())));
  app.put('/admin/queue-mode', async (c) => {
    controls.set('queueMode', (await readValid(c, queueModeSchema, shaped)).mode, actorOf(c));
    return answer(c, show.queueMode(controls.current()));
  });
  app.get('/admin/allowlist', (c) => answer(c, show.allowlist(controls.current())));
  app.put('/admin/allowlist', async (c) => {
    const { entries } = await readValid(c, allowlistSchema, shaped);
    const fault = allowlistFault(entries);
    if (fault !== undefined) throw new Refusal('INVALID_PAYLOAD', `entries: ${fault}`);
    controls.set('allowlist', entries, actorOf(c));
    return answer(c, show.allowlist(controls.current()));
  });
  app.get('/admin/limits', (c) => answer(c, show.limits(controls.current())));
  app.put('/admin/limits', async (c) => {
    const change = await readValid(c, limitsSchema, shaped);
    controls.set('limits', { ...controls.current().limits, ...change }, actorOf(c));
    return answer(c, show.limits(controls.current()));
  });
}

const answer = (c: KitContext, result: unknown, status: 200 | 201 = 200): Response =>
  c.json({ success: true, requestId: c.var.requestId, result }, status);

/** Clients name themselves (the command line does); the address is ours to say. */
function actorOf(c: KitContext): string {
  const name = c.req.header('x-signalbox-actor');
  return `${name !== undefined && /^[a-z0-9-]{1,32}$/.test(name) ? name : 'api'} ${c.var.clientAddress}`;
}

function keyView(key: ListedKey) {
  return {
    keyId: key.keyId,
    label: key.label,
    exchanges: key.exchanges ?? null,
    symbols: key.symbols ?? null,
    createdAt: key.createdAtMs,
    rotatedAt: key.rotatedAtMs ?? null,
    revokedAt: key.revokedAtMs ?? null,
    static: key.static,
  };
}

const KEY_ERRORS: Readonly<Record<KeyErrorCode, GatewayErrorCode>> = {
  KEY_NOT_FOUND: 'KEY_NOT_FOUND',
  KEY_REVOKED: 'KEY_CONFLICT',
  STATIC_KEY: 'KEY_CONFLICT',
  LABEL_TAKEN: 'KEY_CONFLICT',
  TOO_MANY_KEYS: 'KEY_CONFLICT',
  INVALID_LABEL: 'INVALID_KEY_REQUEST',
  INVALID_SCOPE: 'INVALID_KEY_REQUEST',
  INVALID_GRACE: 'INVALID_KEY_REQUEST',
};

function inHttpTerms<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const code = KEY_ERRORS[(error as KeyError).code];
    if (code === undefined) throw error;
    throw new Refusal(code, (error as KeyError).message);
  }
}
