// The /admin endpoints: webhook keys and the controls. A change is stored, audited and in force when the answer leaves.

import { z } from 'zod';
import { actorOf } from '../../http/audit.ts';
import type { KitContext } from '../../http/context.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import { readValid } from '../../http/read-body.ts';
import type { Journal } from '../../trading/books/journal.ts';
import type { Enforced } from '../../trading/execution/kill-switch-guard.ts';
import {
  type AuditSearch,
  type ControlChanges,
  type Controls,
  type ControlValues,
  KILL_SCOPES,
  type KillSwitch,
  type NumberedAuditEntry,
  SettingFromEnvironment,
} from '../../trading/intake/controls.ts';
import { type LimitSubject, type Restrictions, SUBJECT_KINDS } from '../../trading/intake/restrictions.ts';
import type { SymbolMap } from '../../trading/intake/symbol-map.ts';
import { answer, shaped, TAGS } from './admin-answers.ts';
import { type AdminKeyDeps, keyEndpoints } from './admin-keys.ts';
import {
  allowlistSchema,
  auditQuerySchema,
  auditSchema,
  killSwitchSchema,
  limitsSchema,
  queueModeSchema,
} from './admin-schemas.ts';
import { symbolMapEndpoints } from './admin-symbol-map.ts';
import { closedSchema, closedView } from './close-positions.ts';
import { EMAIL_SENDER } from './email-signal.ts';
import { canceledOrderSchema } from './order-schemas.ts';
import { shownOf } from './orders.ts';
import { readQuery } from './read-query.ts';
import { BAD_BODY, ok, refused } from './responses.ts';
import { type EnforcedBy, restrictionEndpoints } from './restrictions.ts';
import { answerOf, described } from './schemas.ts';

const DEFAULT_AUDIT_LIMIT = 50;

export interface AdminDeps extends AdminKeyDeps {
  readonly controls: Controls;
  readonly findInAudit: (wanted: AuditSearch) => Promise<readonly NumberedAuditEntry[]>;
  readonly symbols: SymbolMap;
  readonly journal: Pick<Journal, 'orders' | 'trade' | 'trades'>;
  /** What came of the last turn of a kill switch; without an owner, of the one over everything. */
  readonly enforced: EnforcedBy;
  /** How many opening orders of a subject rest at the venues. */
  readonly waitingEntries: (subject: LimitSubject) => number;
  /** Returns what is wrong with the entries, or nothing. */
  readonly allowlistFault: (entries: readonly string[]) => string | undefined;
}

