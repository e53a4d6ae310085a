// /admin/restrictions: the limits, the pause and the kill switch of a key, a strategy, an account or a symbol. In force at once.

import { z } from 'zod';
import { actorOf } from '../../http/audit.ts';
import type { KitContext } from '../../http/context.ts';
import { type Endpoint, paramOf } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import { readValid } from '../../http/read-body.ts';
import type { Enforced } from '../../trading/execution/kill-switch-guard.ts';
import type { SwitchSubject } from '../../trading/execution/kill-switch-targets.ts';
import {
  type FoundSubject,
  findSubject,
  fullAccount,
  type SubjectSights,
  subjectDoubts,
} from '../../trading/intake/find-subject.ts';
import { marketOf } from '../../trading/intake/market-symbol.ts';
import {
  isEmpty,
  keptScope,
  type LimitPatch,
  type LimitSubject,
  patched,
  type Restriction,
  type Restrictions,
  type SubjectKind,
  TooManyRestrictions,
  type TradeLimits,
} from '../../trading/intake/restrictions.ts';
import { answer, shaped, TAGS } from './admin-answers.ts';
import { killSwitchSchema } from './admin-schemas.ts';
import { NO_QUERY, readQuery } from './read-query.ts';
import { ok, refused } from './responses.ts';
import {
  doubtsSchema,
  limitPatchSchema,
  pauseSchema,
  removedSchema,
  restrictionSchema,
  subjectParams,
  waitingSchema,
} from './restriction-schemas.ts';
import { answerOf, errorSchema } from './schemas.ts';

export interface RestrictionDeps {
  readonly restrictions: Restrictions;
  readonly subjects: SubjectSights;
  /** What came of the last turn of a kill switch, ready to be shown. */
  readonly enforcedView: (subject: SwitchSubject) => Promise<{ readonly canceled: unknown; readonly closed: unknown }>;
  readonly enforcedSchema: { readonly canceled: z.ZodType; readonly closed: z.ZodType };
  readonly waitingEntries: (subject: LimitSubject) => number;
}

export type EnforcedBy = (subject?: SwitchSubject) => Promise<Enforced>;

const PATH = '/admin/restrictions';
const OF_ONE = `${PATH}/{kind}/{name}`;
const FAULTS = {
  400: refused('INVALID_JSON, INVALID_PAYLOAD, INVALID_QUERY: every fault at once, each with its remedy'),
  404: refused('KEY_NOT_FOUND'),
  409: refused('TOO_MANY_RESTRICTIONS'),
  422: {
    description: 'UNKNOWN_ACCOUNT, UNKNOWN_SYMBOL',
    schema: errorSchema.extend({ nearest: z.array(z.string()).optional() }),
  },
};

const CHANGED = answerOf(restrictionSchema).extend(doubtsSchema);
const LIMITS_CHANGED = { 200: { description: 'In force from now on', schema: CHANGED.extend(removedSchema) } };
const REPLACE = {
  method: 'put',
  summary: 'Set the limits of one, as a whole',
  description:
    'A limit that is not named is removed, and told in removed. What a key may trade at all (venues, symbols, actions, accounts) stays unless it is named; null opens it.',
} as const;
const CHANGE = {
  method: 'patch',
  summary: 'Change single limits of one',
  description: 'A limit that is not named stays, null removes it.',
} as const;

export const restrictionEndpoints = (deps: RestrictionDeps): readonly Endpoint[] => [
  {
    method: 'get',
    path: PATH,
    summary: 'Limits, pauses and kill switches of keys, strategies, accounts and symbols',
    tags: TAGS,
    responses: { ...ok('By kind and name', z.array(restrictionSchema)), 400: refused('INVALID_QUERY') },
    handler(c) {
      readQuery(c, NO_QUERY);
      return answer(c, deps.restrictions.list().map(view));
    },
  },
  limitsEndpoint(deps, REPLACE, keptScope),
  limitsEndpoint(deps, CHANGE, ({ limits }) => limits),
  removeEndpoint(deps),
  pauseEndpoint(deps),
  killSwitchEndpoint(deps),
];

