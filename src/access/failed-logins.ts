// Failed logins in the audit: the first from an address at once, and those that follow within the hour as one entry with their count.
//
// Anybody can make logins fail, and every entry is a row and a sync of the disk in the process that trades. So an address has one
// entry an hour, twenty addresses have their own, and all others share one: some five hundred rows on the worst of days.

import type { Timers } from '../timing/timers.ts';
import type { AccessStore } from './access-store.ts';

/** Refused: the password or the code was wrong. Limited: not even looked at, because too many came before. */
export type LoginFailure = 'refused' | 'limited';

export interface FailedLoginsParts {
  readonly store: Pick<AccessStore, 'change'>;
  readonly nowMs: () => number;
  readonly timers: Timers;
  readonly onTrouble: (what: string, error: unknown) => void;
}

export const LOGIN_WINDOW_MS = 3_600_000;
export const MAX_LOGIN_ADDRESSES = 20;
const OTHERS = 'other addresses';

interface Counted {
  refused: number;
  limited: number;
  readonly forget: () => void;
}

export class FailedLogins {
  readonly #parts: FailedLoginsParts;
  /** Since the last entry of each address. */
  readonly #counted = new Map<string, Counted>();

  constructor(parts: FailedLoginsParts) {
    this.#parts = parts;
  }

  /** Never throws: whoever failed is told so, whatever the disk does. */
  note(address: string, failure: LoginFailure): void {
    const isOneTooMany = !this.#counted.has(address) && this.#counted.size >= MAX_LOGIN_ADDRESSES;
    const name = isOneTooMany ? OTHERS : address;
    const counted = this.#counted.get(name);
    if (counted !== undefined) counted[failure] += 1;
    else {
      void this.#write(name, { refused: 0, limited: 0, [failure]: 1 });
      this.#begin(name);
    }
  }

  /** What was counted and not written yet. */
  async close(): Promise<void> {
    const left = [...this.#counted];
    this.#counted.clear();
    for (const [name, counted] of left) {
      counted.forget();
      await this.#write(name, counted);
    }
  }

  #begin(name: string): void {
    const forget = this.#parts.timers.after(LOGIN_WINDOW_MS, () => this.#endWindow(name));
    this.#counted.set(name, { refused: 0, limited: 0, forget });
  }

  #endWindow(name: string): void {
    const counted = this.#counted.get(name);
    this.#counted.delete(name);
    if (counted === undefined || counted.refused + counted.limited === 0) return;
    void this.#write(name, counted);
    this.#begin(name);
  }

  /** Never rejects. */
  async #write(name: string, { refused, limited }: Pick<Counted, LoginFailure>): Promise<void> {
    const { store, nowMs, onTrouble } = this.#parts;
    if (refused + limited === 0) return;
    const after = JSON.stringify({ ...(refused > 0 && { refused }), ...(limited > 0 && { limited }) });
    try {
      await store.change((rows) =>
        rows.audit({ atMs: nowMs(), actor: `login ${name}`, setting: 'login', before: null, after }),
      );
    } catch (error) {
      onTrouble('failed logins are not in the audit', error);
    }
  }
}