export const adminEndpoints = (deps: AdminDeps): readonly Endpoint[] => [
  ...keyEndpoints(deps),
  ...controlEndpoints(deps),
  ...symbolMapEndpoints(deps.symbols),
  ...restrictionEndpoints({
    restrictions: deps.restrictions,
    subjects: { ...deps, keys: () => [...deps.keys.list(), EMAIL_SENDER] },
    enforcedView: async (subject) => enforcedView(await deps.enforced(subject), deps.journal),
    enforcedSchema,
    waitingEntries: deps.waitingEntries,
  }),
  {
    method: 'get',
    path: '/admin/audit',
    summary: 'Who changed what, newest first',
    tags: TAGS,
    query: auditQuerySchema,
    responses: { ...ok('Changes', z.array(auditSchema)), 400: refused('INVALID_QUERY') },
    async handler(c) {
      const { limit = DEFAULT_AUDIT_LIMIT, before: beforeId, search } = readQuery(c, auditQuerySchema);
      const entries = await deps.findInAudit({ limit, before: beforeId, search });
      const result = entries.map(({ seq, atMs, actor, setting, before, after }) => ({
        id: seq,
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

const sourceSchema = z.enum(['environment', '.env', 'stored', 'default']);
/** The source stands beside the value, so that a value that was read can be sent back as it is. */
const sourced = (description: string, schema: z.ZodType, further: z.ZodRawShape = {}) => ({
  200: {
    description,
    schema: answerOf(schema).extend({
      source: z.union([sourceSchema, z.record(z.string(), sourceSchema)]),
      ...further,
    }),
  },
});

function sourceOf(controls: Controls, name: keyof ControlValues) {
  const { webhookRatePerMinute, failedAuthPerMinute, ...others } = controls.sources();
  return name === 'limits' ? { webhookRatePerMinute, failedAuthPerMinute } : others[name];
}

async function setControl<N extends keyof ControlValues>(
  controls: Controls,
  name: N,
  change: ControlChanges[N],
  actor: string,
): Promise<void> {
  try {
    await controls.set(name, change, actor);
  } catch (error) {
    if (error instanceof SettingFromEnvironment) throw new Refusal('SETTING_FROM_ENVIRONMENT', error.message);
    throw error;
  }
}

/** Reading and setting one control: the schema is that of both, and the answer is what is in force then. */
interface ControlForm<N extends keyof ControlValues, T> {
  readonly name: N;
  readonly path: string;
  readonly summary: string;
  readonly schema: z.ZodType<T>;
  readonly bodyExample: NoInfer<T>;
  show(values: ControlValues): unknown;
  change(body: T): ControlChanges[N];
  /** What must be known with the value, told beside it. */
  readonly beside?: { readonly schema: z.ZodRawShape; of(): object };
  /** What a change leads to, told beside the value. */
  readonly consequence?: { readonly schema: z.ZodRawShape; of(): Promise<object> };
}

function readAndSet<N extends keyof ControlValues, T>(
  controls: Controls,
  form: ControlForm<N, T>,
): readonly Endpoint[] {
  const { name, path, summary, schema, bodyExample } = form;
  const present = (c: KitContext, consequence: object = {}): Response =>
    c.json({
      success: true,
      requestId: c.var.requestId,
      result: form.show(controls.current()),
      source: sourceOf(controls, name),
      ...form.beside?.of(),
      ...consequence,
    });
  const common = { path, tags: TAGS };
  return [
    {
      ...common,
      method: 'get',
      summary: `Read ${summary}`,
      responses: sourced('The present value', schema, form.beside?.schema),
      handler: (c) => present(c),
    },
    {
      ...common,
      method: 'put',
      summary: `Set ${summary}`,
      body: schema,
      bodyExample,
      responses: {
        ...sourced('In force from now on', schema, { ...form.beside?.schema, ...form.consequence?.schema }),
        400: BAD_BODY,
        409: refused('SETTING_FROM_ENVIRONMENT'),
      },
      async handler(c) {
        await setControl(controls, name, form.change(await readValid(c, schema, shaped)), actorOf(c));
        return present(c, await form.consequence?.of());
      },
    },
  ];
}

/** A switch that is off shows what turning it on does unless it is said otherwise. */
const shownKillSwitch = ({ active, scope, cancelEntries, flatten, reason, by }: KillSwitch) => ({
  ...{ active, scope, cancelEntries: active ? (cancelEntries ?? false) : true, flatten: flatten ?? false },
  ...{ reason: reason ?? null, ...(by && { by }) },
});

const enforcedSchema = {
  canceled: described(z.array(canceledOrderSchema), 'The opening orders that were withdrawn, or not yet'),
  closed: described(z.array(closedSchema), 'The positions that were closed, or not yet'),
};

async function enforcedView({ canceled, closed }: Enforced, journal: AdminDeps['journal']) {
  return { canceled: await shownOf(journal, canceled), closed: closed.map(closedView) };
}

const besideKillSwitch = (controls: Pick<Controls, 'current'>, restrictions: Pick<Restrictions, 'list'>) => ({
  schema: {
    since: described(
      z.int().nullable(),
      'Since when it has been on, however often it was made stricter; null while it is off, or where an earlier version threw it',
    ),
    others: described(
      z.array(
        z.object({
          kind: z.enum(SUBJECT_KINDS),
          name: z.string(),
          scope: z.enum(KILL_SCOPES),
          reason: z.string().nullable(),
        }),
      ),
      'The switches of keys, strategies, accounts and symbols that are on: this one says nothing of them',
    ),
  },
  of: () => ({
    since: controls.current().killSwitch.sinceMs ?? null,
    others: restrictions.list().flatMap(({ kind, name, killSwitch }) => {
      return killSwitch ? [{ kind, name, scope: killSwitch.scope, reason: killSwitch.reason ?? null }] : [];
    }),
  }),
});

function controlEndpoints({
  controls,
  restrictions,
  allowlistFault,
  enforced,
  journal,
}: AdminDeps): readonly Endpoint[] {
  return [
    ...readAndSet(controls, {
      name: 'killSwitch',
      path: '/admin/kill-switch',
      summary: 'the kill switch',
      schema: killSwitchSchema,
      bodyExample: { active: true, scope: 'entries', cancelEntries: true, flatten: false },
      show: ({ killSwitch }) => shownKillSwitch(killSwitch),
      change: ({ active, scope, cancelEntries, flatten, reason }) => ({
        ...{ active, scope },
        ...(active && { cancelEntries, flatten }),
        ...(reason != null && { reason }),
      }),
      beside: besideKillSwitch(controls, restrictions),
      consequence: {
        schema: enforcedSchema,
        of: async () => enforcedView(await enforced(), journal),
      },
    }),
    ...readAndSet(controls, {
      name: 'queueMode',
      path: '/admin/queue-mode',
      summary: 'the queue mode',
      schema: queueModeSchema,
      bodyExample: { mode: 'failover' },
      show: ({ queueMode }) => ({ mode: queueMode }),
      change: ({ mode }) => mode,
    }),
    ...readAndSet(controls, {
      name: 'allowlist',
      path: '/admin/allowlist',
      summary: 'the address allowlist',
      schema: allowlistSchema,
      bodyExample: { entries: ['tradingview'] },
      show: ({ allowlist }) => ({ entries: allowlist }),
      change({ entries }) {
        const fault = allowlistFault(entries);
        if (fault !== undefined) throw new Refusal('INVALID_PAYLOAD', `entries: ${fault}`);
        return entries;
      },
    }),
    ...readAndSet(controls, {
      name: 'limits',
      path: '/admin/limits',
      summary: 'the rate limits',
      schema: limitsSchema,
      bodyExample: { webhookRatePerMinute: 120 },
      show: ({ limits }) => limits,
      change: (body) => body,
    }),
  ];
}
