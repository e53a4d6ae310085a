// The Analysis API over a real key store and a clock that a test sets, with a drawer that answers at once unless told else.

import { hash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openAnalysisKeys as openJson } from '../../src/adapters/storage/json-file/analysis-keys.ts';
import { openAnalysisKeys as openSqlite } from '../../src/adapters/storage/sqlite/analysis-keys.ts';
import type { AnalysisKey, AnalysisKeyStore } from '../../src/keys/analysis-key-store.ts';
import { createAnalysisKeys } from '../../src/keys/analysis-keys.ts';
import type { Tier } from '../../src/keys/tiers.ts';
import type { UsageReset } from '../../src/keys/usage.ts';
import type { Drawn } from '../../src/library/chart-drawing.ts';
import type { AnalysisDeps } from '../../src/services/analysis/index.ts';
import {
  type AnalysisApp,
  openAnalysis,
  type Script,
  type Sent,
} from '../../src/services/analysis/testing/analysis-app.ts';

export type StoreName = 'json' | 'sqlite';

export const START_MS = Date.UTC(2026, 10, 15, 12);
export const START_S = START_MS / 1000;
export const DRAWN: Drawn = { kind: 'drawn', png: Uint8Array.of(1, 2, 3), script: null, warnings: [] };

export interface KeyApp extends AnalysisApp {
  readonly store: AnalysisKeyStore;
  setClock(ms: number): void;
  /** A key of that tier that has made so many calls this month. */
  keyWith(tier: Tier, callsUsed?: number): Promise<string>;
  get(path: string, headers?: Record<string, string>): Promise<Sent>;
  /** Every byte that the store has written. */
  stored(): string;
}

export interface KeyAppOptions {
  readonly usageReset?: UsageReset;
  readonly script?: Script;
  readonly deps?: Partial<AnalysisDeps>;
  /** Changes what the store does. */
  readonly over?: (store: AnalysisKeyStore) => Partial<AnalysisKeyStore>;
}

export async function openKeyApp(name: StoreName, options: KeyAppOptions = {}): Promise<KeyApp> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-keys-'));
  const clock = { ms: START_MS };
  const nowMs = () => clock.ms;
  const path = join(folder, `keys.${name}`);
  const opened = name === 'json' ? await openJson({ path, nowMs }) : openSqlite({ path });
  const store = { ...opened, ...options.over?.(opened) };
  const keys = createAnalysisKeys({ store, nowMs, randomBytes, usageReset: options.usageReset ?? 'monthly' });
  const script = { draw: async () => DRAWN, ...options.script };
  const app = openAnalysis(script, { keys, nowMs, ...options.deps });
  return {
    ...app,
    store,
    setClock: (ms: number) => {
      clock.ms = ms;
    },
    async keyWith(tier: Tier, callsUsed = 0) {
      const rawKey = `pyn_${randomBytes(32).toString('base64url')}`;
      const keyHash = hash('sha256', rawKey, 'hex');
      const lastUsedS = callsUsed === 0 ? null : START_S - 60;
      const key: AnalysisKey = {
        keyId: keyHash.slice(0, 12),
        keyHash,
        tier,
        callsUsed,
        createdAtS: START_S - 120,
        lastUsedS,
      };
      await opened.add(key);
      return rawKey;
    },
    async get(at: string, headers: Record<string, string> = {}) {
      const answer = await app.app.request(at, { headers }, { peer: '198.51.100.1' });
      const text = await answer.text();
      return { status: answer.status, headers: answer.headers, text, body: JSON.parse(text) };
    },
    stored: () =>
      readdirSync(folder)
        .map((file) => readFileSync(join(folder, file), 'latin1'))
        .join(''),
  };
}

export const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });
