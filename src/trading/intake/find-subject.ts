// Whom a limit, a pause or a kill switch is about, as people write it: a slip of the pen must not become a limit of nobody.

import { type Accounts, MAIN_ACCOUNT } from '../accounts.ts';
import { EXCHANGES, type Exchange, MAX_STRATEGY_CHARS } from '../signal.ts';
import { marketOf, SYMBOL_PATTERN } from './market-symbol.ts';
import { type LimitSubject, readSubject, SUBJECT_KINDS } from './restrictions.ts';

export interface SubjectSights {
  /** Webhook keys, revoked ones too; and whoever else is known by a label. */
  readonly keys: () => readonly { readonly keyId: string; readonly label: string }[];
  readonly accounts: Pick<Accounts, 'find' | 'namesAt'>;
}

export type FoundSubject =
  | LimitSubject
  | { readonly fault: string; readonly cause: 'form' | 'unknown-key' | 'unknown-account' };

export const SUBJECT_FORM =
  'key:<label or key id>, strategy:<name>, account:<exchange:name> or symbol:<market>, such as account:binance:main or symbol:BTCUSDT';

/** `kind:name`. */
export function findSubjectOf(text: string, sights: SubjectSights): FoundSubject {
  const subject = readSubject(text);
  return subject ? findSubject(subject, sights) : { fault: `write ${SUBJECT_FORM}`, cause: 'form' };
}

export function findSubject({ kind, name }: LimitSubject, sights: SubjectSights): FoundSubject {
  switch (kind) {
    case 'key': {
      const key = sights.keys().find(({ keyId, label }) => label === name || keyId === name);
      if (key) return { kind, name: key.label };
      return {
        fault: `there is no webhook key ${JSON.stringify(name)}; list the keys to see them`,
        cause: 'unknown-key',
      };
    }
    case 'strategy':
      if (name.length <= MAX_STRATEGY_CHARS) return { kind, name };
      return { fault: `a strategy has at most ${MAX_STRATEGY_CHARS} characters`, cause: 'form' };
    case 'account': {
      const account = fullAccount(name, sights.accounts);
      return 'fault' in account ? account : { kind, name: account.name };
    }
    case 'symbol': {
      const market = readMarket(name);
      return market === undefined
        ? {
            fault: `${JSON.stringify(name)} names no market; write BTCUSDT, or binance:BTCUSDT for one exchange`,
            cause: 'form',
          }
        : { kind, name: market };
    }
  }
  return { fault: `the kind is one of ${SUBJECT_KINDS.join(', ')}`, cause: 'form' };
}

/** `binance:scalp`; `binance` is its main account. */
export function fullAccount(
  text: string,
  accounts: SubjectSights['accounts'],
): { readonly name: string } | Extract<FoundSubject, { readonly fault: string }> {
  const [first = '', account = MAIN_ACCOUNT] = text.split(':');
  const exchange = EXCHANGES.find((known) => known === first.toLowerCase());
  if (exchange === undefined)
    return {
      fault: `write an account as exchange:name, such as binance:main, not ${JSON.stringify(text)}`,
      cause: 'form',
    };
  if (accounts.find(exchange, account)) return { name: `${exchange}:${account}` };
  const names = accounts.namesAt(exchange).join(', ');
  return { fault: `${exchange} has no account ${JSON.stringify(account)}; it has ${names}`, cause: 'unknown-account' };
}

function readMarket(text: string): string | undefined {
  const [, first = '', rest = ''] = /^([^:]+):(.+)$/.exec(text) ?? [];
  const exchange: Exchange | undefined = EXCHANGES.find((known) => known === first.toLowerCase());
  const symbol = exchange === undefined ? text : rest;
  const market = SYMBOL_PATTERN.test(symbol) ? marketOf(symbol) : undefined;
  return exchange === undefined || market === undefined ? market : `${exchange}:${market}`;
}
