// The /admin endpoints: webhook keys and the controls. A change is stored, audited and in force when the answer leaves.

import { z } from 'zod';
import type { Endpoint } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import { readValid } from '../../http/read-body.ts';
import type { Controls, ControlValues, SettingsStore } from '../../trading/controls.ts';
import { actorOf, answer, shaped, TAGS } from './admin-answers.ts';
import { type AdminKeyDeps, keyEndpoints } from './admin-keys.ts';
import { readQuery } from './read-query.ts';
import { ok, refused } from './responses.ts';
import {
  allowlistSchema,
  auditQuerySchema,
  auditSchema,
  killSwitchSchema,
  limitsSchema,
  queueModeSchema,
} from './schemas.ts';

const DEFAULT_AUDIT_LIMIT = 50;

export interface AdminDeps extends AdminKeyDeps {
  readonly controls: Controls;
  readonly settings: SettingsStore;
  /** Returns what is wrong with the entries, or nothing. */
  readonly allowlistFault: (entries: readonly string[]) => string | undefined;
}

export const adminEndpoints = (deps: AdminDeps): readonly Endpoint[] => [
  ...keyEndpoints(deps),
  ...controlEndpoints(deps),
  {
    method: 'get',
    path: '/admin/audit',
    summary: 'Who changed what, newest first',
    tags: TAGS,
    query: auditQuerySchema,
    responses: ok('Changes', z.array(auditSchema)),
    handler(c) {
      const { limit = DEFAULT_AUDIT_LIMIT } = readQuery(c, auditQuerySchema);
      const result = deps.settings.audit(limit).map(({ atMs, actor, setting, before, after }) => ({
        at: atMs,
        actor,
        setting,
        before: before === null ? null : JSON.parse(before),
        after: after === null ? null : JSON.parse(after),
      }));
      return answer(c, result);
    },
  },
];

function controlEndpoints({ controls, allowlistFault }: AdminDeps): readonly Endpoint[] {
  /** Reading and setting one control: the schema is that of both, and the answer is what is in force then. */
  const control = <T>(
    path: string,
    summary: string,
    schema: z.ZodType<T>,
    bodyExample: NoInfer<T>,
    show: (values: ControlValues) => unknown,
    set: (value: T, actor: string) => void,
  ): readonly Endpoint[] => [
    {
      method: 'get',
      path,
      summary: `Read ${summary}`,
      tags: TAGS,
      responses: ok('The present value', schema),
      handler: (c) => answer(c, show(controls.current())),
    },
    {
      method: 'put',
      path,
      summary: `Set ${summary}`,
      tags: TAGS,
      body: schema,
      bodyExample,
      responses: { ...ok('In force from now on', schema), 400: refused('INVALID_PAYLOAD') },
      async handler(c) {
        set(await readValid(c, schema, shaped), actorOf(c));
        return answer(c, show(controls.current()));
      },
    },
  ];
  return [
    ...control(
      '/admin/kill-switch',
      'the kill switch',
      killSwitchSchema,
      { active: true, scope: 'entries' },
      ({ killSwitch }) => ({ ...killSwitch, reason: killSwitch.reason ?? null }),
      (value, actor) => controls.set('killSwitch', value, actor),
    ),
    ...control(
      '/admin/queue-mode',
      'the queue mode',
      queueModeSchema,
      { mode: 'failover' },
      ({ queueMode }) => ({ mode: queueMode }),
      ({ mode }, actor) => controls.set('queueMode', mode, actor),
    ),
    ...control(
      '/admin/allowlist',
      'the address allowlist',
      allowlistSchema,
      { entries: ['tradingview'] },
      ({ allowlist }) => ({ entries: allowlist }),
      ({ entries }, actor) => {
        const fault = allowlistFault(entries);
        if (fault !== undefined) throw new Refusal('INVALID_PAYLOAD', `entries: ${fault}`);
        controls.set('allowlist', entries, actor);
      },
    ),
    ...control(
      '/admin/limits',
      'the rate limits',
      limitsSchema,
      { webhookRatePerMinute: 120 },
      ({ limits }) => limits,
      (change, actor) => controls.set('limits', { ...controls.current().limits, ...change }, actor),
    ),
  ];
}
