// Webhook keys: made, rotated and revoked here, kept only as digests, and looked up on every signal.

import { hash, timingSafeEqual } from 'node:crypto';
import { SerialQueue } from '../timing/serial-queue.ts';

export interface WebhookKey {
  /** First 12 hex digits of the first digest; it stays the same when the key is rotated. */
  readonly keyId: string;
  readonly label: string;
  /** The accounts its signals are traded on unless they name one; absent means main. Never empty. */
  readonly routes?: readonly Route[] | undefined;
  readonly createdAtMs: number;
  readonly rotatedAtMs?: number | undefined;
  readonly revokedAtMs?: number | undefined;
  /** SHA-256 of the raw key, hex. */
  readonly digest: string;
  /** The digest before the last rotation, valid until the time beside it. */
  readonly previousDigest?: string | undefined;
  readonly previousValidUntilMs?: number | undefined;
}

/** An account, `scalp` or `bybit:scalp`, and how much of a signal's quantity is traded there. */
export interface Route {
  readonly account: string;
  readonly multiplier: number;
}

/** Who changed a key, and how it looked before and after. */
export interface KeyAuditEntry {
  readonly atMs: number;
  readonly actor: string;
  readonly setting: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** The port. A change is durable when its promise resolves. */
export interface WebhookKeyStore {
  /** Without waiting. What was changed is in it from the moment on at which the change resolves. */
  list(): readonly WebhookKey[];
  /**
   * A change and its audit entry are one step: both are stored, or neither. A label that an active key has is refused with
   * LABEL_TAKEN, also where another process was quicker.
   */
  insert(key: WebhookKey, audit?: KeyAuditEntry): Promise<void>;
  update(key: WebhookKey, audit?: KeyAuditEntry): Promise<void>;
  /** Called when something may have changed, in the same turn from which on it is read; absent where only this process changes it. */
  watch?(listener: () => void): void;
}

export type KeyErrorCode =
  | 'KEY_NOT_FOUND'
  | 'KEY_REVOKED'
  | 'STATIC_KEY'
  | 'LABEL_TAKEN'
  | 'INVALID_LABEL'
  | 'INVALID_ROUTES'
  | 'INVALID_GRACE'
  | 'TOO_MANY_KEYS';

export class KeyError extends Error {
  readonly code: KeyErrorCode;

