// The script worker on an app without a socket, with a clock that a test turns, and stores in memory unless a test has better ones.

import { createHash } from 'node:crypto';
import { checkAnswersOf } from '../../../../tests/support/checked-app.ts';
import { openMemoryKeyValues } from '../../../adapters/storage/memory/key-values.ts';
import { createInternalGate } from '../../../http/internal-auth.ts';
import { statusShape } from '../../../http/status-shape.ts';
import { createFixture, type Fixture } from '../../../http/testing/app-fixture.ts';
import type { KeyValueStore } from '../../../keys/key-value-store.ts';
import { createScriptKeys, type ScriptKeys } from '../../../keys/script-keys.ts';
import type { Tier } from '../../../keys/tiers.ts';
import { newScriptId } from '../../../library/script-id.ts';
import type { ScriptStore } from '../../../library/script-store.ts';
import { createScripts } from '../../../library/scripts.ts';
import { memoryScriptStore } from '../../../library/testing/memory-script-store.ts';
import { memoryUsageStore } from '../../../library/testing/memory-usage-store.ts';
import { runAnswer } from '../../../library/testing/run-answer.ts';
import { createUsageCounter, type UsageStore } from '../../../library/usage.ts';
import { mountScripts, SCRIPTS_ERRORS, type ScriptsDeps } from '../index.ts';

const MEBIBYTE = 1024 * 1024;
export const ADMIN_TOKEN = 'the-admin-token-of-this-test';
export const START_MS = 1_700_000_000_000;
export const ADDRESS = '198.51.100.1';

export interface Sent {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: AnyAnswer;
}

/** The fields that tests look at, of all answers together: which of them there must be, each test says itself. */
export interface AnyAnswer {
  readonly status: string;
  readonly code: string;
  readonly message: string;
  readonly remoteRevision: number;
  readonly api_key: string;
  readonly tier: Tier;
  readonly created_at: number;
  readonly script: AnyScript;
  readonly scripts: readonly AnyScript[];
  readonly nextCursor: string | null;
  readonly draft: AnyScript | null;
  readonly versions: readonly AnyScript[];
  readonly usage: { readonly calls_used: number };
  readonly device_code: string;
}

export interface AnyScript {
  readonly id: string;
  readonly name: string;
  readonly content: string;
  readonly revision: number;
}

export interface SendOptions {
  readonly key?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text goes as it is, anything else as JSON. */
  readonly body?: unknown;
  readonly peer?: string;
}

export interface ScriptsAppOptions extends Partial<Omit<ScriptsDeps, 'keys' | 'scripts' | 'usage'>> {
  readonly keyStore?: KeyValueStore | 'none';
  readonly scriptStore?: ScriptStore | 'none';
  readonly usageStore?: UsageStore;
}

export interface ScriptsApp extends Fixture {
  readonly clock: { nowMs: number };
  readonly keys: ScriptKeys | undefined;
  readonly faults: unknown[];
  /** How often a run got as far as the evaluate contract. */
  readonly runs: () => number;
  readonly settleUsage: () => Promise<void>;
  send(method: string, path: string, options?: SendOptions): Promise<Sent>;
  /** A key of the store, the same for the same number. */
  newKey(tier?: Tier): Promise<string>;
}

const unused = (): never => {
  throw new Error('this test expects no such call');
};

export function openScriptsApp(options: ScriptsAppOptions = {}): ScriptsApp {
  const { keyStore, scriptStore, usageStore, ...deps } = options;
  const clock = { nowMs: START_MS };
  const nowMs = () => clock.nowMs;
  let drawn = 0;
  /** Different every time, and the same in every run of a test. */
  const randomBytes = (size: number): Uint8Array => {
    drawn += 1;
    return createHash('sha512').update(String(drawn)).digest().subarray(0, size);
  };
  const fixture = createFixture({
    service: 'scripts',
    errors: SCRIPTS_ERRORS,
    shape: statusShape,
    defaultBodyLimitBytes: MEBIBYTE,
  });
  checkAnswersOf(fixture.app);
  const keys =
    keyStore === 'none'
      ? undefined
      : createScriptKeys({ store: keyStore ?? openMemoryKeyValues({ nowMs }), nowMs, randomBytes });
  const faults: unknown[] = [];
  const bound = scriptStore !== 'none';
  const store = scriptStore === 'none' || scriptStore === undefined ? memoryScriptStore() : scriptStore;
  const usage = createUsageCounter({
    store: usageStore ?? memoryUsageStore(),
    nowMs,
    onFault: (error) => faults.push(error),
  });
  let runs = 0;
  const { serveRun = async (c) => c.json(runAnswer()) } = deps;
  mountScripts(fixture.app, {
    gate: createInternalGate({ token: undefined }),
    allowOpenKeys: false,
    requireRunAuth: false,
    adminToken: ADMIN_TOKEN,
    deviceFlow: { start: unused, poll: unused },
    oauthClientIds: {},
    monotonicMs: nowMs,
    audit: () => {},
    onFault: (error) => faults.push(error),
    ...deps,
    keys,
    scripts: bound ? createScripts({ store, nowMs, newId: () => newScriptId({ nowMs, randomBytes }) }) : undefined,
    publications: deps.publications,
    usage: bound ? usage : undefined,
    serveRun: (c, caller, options) => {
      runs += 1;
      return serveRun(c, caller, options);
    },
  });

  const send: ScriptsApp['send'] = async (method, path, { key, headers, body, peer = ADDRESS } = {}) => {
    const answer = await fixture.app.request(
      path,
      {
        method,
        headers: { ...(key === undefined ? {} : { authorization: `Bearer ${key}` }), ...headers },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      },
      { peer },
    );
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text, body: text === '' ? {} : JSON.parse(text) };
  };

  return {
    ...fixture,
    clock,
    keys,
    faults,
    runs: () => runs,
    settleUsage: () => usage.settle(),
    send,
    async newKey(tier = 'hobby') {
      if (keys === undefined) throw new Error('no key store is bound in this test');
      return (await keys.create(tier)).key;
    },
  };
}

/** Well-formed, and in no store. */
export const STRANGE_KEY = `pn_${'0123456789ab'.repeat(4)}`;
export const TEXT = { name: 'Cross', content: 'plot(close)' };

export const codeOf = ({ status, body }: Sent): string => `${status} ${body.code ?? body.status}`;
