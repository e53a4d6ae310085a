// Keys of the script worker: how they are made and looked up, and who may pass for every combination of bindings.

import { hash, timingSafeEqual } from 'node:crypto';
import type { KeyValueStore } from './key-value-store.ts';
import { DEFAULT_TIER, isTier, type Tier } from './tiers.ts';

export interface ScriptKeyRecord {
  readonly key: string;
  readonly tier: Tier;
  /** Unix milliseconds. */
  readonly createdAt: number;
  /** The library it opens: made from the key itself, unless the key took over the library of another. */
  readonly userId: string;
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

const passed = (key: string, tier: Tier, userId = userIdOf(key)): KeyVerdict => ({
  ok: true,
  auth: { key, userId, tier },
});

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
  return record === undefined ? INVALID_KEY : passed(key, record.tier, record.userId);
}

/** For action=validate: what is known of a key. With no store bound a well-formed one passes as hobby, born unknown. */
export async function validateScriptKey(
  lookup: KeyBindings['lookup'],
  key: string,
): Promise<{ readonly tier: Tier; readonly createdAt?: number; readonly userId?: string } | undefined> {
  if (!KEY.test(key)) return undefined;
  return lookup === undefined ? { tier: DEFAULT_TIER } : lookup(key);
}

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
  /** Those that open a library now, the oldest first, no more than `limit`. Looks at every name of the store. */
  list(limit: number): Promise<readonly ScriptKeyRecord[]>;
  /** Whether any key opens this library now. */
  isOwned(userId: string): Promise<boolean>;
  /** A new key for the library of an old one, or of a user id, which from that moment on opens for no other. */
  renew(of: KeyToRenew): Promise<Renewal>;
  /** Writes down who owns these libraries, for keys that were made before owners were written down. */
  adopt(userIds: readonly string[]): Promise<void>;
}

/** The library of a key that still works, or that of a user whose key is lost. */
export type KeyToRenew = { readonly key: string } | { readonly userId: string; readonly tier?: Tier };

/** An unknown user is one that never had a key and has nothing: a new key would open an empty library beside the one meant. */
export type Renewal = ScriptKeyRecord | 'unknown-key' | 'bad-user-id' | 'unknown-user';

export interface ScriptKeysOptions {
  readonly store: KeyValueStore;
  readonly nowMs: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
  /** Whether a user has scripts or deployments, whose key may be long gone; left out, keys alone tell who there is. */
  readonly hasLibrary?: (userId: string) => Promise<boolean>;
}

const KEY_PREFIX = 'key:';
const USER_ID = /^[a-f0-9]{32}$/;
const nameOf = (key: string): string => `${KEY_PREFIX}${key}`;
/**
 * Under this name stands the one key that opens a library. It is the truth about who owns it: a library passes from one
 * key to another with this one write, so that at no moment, and after no crash, two keys open it or none does.
 */
const ownerName = (userId: string): string => `owner:${userId}`;

/** The tier of the last key of a library, for the one it gets next: it outlives the key by as long as the key lived. */
const tierName = (userId: string): string => `tier:${userId}`;
const TIER_TTL_MS = 2 * SCRIPT_KEY_TTL_MS;

export const createScriptKeys = (options: ScriptKeysOptions): ScriptKeys => new StoredScriptKeys(options);

class StoredScriptKeys implements ScriptKeys {
  readonly #options: ScriptKeysOptions;
  readonly #store: KeyValueStore;

  constructor(options: ScriptKeysOptions) {
    this.#options = options;
    this.#store = options.store;
  }

  create(tier: Tier): Promise<ScriptKeyRecord> {
    return this.#make(tier);
  }

  async lookup(key: string): Promise<ScriptKeyRecord | undefined> {
    const record = await this.#read(key);
    if (record === undefined) return undefined;
    const owner = await this.#store.get(ownerName(record.userId));
    if (owner !== undefined) return sameKey(owner, key) ? record : undefined;
    // Made before owners were written down; one that took a library over was written down, or never took it.
    if (record.userId !== userIdOf(key)) return undefined;
    await this.#own(record);
    return record;
  }