  constructor(code: KeyErrorCode, message: string) {
    super(message);
    this.name = 'KeyError';
    this.code = code;
  }
}

/** What a valid key proves: who signals, and on which accounts. */
export type KeyIdentity = Pick<WebhookKey, 'keyId' | 'label' | 'routes'>;

/** A key as it may be shown: no digests. */
export type ListedKey = Omit<WebhookKey, 'digest' | 'previousDigest'> & { readonly static: boolean };

/** Makes the entry for a change; there is nothing before a key that is new. */
export type AuditKeyChange = (before: ListedKey | null, after: ListedKey) => KeyAuditEntry;

export interface NewKey {
  readonly label: string;
  readonly routes?: readonly Route[] | undefined;
}

export interface IssuedKey {
  readonly key: ListedKey;
  /** The raw key. Shown once, stored nowhere. */
  readonly apiKey: string;
}

export interface WebhookKeys {
  authenticate(rawKey: string): KeyIdentity | undefined;
  /**
   * The active key with this label, for senders that prove who they are in another way. Where upper and lower case do not
   * match, they may differ, because mail servers and people change them; but then only one key may fit.
   */
  findByLabel(label: string): KeyIdentity | undefined;
  /** The active key with this id. */
  find(keyId: string): KeyIdentity | undefined;
  /** Stored and in force when it resolves, as every change; rejects with KeyError. */
  create(wanted: NewKey, audit?: AuditKeyChange): Promise<IssuedKey>;
  /** `keyId`, here and in `revoke`, may be the digest of the whole key as well. */
  rotate(
    keyId: string,
    options?: { readonly graceSeconds?: number | undefined },
    audit?: AuditKeyChange,
  ): Promise<IssuedKey>;
  /** Ends a key at once, its previous form too. Revoking twice is no fault: in an emergency the answer should be calm. */
  revoke(keyId: string, audit?: AuditKeyChange): Promise<ListedKey>;
  /** Replaces the routes of a key; none means that it trades on the account its signals name, or on main. */
  route(keyId: string, routes: readonly Route[], audit?: AuditKeyChange): Promise<ListedKey>;
  list(): readonly ListedKey[];
}

export interface WebhookKeysOptions {
  readonly store: WebhookKeyStore;
  /** Raw keys from the settings. */
  readonly staticKeys: readonly string[];
  readonly nowMs: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
}

/** Enough for every alert of a busy trader, and small enough to keep all of them in memory. */
export const MAX_ACTIVE_KEYS = 1000;
/** One week: longer would be two keys, not a rotation. */
export const MAX_GRACE_SECONDS = 604_800;
/** Longer texts are no key of ours and are not worth hashing. */
const MAX_RAW_KEY_CHARS = 256;
const RAW_KEY_BYTES = 32;
const KEY_ID_CHARS = 12;
const LABEL = /^(?! )[A-Za-z0-9 ._-]{1,64}(?<! )$/;
const STATIC_LABEL = /^static-\d+$/i;

interface Entry {
  readonly digest: Buffer;
  readonly identity: KeyIdentity;
  readonly validUntilMs: number;
}

/** By which a key is known here, and by which a command names one without sending it. */
export const digestOf = (rawKey: string): string => hash('sha256', rawKey, 'hex');

export const createWebhookKeys = (options: WebhookKeysOptions): WebhookKeys => new StoredWebhookKeys(options);

class StoredWebhookKeys implements WebhookKeys {
  readonly #options: WebhookKeysOptions;
  /** Every key that is stored, revoked ones too, by its id. */
  #keys: ReadonlyMap<string, WebhookKey> = new Map();
  /** Those of the settings. */
  readonly #statics: readonly WebhookKey[];
  #index: ReadonlyMap<string, Entry> = new Map();
  /** One after the other: each looks at what the one before has left, or two keys could have one label. */
  readonly #changes = new SerialQueue();

