// Keys of the script worker: how they are made and looked up, and who may pass for every combination of bindings.

import { hash, timingSafeEqual } from 'node:crypto';
import type { KeyValueStore } from './key-value-store.ts';
import { DEFAULT_TIER, isTier, type Tier } from './tiers.ts';

export interface ScriptKeyRecord {
  readonly key: string;
  readonly tier: Tier;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

export interface AuthContext {
  readonly key: string;
  /** Names the partition of a user's data; the key cannot be read back from it. */
  readonly userId: string;
  readonly tier: Tier;
}

export interface KeyRefusal {
  readonly ok: false;
  readonly status: 401 | 503;
  readonly code: 'NO_KEY' | 'INVALID_KEY' | 'API_KEYS_REQUIRED';
  readonly message: string;
}

export type KeyVerdict = { readonly ok: true; readonly auth: AuthContext } | KeyRefusal;

/** What the worker was started with. */
export interface KeyBindings {
  /** A durable database holds the users' scripts (SCRIPT_DATABASE is not none). */
  readonly durableDatabase: boolean;
  /** Looks a well-formed key up in the API_KEYS store; undefined where none is bound. */
  readonly lookup: ((key: string) => Promise<ScriptKeyRecord | undefined>) | undefined;
  readonly allowOpenKeys: boolean;
}

const KEY = /^pn_[a-f0-9]{48}$/;
const KEY_BYTES = 24;
const USER_ID_CHARS = 32;
const DAY_MS = 86_400_000;
export const SCRIPT_KEY_TTL_MS = 365 * DAY_MS;

const NO_KEY: KeyRefusal = {
  ok: false,
  status: 401,
  code: 'NO_KEY',
  message: 'A key is needed; send one of ours as Authorization: Bearer <key>.',
};
const INVALID_KEY: KeyRefusal = {
  ok: false,
  status: 401,
  code: 'INVALID_KEY',
  message: 'This key is not known, or it has expired; ask the operator for a new one.',
};
export const API_KEYS_REQUIRED: KeyRefusal = {
  ok: false,
  status: 503,
  code: 'API_KEYS_REQUIRED',
  message: 'No key store is bound, so nobody can be told apart; the operator has to set API_KEYS.',
};

export const userIdOf = (key: string): string => hash('sha256', key, 'hex').slice(0, USER_ID_CHARS);

const passed = (key: string, tier: Tier): KeyVerdict => ({ ok: true, auth: { key, userId: userIdOf(key), tier } });

/**
 * Who may pass a route that needs a key. The first row that fits decides:
 *
 * | key       | API_KEYS | ALLOW_OPEN_KEYS | durable database | verdict                                    |
 * |-----------|----------|-----------------|------------------|--------------------------------------------|
 * | empty     | any      | any             | any              | NO_KEY                                     |
 * | not empty | bound    | any             | any              | by the store: its tier, or INVALID_KEY     |
 * | not empty | none     | on              | any              | passes as hobby, whatever it looks like    |
 * | not empty | none     | off             | bound            | API_KEYS_REQUIRED                          |
 * | not empty | none     | off             | none             | well-formed passes as hobby, else INVALID_KEY |
 */
export async function requireApiKey(bindings: KeyBindings, presented: string | undefined): Promise<KeyVerdict> {
  const key = presented?.trim() ?? '';
  if (key === '') return NO_KEY;
  if (bindings.lookup === undefined && bindings.allowOpenKeys) return passed(key, DEFAULT_TIER);
  if (bindings.lookup === undefined && bindings.durableDatabase) return API_KEYS_REQUIRED;
  const record = await validateScriptKey(bindings.lookup, key);
  return record === undefined ? INVALID_KEY : passed(key, record.tier);
}

/** For action=validate: what is known of a key. With no store bound a well-formed one passes as hobby, born unknown. */
export async function validateScriptKey(
  lookup: KeyBindings['lookup'],
  key: string,
): Promise<{ readonly tier: Tier; readonly createdAt?: number } | undefined> {
  if (!KEY.test(key)) return undefined;
  return lookup === undefined ? { tier: DEFAULT_TIER } : lookup(key);
}

const SWITCHED_ON = new Set(['1', 'true', 'yes']);

/** REQUIRE_RUN_AUTH and ALLOW_OPEN_KEYS: 1, true or yes. Capitals are forgiven, since a gate left open by one is worse. */
export const isSwitchedOn = (text: string | undefined): boolean => SWITCHED_ON.has(text?.trim().toLowerCase() ?? '');

/** The run gate: a key is needed where the store is bound or the operator asks for it. */
export const runNeedsKey = (bindings: KeyBindings, requireRunAuth: boolean): boolean =>
  bindings.lookup !== undefined || requireRunAuth;

/**
 * Who runs a script. Where no key is needed one that is sent still says whose usage it is, and none means nobody's: it
 * proves nothing, so it must open nothing either.
 */
export async function passRunGate(
  bindings: KeyBindings,
  requireRunAuth: boolean,
  presented: string | undefined,
): Promise<{ readonly ok: true; readonly auth: AuthContext | undefined } | KeyRefusal> {
  if (runNeedsKey(bindings, requireRunAuth)) return requireApiKey(bindings, presented);
  const key = presented?.trim() ?? '';
  return key === '' ? { ok: true, auth: undefined } : passed(key, DEFAULT_TIER);
}

export interface ScriptKeys {
  /** Makes a key that lives for one year. */
  create(tier: Tier): Promise<ScriptKeyRecord>;
  /** The key as it was made; undefined when it is unknown, malformed, expired, or its record cannot be trusted. */
  lookup(key: string): Promise<ScriptKeyRecord | undefined>;
  revoke(key: string): Promise<void>;
}

export interface ScriptKeysOptions {
  readonly store: KeyValueStore;
  readonly nowMs: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
}

const nameOf = (key: string): string => `key:${key}`;

export function createScriptKeys({ store, nowMs, randomBytes }: ScriptKeysOptions): ScriptKeys {
  return {
    async create(tier) {
      const key = `pn_${Buffer.from(randomBytes(KEY_BYTES)).toString('hex')}`;
      const record: ScriptKeyRecord = { key, tier, createdAt: nowMs() };
      await store.put(nameOf(key), JSON.stringify(record), SCRIPT_KEY_TTL_MS);
      return record;
    },
    async lookup(key) {
      if (!KEY.test(key)) return undefined;
      const text = await store.get(nameOf(key));
      return text === undefined ? undefined : readRecord(text, key);
    },
    async revoke(key) {
      if (KEY.test(key)) await store.delete(nameOf(key));
    },
  };
}

/** A record that is damaged, or that speaks of another key, opens nothing. */
function readRecord(text: string, key: string): ScriptKeyRecord | undefined {
  let record: Partial<Record<keyof ScriptKeyRecord, unknown>> | null;
  try {
    record = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof record !== 'object' || record === null) return undefined;
  const { tier, createdAt } = record;
  if (typeof record.key !== 'string' || !sameKey(record.key, key) || !isTier(tier)) return undefined;
  return typeof createdAt === 'number' ? { key, tier, createdAt } : undefined;
}

const digestOf = (key: string): Buffer => hash('sha256', key, 'buffer');
const sameKey = (a: string, b: string): boolean => timingSafeEqual(digestOf(a), digestOf(b));
