// GET /admin/key-usage: what each key of the analysis and of the script library has used of what it may, for the operator. The keys
// themselves are not told: one of the analysis by its id, one of the library by its first characters and the library it opens.

import { z } from 'zod';
import type { App } from '../../http/app.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import { type InternalGate, internalGates } from '../../http/internal-auth.ts';
import { mountEndpoints } from '../../http/mount-endpoints.ts';
import { KeysUnavailable } from '../../keys/analysis-key-store.ts';
import type { AnalysisKeys, KeyUsage } from '../../keys/analysis-keys.ts';
import { SCRIPT_KEY_TTL_MS, type ScriptKeyRecord, type ScriptKeys } from '../../keys/script-keys.ts';
import { TIERS } from '../../keys/tiers.ts';
import { RUNS_PER_WINDOW } from '../../library/run-window.ts';
import type { UsageCounter } from '../../library/usage.ts';
import { answer, TAGS } from './admin-answers.ts';
import { NO_QUERY, readQuery } from './read-query.ts';
import { ok, refused } from './responses.ts';
import { described } from './schemas.ts';

/** More than anybody reads; each is looked up by itself. */
const MOST_LISTED = 1000;
/** Tells one key from another for a person, and nobody can guess the rest. */
const SHOWN_CHARS = 9;
const MS_PER_S = 1000;

export interface KeyUsageDeps {
  /** Undefined where this instance serves no analysis. */
  readonly analysisKeys?: Pick<AnalysisKeys, 'usages'> | undefined;
  /** Undefined where this instance keeps no script keys. */
  readonly keys?: Pick<ScriptKeys, 'list'> | undefined;
  /** Undefined where nothing keeps the counts. */
  readonly scriptUsage?: Pick<UsageCounter, 'read'> | undefined;
}

const ms = z.number().int();
const calls = z.number().int();
const tier = z.enum(TIERS);

export const keyUsageSchema = z.object({
  analysis: described(
    z
      .array(
        z.object({
          keyId: z.string(),
          tier,
          callsUsed: calls,
          callsLimit: described(
            calls.nullable(),
            'In a calendar month, UTC, or for ever with USAGE_RESET=never; null: no cap',
          ),
          callsLeft: described(calls.nullable(), 'null: no cap'),
          createdAt: ms,
          lastUsedAt: ms.nullable(),
          resetAt: described(ms.nullable(), 'When counting starts again; null: never'),
        }),
      )
      .nullable(),
    `The oldest first, ${MOST_LISTED} at most; null where no analysis is served here`,
  ),
  scripts: described(
    z
      .array(
        z.object({
          keyStart: described(z.string(), 'The first characters of the key'),
          userId: described(z.string(), 'Of the library that it opens'),
          tier,
          callsUsed: described(calls.nullable(), 'Runs in all; null where nothing keeps the counts'),
          callsPerMinute: described(calls, 'How many runs are let in'),
          createdAt: ms,
          expiresAt: ms,
          lastUsedAt: ms.nullable(),
        }),
      )
      .nullable(),
    `The oldest first, ${MOST_LISTED} at most; null where no script keys are kept here`,
  ),
});
type AnalysisRow = NonNullable<z.infer<typeof keyUsageSchema>['analysis']>[number];
type ScriptRow = NonNullable<z.infer<typeof keyUsageSchema>['scripts']>[number];

export const keyUsageEndpoint = ({ analysisKeys, keys, scriptUsage }: KeyUsageDeps): Endpoint => ({
  method: 'get',
  path: '/admin/key-usage',
  summary: 'What keys of the analysis and of the script library have used, against what they may',
  tags: TAGS,
  responses: { ...ok('As of now', keyUsageSchema), 400: refused('INVALID_QUERY') },
  async handler(c) {
    readQuery(c, NO_QUERY);
    const analysis = analysisKeys && (await analysisKeys.usages(MOST_LISTED).catch(inGatewayTerms)).map(analysisRow);
    const listed = keys && (await keys.list(MOST_LISTED));
    const scripts = listed && (await Promise.all(listed.map((key) => scriptRow(key, scriptUsage))));
    return answer(c, { analysis: analysis ?? null, scripts: scripts ?? null });
  },
});

/** For an instance without a script process, which has such keys of neither kind. */
export const mountKeyUsage = (app: App, deps: KeyUsageDeps, gate: InternalGate): void =>
  mountEndpoints(app, [keyUsageEndpoint(deps)], internalGates(gate));

/** The file of the analysis keys is another process's, or damaged: its words say what to do. */
function inGatewayTerms(error: unknown): never {
  if (error instanceof KeysUnavailable) throw new Refusal('STORAGE_FAILED', error.message, { cause: error });
  throw error;
}

const orNull = <T>(value: T | 'unlimited'): T | null => (value === 'unlimited' ? null : value);
const inMs = (seconds: number): number => seconds * MS_PER_S;

function analysisRow({ keyId, tier: granted, usage }: KeyUsage): AnalysisRow {
  const { calls_used, calls_limit, calls_remaining, created_at, last_used, reset_at } = usage;
  return {
    ...{ keyId, tier: granted, callsUsed: calls_used },
    // 0 is the published way to say that a tier has no cap.
    callsLimit: calls_limit === 0 ? null : orNull(calls_limit),
    callsLeft: orNull(calls_remaining),
    createdAt: inMs(created_at),
    lastUsedAt: last_used === null ? null : inMs(last_used),
    resetAt: reset_at === null ? null : inMs(reset_at),
  };
}

async function scriptRow(record: ScriptKeyRecord, usage: KeyUsageDeps['scriptUsage']): Promise<ScriptRow> {
  const { key, userId, tier: granted, createdAt } = record;
  const counted = usage && { ...(await usage.read(userId)) };
  return {
    ...{ keyStart: key.slice(0, SHOWN_CHARS), userId, tier: granted },
    callsUsed: counted === undefined ? null : (counted.calls ?? 0),
    callsPerMinute: RUNS_PER_WINDOW,
    createdAt,
    expiresAt: createdAt + SCRIPT_KEY_TTL_MS,
    lastUsedAt: counted?.lastUsedAtMs ?? null,
  };
}