  constructor(options: WebhookKeysOptions) {
    this.#options = options;
    this.#statics = staticKeysOf(options.staticKeys, options.nowMs());
    this.#takeStored();
    options.store.watch?.(() => this.#takeStored());
  }

  authenticate(rawKey: string): KeyIdentity | undefined {
    if (rawKey.length > MAX_RAW_KEY_CHARS) return undefined;
    const digest = digestOf(rawKey);
    const entry = this.#index.get(digest);
    if (entry === undefined || !timingSafeEqual(entry.digest, Buffer.from(digest, 'latin1'))) return undefined;
    // The clock is read only for a key in its grace time.
    if (entry.validUntilMs !== Number.POSITIVE_INFINITY && this.#options.nowMs() >= entry.validUntilMs)
      return undefined;
    return entry.identity;
  }

  findByLabel(label: string): KeyIdentity | undefined {
    const active = new Map<string, KeyIdentity>();
    for (const { identity } of this.#index.values()) active.set(identity.keyId, identity);
    const exact = [...active.values()].filter((key) => key.label === label);
    const wanted = label.toLowerCase();
    const found = exact.length > 0 ? exact : [...active.values()].filter((key) => key.label.toLowerCase() === wanted);
    return found.length === 1 ? found[0] : undefined;
  }

  find(keyId: string): KeyIdentity | undefined {
    for (const { identity } of this.#index.values()) if (identity.keyId === keyId) return identity;
    return undefined;
  }

  create(wanted: NewKey, audit?: AuditKeyChange): Promise<IssuedKey> {
    return this.#changes.run(() => this.#create(wanted, audit));
  }

  async #create(wanted: NewKey, audit: AuditKeyChange | undefined): Promise<IssuedKey> {
    const { store, nowMs } = this.#options;
    const active = [...this.#keys.values()].filter(isActive);
    checkLabel(wanted.label, active);
    if (active.length >= MAX_ACTIVE_KEYS)
      throw new KeyError('TOO_MANY_KEYS', `There are ${MAX_ACTIVE_KEYS} active keys already; revoke one first.`);
    const apiKey = this.#drawKey();
    const digest = digestOf(apiKey);
    const key: WebhookKey = {
      keyId: digest.slice(0, KEY_ID_CHARS),
      label: wanted.label,
      ...(wanted.routes && { routes: checkedRoutes(wanted.routes) }),
      createdAtMs: nowMs(),
      digest,
    };
    const shown = listed(key, false);
    await store.insert(key, audit?.(null, shown));
    this.#takeStored();
    return { key: shown, apiKey };
  }

  rotate(
    keyId: string,
    { graceSeconds = 0 }: { readonly graceSeconds?: number | undefined } = {},
    audit?: AuditKeyChange,
  ): Promise<IssuedKey> {
    return this.#changes.run(() => this.#rotate(keyId, graceSeconds, audit));
  }

  async #rotate(keyId: string, graceSeconds: number, audit: AuditKeyChange | undefined): Promise<IssuedKey> {
    const old = this.#find(keyId);
    if (!isActive(old)) throw new KeyError('KEY_REVOKED', 'A revoked key stays revoked; create a new one.');
    if (!Number.isInteger(graceSeconds) || graceSeconds < 0 || graceSeconds > MAX_GRACE_SECONDS)
      throw new KeyError('INVALID_GRACE', `graceSeconds must be a whole number from 0 to ${MAX_GRACE_SECONDS}.`);
    const apiKey = this.#drawKey();
    const rotatedAtMs = this.#options.nowMs();
    const key: WebhookKey = {
      ...old,
      digest: digestOf(apiKey),
      rotatedAtMs,
      previousDigest: old.digest,
      previousValidUntilMs: rotatedAtMs + graceSeconds * 1000,
    };
    return { key: await this.#update(old, key, audit), apiKey };
  }

  revoke(keyId: string, audit?: AuditKeyChange): Promise<ListedKey> {
    return this.#changes.run(() => {
      const key = this.#find(keyId);
      if (!isActive(key)) return listed(key, false);
      return this.#update(key, { ...key, revokedAtMs: this.#options.nowMs() }, audit);
    });
  }

  route(keyId: string, routes: readonly Route[], audit?: AuditKeyChange): Promise<ListedKey> {
    return this.#changes.run(() => {
      const key = this.#find(keyId);
      if (!isActive(key)) throw new KeyError('KEY_REVOKED', 'A revoked key stays revoked; create a new one.');
      return this.#update(key, { ...key, routes: checkedRoutes(routes) }, audit);
    });
  }

  list(): readonly ListedKey[] {
    const stored = [...this.#keys.values()].sort((a, b) => a.createdAtMs - b.createdAtMs);
    const usable = this.#statics.filter(({ digest, label }) => this.#index.get(digest)?.identity.label === label);
    return [...usable.map((key) => listed(key, true)), ...stored.map((key) => listed(key, false))];
  }

  #find(keyId: string): WebhookKey {
    const stored = [...this.#keys.values()];
    const key = this.#keys.get(keyId) ?? stored.find(({ digest }) => digest === keyId);
    if (key !== undefined) return key;
    const rotated = stored.find(({ previousDigest }) => previousDigest === keyId);
    if (rotated !== undefined)
      throw new KeyError(
        'KEY_REVOKED',
        `This key was rotated out, and ends with its grace time; to end it and the key that replaced it now, revoke ${rotated.keyId}.`,
      );
    if (this.#statics.some((known) => known.keyId === keyId || known.digest === keyId))
      throw new KeyError('STATIC_KEY', 'This key comes from the settings; change it in WEBHOOK_API_KEYS and restart.');
    throw new KeyError('KEY_NOT_FOUND', 'There is no webhook key with this id; list the keys to see their ids.');
  }

  async #update(before: WebhookKey, after: WebhookKey, audit: AuditKeyChange | undefined): Promise<ListedKey> {
    const shown = listed(after, false);
    await this.#options.store.update(after, audit?.(listed(before, false), shown));
    this.#takeStored();
    return shown;
  }

  /** What is stored is in force, whoever has stored it; a key that the storage refused never is. */
  #takeStored(): void {
    this.#keys = new Map(this.#options.store.list().map((key) => [key.keyId, key]));
    this.#index = indexOf(this.#statics, this.#keys.values());
  }

