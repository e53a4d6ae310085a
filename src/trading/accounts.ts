// The accounts that are traded: each is a name at an exchange, and has a venue of its own through which its orders go.
//
// Every exchange has the account `main`; a signal that names none trades there. In the journal an account is told with its
// mode too, so that rows of a paper account are never taken for those of a live one that has the same name.

import type { Exchange } from '../exchanges/exchange.ts';
import type { Venue, VenueMode } from './venue.ts';

export const MAIN_ACCOUNT = 'main';
/** So that a name fits into order ids and stays readable in a list. */
export const MAX_ACCOUNT_CHARS = 32;

export interface AccountName {
  readonly exchange: Exchange;
  readonly mode: VenueMode;
  /** The name its owner gave it, unique at its exchange. */
  readonly account: string;
}

/** An exchange, or one account of it, that is not traded as things are set; `why` holds the remedy. */
export interface OffAccount {
  readonly exchange: Exchange;
  /** Absent where it is the whole exchange. */
  readonly account?: string;
  readonly why: string;
}

/** Of all accounts only one has this name. */
export const nameOf = ({ exchange, mode, account }: AccountName): string => `${exchange}:${mode}:${account}`;

/** How an account is called in words: `binance` for its main account, `binance:scalp` for another one. */
export const accountInWords = ({ exchange, account }: Omit<AccountName, 'mode'>): string =>
  account === MAIN_ACCOUNT ? exchange : `${exchange}:${account}`;

/** Real money is told from play money at a glance, wherever a person reads it. */
export const modeInWords = (mode: VenueMode): string => (mode === 'live' ? 'LIVE' : mode);

/** `binance (LIVE)`, `binance:scalp (paper)`. */
export const accountWithMode = (name: AccountName): string => `${accountInWords(name)} (${modeInWords(name.mode)})`;

/** For words in which an account on paper has no mode: `binance`, `binance (LIVE)`. */
export const accountOfRealMoney = (name: AccountName): string =>
  name.mode === 'paper' ? accountInWords(name) : accountWithMode(name);

export class Accounts {
  readonly #venues: readonly Venue[];
  readonly #byName: ReadonlyMap<Exchange, ReadonlyMap<string, Venue>>;
  readonly #off: readonly OffAccount[];

  constructor(venues: readonly Venue[], off: readonly OffAccount[] = []) {
    const byName = new Map<Exchange, Map<string, Venue>>();
    for (const venue of venues) {
      const named = byName.get(venue.exchange) ?? new Map<string, Venue>();
      if (named.has(venue.account)) throw new Error(`there are two accounts ${venue.exchange}:${venue.account}`);
      byName.set(venue.exchange, named.set(venue.account, venue));
    }
    this.#venues = venues;
    this.#byName = byName;
    this.#off = off;
  }

  list(): readonly Venue[] {
    return this.#venues;
  }

  find(exchange: Exchange, account: string): Venue | undefined {
    return this.#byName.get(exchange)?.get(account);
  }

  /** The names at one exchange. */
  namesAt(exchange: Exchange): readonly string[] {
    return [...(this.#byName.get(exchange)?.keys() ?? [])];
  }

  /** Why an account that is not there is off; undefined where nobody has heard of it. */
  whyOff(exchange: Exchange, account: string): string | undefined {
    const off = this.#off.filter((each) => each.exchange === exchange);
    return (off.find((each) => each.account === account) ?? off.find((each) => each.account === undefined))?.why;
  }

  /** Whether rows of this account may be worked on: those of another mode, or of an account that is gone, wait for it. */
  has({ exchange, mode, account }: AccountName): boolean {
    return this.find(exchange, account)?.mode === mode;
  }

  /** The venue of what is in the journal; throws where that account is not traded now. */
  of(name: AccountName): Venue {
    const venue = this.find(name.exchange, name.account);
    if (venue?.mode !== name.mode) throw new Error(`there is no ${name.mode} account ${name.exchange}:${name.account}`);
    return venue;
  }
}
