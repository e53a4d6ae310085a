// The live accounts whose owner has said once that they may open positions with real money. It is remembered, and in the audit.
//
// The word is given for one key: whoever puts another key in its place may trade another account at the exchange, and is asked again.

import { SerialQueue } from '../../timing/serial-queue.ts';
import type { AccountName } from '../accounts.ts';
import type { AuditEntry, SettingsStore } from './controls.ts';

/** The name of the setting in the store and in the audit. */
const CONFIRMED = 'confirmedLiveAccounts';

type Account = Omit<AccountName, 'mode'>;

const nameOf = ({ exchange, account }: Account): string => `${exchange}:${account}`;

/** `binance:main 8c6976e5b5410415`; one without a fingerprint, as it was kept before, fits no key. */
const entryOf = (name: Account, fingerprint: string): string => `${nameOf(name)} ${fingerprint}`;

export interface LiveConfirmationParts {
  /** Read every time: the command that confirms may be another process. */
  readonly store: Pick<SettingsStore, 'get' | 'set'>;
  /** Without it nobody has to confirm anything. */
  readonly isAsked: boolean;
  readonly nowMs: () => number;
}

export class LiveConfirmations {
  readonly #parts: LiveConfirmationParts;
  /** One after the other: all entries are stored as one value. */
  readonly #changes = new SerialQueue();

  constructor(parts: LiveConfirmationParts) {
    this.#parts = parts;
  }

  /** Whether the account may open positions with the key that has this fingerprint. */
  isConfirmed(name: AccountName, fingerprint: string): boolean {
    if (name.mode !== 'live' || !this.#parts.isAsked) return true;
    return fingerprint !== '' && this.#entries().includes(entryOf(name, fingerprint));
  }

  confirm(name: Account, fingerprint: string, actor: string): Promise<void> {
    return this.#keep(() => [...this.#entriesWithout(name), entryOf(name, fingerprint)], actor);
  }

  /** An account that is added again under the same name is another one. */
  forget(name: Account, actor: string): Promise<void> {
    return this.#keep(() => this.#entriesWithout(name), actor);
  }

  #entriesWithout(name: Account): readonly string[] {
    return this.#entries().filter((entry) => entry.split(' ')[0] !== nameOf(name));
  }

  #entries(): readonly string[] {
    return JSON.parse(this.#parts.store.get(CONFIRMED) ?? '[]') as string[];
  }

  #keep(entries: () => readonly string[], actor: string): Promise<void> {
    const { store, nowMs } = this.#parts;
    return this.#changes.run(async () => {
      const [before, after] = [JSON.stringify(this.#entries()), JSON.stringify(entries())];
      if (before === after) return;
      const entry: AuditEntry = { atMs: nowMs(), actor, setting: CONFIRMED, before, after };
      await store.set(CONFIRMED, after, entry);
    });
  }
}