  async revoke(key: string): Promise<void> {
    if (!KEY.test(key)) return;
    // A record that is damaged must be possible to remove as well.
    const record = await this.#read(key);
    const owner = ownerName(record?.userId ?? userIdOf(key));
    await this.#store.delete(nameOf(key));
    if ((await this.#store.get(owner)) === key) await this.#store.delete(owner);
  }

  async list(limit: number): Promise<readonly ScriptKeyRecord[]> {
    const names = (await this.#store.names()).filter((name) => name.startsWith(KEY_PREFIX));
    const found: ScriptKeyRecord[] = [];
    for (const name of names.slice(0, limit)) {
      const record = await this.lookup(name.slice(KEY_PREFIX.length));
      if (record !== undefined) found.push(record);
    }
    return found.sort((one, other) => one.createdAt - other.createdAt);
  }

  async isOwned(userId: string): Promise<boolean> {
    return (await this.#ownerOf(userId)) !== undefined;
  }

  async renew(of: KeyToRenew): Promise<Renewal> {
    const old = 'key' in of ? await this.lookup(of.key) : undefined;
    if ('key' in of && old === undefined) return 'unknown-key';
    const userId = 'key' in of ? (old as ScriptKeyRecord).userId : of.userId;
    if (!USER_ID.test(userId)) return 'bad-user-id';
    await this.adopt([userId]);
    const before = old ?? (await this.#ownerOf(userId));
    const last = await this.#store.get(tierName(userId));
    const { hasLibrary = async () => false } = this.#options;
    if (before === undefined && !isTier(last) && !(await hasLibrary(userId))) return 'unknown-user';
    const tier = ('tier' in of ? of.tier : undefined) ?? before?.tier ?? (isTier(last) ? last : DEFAULT_TIER);
    const renewed = await this.#make(tier, userId);
    // Only tidying: the old key opens nothing any more. Whatever becomes of it, the new one must be shown.
    if (before !== undefined) await this.#store.delete(nameOf(before.key)).catch(() => undefined);
    return renewed;
  }

  async adopt(userIds: readonly string[]): Promise<void> {
    const wanted = new Set<string>();
    for (const userId of userIds) if ((await this.#store.get(ownerName(userId))) === undefined) wanted.add(userId);
    if (wanted.size === 0) return;
    for (const name of await this.#store.names()) {
      const key = name.slice(KEY_PREFIX.length);
      if (name.startsWith(KEY_PREFIX) && wanted.has(userIdOf(key))) await this.lookup(key);
    }
  }

  async #make(tier: Tier, library?: string): Promise<ScriptKeyRecord> {
    const { randomBytes, nowMs } = this.#options;
    const key = `pn_${Buffer.from(randomBytes(KEY_BYTES)).toString('hex')}`;
    const record: ScriptKeyRecord = { key, tier, createdAt: nowMs(), userId: library ?? userIdOf(key) };
    const { userId, ...plain } = record;
    await this.#store.put(nameOf(key), JSON.stringify(library === undefined ? plain : record), SCRIPT_KEY_TTL_MS);
    await this.#own(record);
    return record;
  }

  async #read(key: string): Promise<ScriptKeyRecord | undefined> {
    const text = KEY.test(key) ? await this.#store.get(nameOf(key)) : undefined;
    return text === undefined ? undefined : readRecord(text, key);
  }

  async #own({ key, userId, tier, createdAt }: ScriptKeyRecord): Promise<void> {
    const nowMs = this.#options.nowMs();
    await this.#store.put(tierName(userId), tier, Math.max(1, createdAt + TIER_TTL_MS - nowMs));
    await this.#store.put(ownerName(userId), key, Math.max(1, createdAt + SCRIPT_KEY_TTL_MS - nowMs));
  }

  async #ownerOf(userId: string): Promise<ScriptKeyRecord | undefined> {
    const key = await this.#store.get(ownerName(userId));
    return key === undefined ? undefined : this.lookup(key);
  }
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
  const { tier, createdAt, userId = userIdOf(key) } = record;
  if (typeof record.key !== 'string' || !sameKey(record.key, key) || !isTier(tier)) return undefined;
  if (typeof userId !== 'string' || !USER_ID.test(userId)) return undefined;
  return typeof createdAt === 'number' ? { key, tier, createdAt, userId } : undefined;
}

const digestOf = (key: string): Buffer => hash('sha256', key, 'buffer');
const sameKey = (a: string, b: string): boolean => timingSafeEqual(digestOf(a), digestOf(b));