/** PUT and PATCH of the limits differ in what becomes of those that the body does not name. */
const limitsEndpoint = (
  deps: RestrictionDeps,
  how: Pick<Endpoint, 'method' | 'summary' | 'description'>,
  kept: (present: Restriction) => TradeLimits,
): Endpoint => ({
  ...how,
  path: `${OF_ONE}/limits`,
  tags: TAGS,
  params: subjectParams,
  body: limitPatchSchema,
  bodyExample: { largestOrder: 1000, openPositions: 3 },
  responses: { ...LIMITS_CHANGED, ...FAULTS },
  async handler(c) {
    const subject = await subjectOf(c, deps.subjects);
    const patch = plainLimits(await readValid(c, limitPatchSchema, shaped), deps.subjects);
    return limitsChanged(c, deps, subject, (present) => patched(kept(present), patch));
  },
});

const removeEndpoint = (deps: RestrictionDeps): Endpoint => ({
  method: 'delete',
  path: `${OF_ONE}/limits`,
  summary: 'Remove the limits of one, the scope of a key too; a pause or a kill switch stays',
  tags: TAGS,
  params: subjectParams,
  responses: { ...LIMITS_CHANGED, 400: refused('INVALID_QUERY'), 404: FAULTS[404], 422: FAULTS[422] },
  handler: async (c) => limitsChanged(c, deps, await subjectOf(c, deps.subjects), () => ({})),
});

/** Whoever tightens one limit must see at once that another went. */
async function limitsChanged(
  c: KitContext,
  { restrictions, subjects }: RestrictionDeps,
  subject: LimitSubject,
  change: (present: Restriction) => TradeLimits,
): Promise<Response> {
  let before: TradeLimits = {};
  const limitsFor = (present: Restriction): TradeLimits => {
    before = present.limits;
    return change(present);
  };
  const row = await inHttpTerms(() => restrictions.changeLimits(subject, limitsFor, actorOf(c)));
  const removed = Object.keys(before).filter((limit) => !Object.hasOwn(row.limits, limit));
  return told(c, row, subjects, { removed });
}

/** A warning where the subject may not be the one that was meant, after the change: it holds nothing up. */
async function told(c: KitContext, row: Restriction, subjects: SubjectSights, further: object = {}): Promise<Response> {
  const warnings = isEmpty(row) ? [] : await subjectDoubts(row, subjects);
  return c.json({
    ...{ success: true, requestId: c.var.requestId, result: view(row), ...further },
    ...(warnings.length > 0 && { warnings }),
  });
}

const pauseEndpoint = ({ restrictions, subjects, waitingEntries, ...deps }: RestrictionDeps): Endpoint => ({
  method: 'put',
  path: `${OF_ONE}/pause`,
  summary: 'Pause one, or let it go on',
  description:
    'A paused key sends nothing at all. A paused strategy, account or symbol takes no entries; closes pass. Entries that rest at a venue already stay, and may fill, unless cancelEntries withdraws them; waitingEntries tells how many do.',
  tags: TAGS,
  params: subjectParams,
  body: pauseSchema,
  bodyExample: { paused: true, reason: 'away until Monday', cancelEntries: true },
  responses: {
    200: {
      description: 'In force from now on',
      schema: CHANGED.extend({ canceled: deps.enforcedSchema.canceled, ...waitingSchema }),
    },
    ...FAULTS,
  },
  async handler(c) {
    const subject = await subjectOf(c, subjects);
    const { paused, reason, cancelEntries } = await readValid(c, pauseSchema, shaped);
    const how = { reason: reason ?? undefined, cancelEntries };
    const row = await inHttpTerms(() =>
      paused ? restrictions.pause(subject, how, actorOf(c)) : restrictions.resume(subject, actorOf(c)),
    );
    const { canceled } = await deps.enforcedView({ ...subject, isPause: true });
    return told(c, row, subjects, { canceled, waitingEntries: waitingEntries(subject) });
  },
});

