// Testnet and live accounts that are kept with their credentials, which are sealed: they are used, and never shown again.

import type { Exchange } from '../exchanges/exchange.ts';
import type { Sealer } from './sealed-text.ts';
import type { VenueCredentials } from './venue-credentials.ts';
import type { KeyAuditEntry } from './webhook-keys.ts';

export interface StoredAccountName {
  readonly exchange: Exchange;
  readonly account: string;
}

export interface NewStoredAccount extends StoredAccountName {
  readonly mode: 'testnet' | 'live';
  /** The one it is to have at its venue; absent leaves it as it is there. */
  readonly positionMode?: 'one-way' | 'hedge';
}

export interface StoredAccount extends NewStoredAccount {
  /** The first characters of the API key, so that a person can tell which one it is. */
  readonly keyStart: string;
  readonly sealedCredentials: string;
  readonly createdAtMs: number;
}

/** The port. A change is durable when its promise resolves. */
export interface StoredAccountStore {
  /** Oldest first, without waiting. What was changed is in it from the moment on at which the change resolves. */
  list(): readonly StoredAccount[];
  /**
   * A change and its audit entry are one step: both are stored, or neither. A name that is there already at its exchange
   * is refused, also where another process was quicker.
   */
  insert(account: StoredAccount, audit: KeyAuditEntry): Promise<void>;
  remove(name: StoredAccountName, audit: KeyAuditEntry): Promise<void>;
}

/** `unknown`: there is no such account; `conflict`: something that is there is in the way; `refused`: its venue says no. */
export type StoredAccountFaultKind = 'unknown' | 'conflict' | 'refused';

/** The message holds the remedy. */
export class StoredAccountFault extends Error {
  override readonly name = 'StoredAccountFault';
  readonly kind: StoredAccountFaultKind;

  constructor(message: string, kind: StoredAccountFaultKind = 'unknown') {
    super(message);
    this.kind = kind;
  }
}

/** More than anybody trades on; each is opened at the start. */
const MAX_ACCOUNTS = 64;
export const KEY_START_CHARS = 4;
const SETTING = 'storedAccount';

export interface StoredAccountsParts {
  readonly store: StoredAccountStore;
  /** Made when it is needed: to list accounts nobody needs the master key. */
  readonly sealer: () => Promise<Sealer>;
  readonly nowMs: () => number;
  /** Who makes the changes, for the audit. */
  readonly actor: string;
}

/** An account cannot be turned into another one, or from testnet into live, by moving what is sealed. */
const ownerOf = ({ exchange, account, mode }: NewStoredAccount): string => `the ${mode} account ${exchange}:${account}`;

export class StoredAccounts {
  readonly #parts: StoredAccountsParts;

  constructor(parts: StoredAccountsParts) {
    this.#parts = parts;
  }

  list(): readonly StoredAccount[] {
    return this.#parts.store.list();
  }

  find({ exchange, account }: StoredAccountName): StoredAccount | undefined {
    return this.list().find((each) => each.exchange === exchange && each.account === account);
  }

  async add(wanted: NewStoredAccount, { apiKey, secret }: VenueCredentials): Promise<StoredAccount> {
    const { store, nowMs } = this.#parts;
    const others = store.list();
    this.#assertNew(wanted, others);
    const sealer = await this.#parts.sealer();
    const [first] = others;
    // With another master key it would be sealed apart from the others, and no start could open them all.
    if (first !== undefined) await sealer.open(first.sealedCredentials, ownerOf(first));
    await this.#assertNewKey(wanted, apiKey, others);
    const text = JSON.stringify({ apiKey, secret });
    const sealedCredentials = await sealer.seal(text, ownerOf(wanted), first?.sealedCredentials);
    const keyStart = apiKey.slice(0, KEY_START_CHARS);
    const stored: StoredAccount = { ...wanted, keyStart, sealedCredentials, createdAtMs: nowMs() };
    // Asked for again: sealing takes a while, and another command may have been quicker.
    this.#assertNew(wanted, store.list());
    await store.insert(stored, this.#audit(null, stored));
    return stored;
  }

  async credentialsOf(account: StoredAccount): Promise<VenueCredentials> {
    const sealer = await this.#parts.sealer();
    return JSON.parse(await sealer.open(account.sealedCredentials, ownerOf(account))) as VenueCredentials;
  }

  async remove(account: StoredAccount): Promise<void> {
    await this.#parts.store.remove(account, this.#audit(account, null));
  }

  #assertNew({ exchange, account }: StoredAccountName, others: readonly StoredAccount[]): void {
    if (others.some((each) => each.exchange === exchange && each.account === account))
      throw new StoredAccountFault(
        `there is an account ${exchange}:${account} already; choose another name, or remove that one first`,
        'conflict',
      );
    if (others.length >= MAX_ACCOUNTS)
      throw new StoredAccountFault(`there are ${MAX_ACCOUNTS} stored accounts already; remove one first`, 'conflict');
  }

  /** To the exchange two accounts with one key are one: each would take the whole position for its own. */
  async #assertNewKey(
    { exchange, mode }: NewStoredAccount,
    apiKey: string,
    others: readonly StoredAccount[],
  ): Promise<void> {
    const alike = others.filter(
      (each) => each.exchange === exchange && each.mode === mode && apiKey.startsWith(each.keyStart),
    );
    for (const other of alike)
      if ((await this.credentialsOf(other)).apiKey === apiKey)
        throw new StoredAccountFault(
          `${exchange}:${other.account} has this API key already: each of the two would take the whole position there for its own; ` +
            'use a key of a sub-account, or remove that one first',
          'conflict',
        );
  }

  #audit(before: StoredAccount | null, after: StoredAccount | null): KeyAuditEntry {
    const { nowMs, actor } = this.#parts;
    return { atMs: nowMs(), actor, setting: SETTING, before: inAudit(before), after: inAudit(after) };
  }
}

const inAudit = (of: StoredAccount | null): string | null =>
  of && JSON.stringify({ exchange: of.exchange, account: of.account, mode: of.mode, positionMode: of.positionMode });