  #drawKey(): string {
    return `whk_${Buffer.from(this.#options.randomBytes(RAW_KEY_BYTES)).toString('base64url')}`;
  }
}

const isActive = (key: WebhookKey): boolean => key.revokedAtMs === undefined;

function staticKeysOf(rawKeys: readonly string[], createdAtMs: number): WebhookKey[] {
  return rawKeys.map((rawKey, position) => {
    const digest = digestOf(rawKey);
    return { keyId: digest.slice(0, KEY_ID_CHARS), label: `static-${position + 1}`, createdAtMs, digest };
  });
}

/**
 * Every digest that opens the door. Stored keys have the last word: a key that was revoked or rotated out
 * must not stay alive because somebody had also written it into the settings.
 */
function indexOf(statics: readonly WebhookKey[], stored: Iterable<WebhookKey>): ReadonlyMap<string, Entry> {
  const index = new Map<string, Entry>();
  for (const key of statics) if (!index.has(key.digest)) index.set(key.digest, entryOf(key, key.digest));
  for (const key of stored) {
    index.delete(key.digest);
    if (key.previousDigest !== undefined) index.delete(key.previousDigest);
    if (!isActive(key)) continue;
    index.set(key.digest, entryOf(key, key.digest));
    if (key.previousDigest !== undefined)
      index.set(key.previousDigest, entryOf(key, key.previousDigest, key.previousValidUntilMs ?? 0));
  }
  return index;
}

function entryOf(key: WebhookKey, digest: string, validUntilMs = Number.POSITIVE_INFINITY): Entry {
  const identity = Object.freeze({
    keyId: key.keyId,
    label: key.label,
    ...(key.routes === undefined ? {} : { routes: key.routes }),
  });
  return { digest: Buffer.from(digest, 'latin1'), identity, validUntilMs };
}

function listed(key: WebhookKey, isStatic: boolean): ListedKey {
  const { digest: _digest, previousDigest: _previousDigest, ...shown } = key;
  return { ...shown, static: isStatic };
}

function checkLabel(label: string, active: readonly WebhookKey[]): void {
  if (!LABEL.test(label))
    throw new KeyError(
      'INVALID_LABEL',
      'A label has 1 to 64 of the characters A-Z a-z 0-9 . _ - and blanks, with no blank at its ends.',
    );
  if (STATIC_LABEL.test(label))
    throw new KeyError('INVALID_LABEL', 'Labels like static-1 belong to the keys of the settings; choose another.');
  if (active.some((key) => key.label === label)) throw labelTaken(label);
}

export const labelTaken = (label: string): KeyError =>
  new KeyError('LABEL_TAKEN', `An active key is labelled "${label}" already; choose another or revoke that one.`);

/** So that an order id has room for the account's number. */
export const MAX_ROUTES = 16;
export const MAX_MULTIPLIER = 1000;

function checkedRoutes(routes: readonly Route[]): readonly Route[] | undefined {
  if (routes.length === 0) return undefined;
  if (routes.length > MAX_ROUTES)
    throw new KeyError('INVALID_ROUTES', `routes: a key trades on at most ${MAX_ROUTES} accounts; remove some.`);
  const twice = routes.find(({ account }, index) => routes.findIndex((other) => other.account === account) !== index);
  if (twice !== undefined)
    throw new KeyError(
      'INVALID_ROUTES',
      `routes: ${twice.account} is there twice; a signal trades once on an account.`,
    );
  return Object.freeze(routes.map(({ account, multiplier }) => ({ account, multiplier })));
}