const killSwitchEndpoint = ({ restrictions, subjects, enforcedView, enforcedSchema }: RestrictionDeps): Endpoint => ({
  method: 'put',
  path: `${OF_ONE}/kill-switch`,
  summary: 'Turn the kill switch of one',
  tags: TAGS,
  params: subjectParams,
  body: killSwitchSchema,
  bodyExample: { active: true, scope: 'entries', cancelEntries: true, flatten: false },
  responses: {
    200: { description: 'In force from now on', schema: CHANGED.extend(enforcedSchema) },
    ...FAULTS,
  },
  async handler(c) {
    const subject = await subjectOf(c, subjects);
    const { active, scope, cancelEntries, flatten, reason } = await readValid(c, killSwitchSchema, shaped);
    const effect = active ? { cancelEntries, flatten } : {};
    const killSwitch = { active, scope, ...effect, ...(reason != null && { reason }) };
    const row = await inHttpTerms(() => restrictions.turnKillSwitch(subject, killSwitch, actorOf(c)));
    return told(c, row, subjects, await enforcedView(subject));
  },
});

async function subjectOf(c: KitContext, subjects: SubjectSights): Promise<LimitSubject> {
  const kind = subjectParams.shape.kind.safeParse(paramOf(c, 'kind'));
  if (!kind.success)
    throw new Refusal('INVALID_QUERY', `kind: is one of ${subjectParams.shape.kind.options.join(', ')}`);
  return orRefuse(await findSubject({ kind: kind.data as SubjectKind, name: paramOf(c, 'name') }, subjects));
}

const CODES = {
  form: 'INVALID_QUERY',
  'unknown-key': 'KEY_NOT_FOUND',
  'unknown-account': 'UNKNOWN_ACCOUNT',
  'unknown-symbol': 'UNKNOWN_SYMBOL',
} as const;

function orRefuse<T extends object>(found: T | Extract<FoundSubject, { readonly fault: string }>): T {
  if (!('fault' in found)) return found;
  const { cause, fault, nearest } = found as Extract<FoundSubject, { readonly fault: string }>;
  throw new Refusal(CODES[cause], fault, nearest && { extra: { nearest } });
}

/** Markets and accounts by the one name that each of them has. */
function plainLimits(limits: z.infer<typeof limitPatchSchema>, { accounts }: SubjectSights): LimitPatch {
  const { symbols, accounts: names, ...others } = limits;
  const plain = {
    ...others,
    symbols: symbols && distinct(symbols.map(plainMarket)),
    accounts: names && distinct(names.map((name) => orRefuse(fullAccount(name, accounts)).name)),
  };
  return JSON.parse(JSON.stringify(plain)) as LimitPatch;
}

const distinct = (names: readonly string[]): readonly string[] => [...new Set(names)];

function plainMarket(symbol: string): string {
  const market = marketOf(symbol);
  if (market === undefined)
    throw new Refusal('INVALID_PAYLOAD', `symbols: ${JSON.stringify(symbol)} names no market; write it as BTCUSDT`);
  return market;
}

async function inHttpTerms(change: () => Promise<Restriction>): Promise<Restriction> {
  try {
    return await change();
  } catch (error) {
    if (error instanceof TooManyRestrictions) throw new Refusal('TOO_MANY_RESTRICTIONS', error.message);
    throw error;
  }
}

const view = ({ kind, name, limits, pause, killSwitch }: Restriction) => ({
  ...{ kind, name, limits },
  ...{ paused: pause !== undefined, pausedAt: pause?.sinceMs ?? null, pauseReason: pause?.reason ?? null },
  pauseCancelsEntries: pause?.cancelEntries ?? false,
  killSwitch: killSwitch ? { ...killSwitch, reason: killSwitch.reason ?? null } : null,
});
