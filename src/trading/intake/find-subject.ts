// Whom a limit, a pause or a kill switch is about, as people write it: a slip of the pen must not become a limit of nobody.

import { EXCHANGES, type Exchange } from '../../exchanges/exchange.ts';
import { type Accounts, MAIN_ACCOUNT } from '../accounts.ts';
import type { Journal } from '../books/journal.ts';
import { ONE_LINE, trimName } from '../name-spelling.ts';
import { MAX_STRATEGY_CHARS } from '../signal.ts';
import { UnknownMarket } from '../venue.ts';
import { noSuchMarket } from './gates.ts';
import { marketOf } from './market-symbol.ts';
import { type LimitSubject, type Restrictions, readSubject, SUBJECT_KINDS } from './restrictions.ts';
import type { SymbolMap } from './symbol-map.ts';

export interface SubjectSights {
  /** Webhook keys, revoked ones too; and whoever else is known by a label. */
  readonly keys: () => readonly { readonly keyId: string; readonly label: string }[];
  readonly accounts: Pick<Accounts, 'list' | 'find' | 'namesAt'>;
  /** The names of charts, each with its market. */
  readonly symbols: Pick<SymbolMap, 'find' | 'list'>;
  readonly restrictions: Pick<Restrictions, 'find'>;
  readonly journal: Pick<Journal, 'trades'>;
}

export type FoundSubject =
  | LimitSubject
  | {
      readonly fault: string;
      readonly cause: 'form' | 'unknown-key' | 'unknown-account' | 'unknown-symbol';
      readonly nearest?: readonly string[];
    };

export const SUBJECT_FORM =
  'key:<label or key id>, strategy:<name>, account:<exchange:name> or symbol:<market>, such as account:binance:main or symbol:BTCUSDT';

/** `kind:name`. */
export async function findSubjectOf(text: string, sights: SubjectSights): Promise<FoundSubject> {
  const subject = readSubject(text);
  return subject ? findSubject(subject, sights) : { fault: `write ${SUBJECT_FORM}`, cause: 'form' };
}

export async function findSubject({ kind, name }: LimitSubject, sights: SubjectSights): Promise<FoundSubject> {
  switch (kind) {
    case 'key': {
      const key = sights.keys().find(({ keyId, label }) => label === name || keyId === name);
      if (key) return { kind, name: key.label };
      return {
        fault: `there is no webhook key ${JSON.stringify(name)}; list the keys to see them`,
        cause: 'unknown-key',
      };
    }
    case 'strategy': {
      const strategy = trimName(name);
      if (strategy !== '' && !ONE_LINE.test(strategy))
        return { fault: 'the name of a strategy has no control characters, remove them', cause: 'form' };
      // As signals count them: one sign is one character, however many bytes it takes.
      const length = [...strategy].length;
      if (length >= 1 && length <= MAX_STRATEGY_CHARS) return { kind, name: strategy };
      return { fault: `a strategy has 1 to ${MAX_STRATEGY_CHARS} characters`, cause: 'form' };
    }
    case 'account': {
      const account = fullAccount(name, sights.accounts);
      return 'fault' in account ? account : { kind, name: account.name };
    }
    case 'symbol':
      return findMarket(name, sights);
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

/**
 * A market that certainly nobody has would be a kill switch of nothing. The name of a market that there is means that
 * market, whatever signals of that name are traded as: what is held in it must be stopped and closed by its own name.
 * Any other name of a chart stands for its market; one that has a restriction already is found, so that it can be taken
 * away.
 */
async function findMarket(text: string, { accounts, symbols, restrictions }: SubjectSights): Promise<FoundSubject> {
  const [, first = '', rest = ''] = /^([^:]+):(.+)$/.exec(text) ?? [];
  const exchange: Exchange | undefined = EXCHANGES.find((known) => known === first.toLowerCase());
  const symbol = exchange === undefined ? text : rest;
  const subject = (market: string, at = exchange): LimitSubject => ({
    kind: 'symbol',
    name: at === undefined ? market : `${at}:${market}`,
  });
  const market = marketOf(symbol);
  if (market !== undefined && restrictions.find(subject(market))) return subject(market);
  const mapped = symbols.find(text) ?? symbols.find(symbol);
  if (mapped && (market === undefined || (await isNoMarket(market, exchange, accounts))))
    return subject(mapped.market, exchange ?? mapped.exchange);
  if (market === undefined)
    return {
      fault: `${JSON.stringify(text)} names no market; write BTCUSDT, or binance:BTCUSDT for one exchange`,
      cause: 'form',
    };
  const nearest = unlistedAt(market, exchange, accounts);
  if (nearest === undefined) return subject(market);
  return { fault: noSuchMarket(exchange, market, nearest), cause: 'unknown-symbol', nearest };
}

/** Whether every venue says so. One that cannot be asked just now may have it. */
async function isNoMarket(
  market: string,
  exchange: Exchange | undefined,
  accounts: Pick<Accounts, 'list'>,
): Promise<boolean> {
  const venues = accounts.list().filter((venue) => exchange === undefined || venue.exchange === exchange);
  const isMissing = await Promise.all(
    venues.map((venue) =>
      venue.market(market).then(
        () => false,
        (error: unknown) => error instanceof UnknownMarket,
      ),
    ),
  );
  return isMissing.every(Boolean);
}

/** Names that may have been meant, where no venue can have the market; those that must be asked may have it. */
function unlistedAt(
  market: string,
  exchange: Exchange | undefined,
  accounts: Pick<Accounts, 'list'>,
): readonly string[] | undefined {
  const venues = accounts.list().filter((venue) => exchange === undefined || venue.exchange === exchange);
  const missing = venues.map((venue) => venue.unlisted?.(market));
  return missing.every((nearest) => nearest !== undefined) ? missing[0] : undefined;
}

/**
 * What speaks against this subject being the one that was meant. It is told and no more: a strategy may send its first
 * signal tomorrow, and a switch must not wait for a venue to be asked.
 */
export async function subjectDoubts({ kind, name }: LimitSubject, sights: SubjectSights): Promise<readonly string[]> {
  if (kind === 'strategy') {
    // The change is made: a journal that cannot be read just now is no reason to call it failed.
    const seen = await sights.journal.trades({ limit: 1, strategy: name }).catch(() => undefined);
    return seen?.length !== 0
      ? []
      : [
          `strategy: no signal ever traded under ${JSON.stringify(name)}; names are compared exactly, upper and lower case too`,
        ];
  }
  if (kind !== 'symbol') return [];
  const [market = '', at] = name.split(':').reverse();
  const exchange = EXCHANGES.find((known) => known === at);
  const missing = (await isNoMarket(market, exchange, sights.accounts))
    ? [`symbol: there is no market ${market}${exchange === undefined ? '' : ` at ${exchange}`}`]
    : [];
  return [...missing, ...tradedElsewhere(market, sights.symbols)];
}

/** Signals that name this market and trade another: no restriction of this one meets them. */
const tradedElsewhere = (market: string, symbols: Pick<SymbolMap, 'list'>): readonly string[] =>
  symbols
    .list()
    .filter(({ symbol }) => marketOf(symbol) === market)
    .map(
      ({ symbol, market: traded }) =>
        `symbol: signals for ${symbol} are traded as ${traded} (symbol map); this is about the market ${market} itself, name symbol:${traded} for them`,
    );
