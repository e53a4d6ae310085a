// The owner's own names for markets: what a chart calls `NQ1!` or `BINANCE:BTCUSDT.P`, and which market is traded for it.

import { EXCHANGES, type Exchange } from '../../exchanges/exchange.ts';
import { SerialQueue } from '../../timing/serial-queue.ts';
import type { Accounts } from '../accounts.ts';
import { auditEntryOf, type SettingsStore } from './controls.ts';
import { noSuchMarket } from './gates.ts';
import { MAX_SPELLING_CHARS, marketOf } from './market-symbol.ts';

export interface MappedSymbol {
  /** As the chart spells it; upper and lower case do not count. */
  readonly symbol: string;
  /** The market's plain name. */
  readonly market: string;
  /** Where it is traded, whatever the signal says; absent means where the signal says. */
  readonly exchange?: Exchange | undefined;
  readonly account?: string | undefined;
}

/** An entry that cannot be meant, in words with the remedy. */
export class SymbolMapFault extends Error {}

export interface SymbolMap {
  /** In the order of their names. */
  list(): readonly MappedSymbol[];
  /** That of the name as it is spelled; else that of the market of which it is a spelling, as `ETH/USDT` is of `ETHUSDT`. */
  find(symbol: string): MappedSymbol | undefined;
  /** Adds an entry, or replaces that of the same symbol. Rejects with SymbolMapFault. In force and stored when it resolves. */
  set(entry: MappedSymbol, actor: string): Promise<MappedSymbol>;
  /** What was removed; undefined where nothing was. */
  remove(symbol: string, actor: string): Promise<MappedSymbol | undefined>;
}

export const MAX_MAPPED_SYMBOL_CHARS = MAX_SPELLING_CHARS;
/** More names than any chart has; a bound on a list that is kept in memory. */
const MAX_ENTRIES = 1000;
const MAX_MARKET_CHARS = 20;
const SETTING = 'symbolMap';

const nameOf = (symbol: string): string => symbol.trim().toUpperCase();

export function createSymbolMap(options: {
  readonly store: SettingsStore;
  readonly accounts: Pick<Accounts, 'list' | 'find' | 'namesAt'>;
  readonly nowMs: () => number;
}): SymbolMap {
  const { store, accounts, nowMs } = options;
  const stored = (): Map<string, MappedSymbol> =>
    new Map((JSON.parse(store.get(SETTING) ?? '[]') as MappedSymbol[]).map((entry) => [entry.symbol, entry]));
  let entries = stored();
  store.watch?.(() => {
    entries = stored();
  });
  /** One after the other: all entries are stored as one value. */
  const changes = new SerialQueue();
  const list = (): readonly MappedSymbol[] =>
    [...entries.values()].sort((a, b) => (a.symbol < b.symbol ? -1 : a.symbol > b.symbol ? 1 : 0));

  /** Stored first: what could not be stored is not in force. */
  const change = async (name: string, after: MappedSymbol | undefined, actor: string): Promise<void> => {
    const before = entries.get(name) ?? null;
    const next = new Map(entries);
    if (after) next.set(name, after);
    else next.delete(name);
    const entry = auditEntryOf({ actor, setting: SETTING, before, after: after ?? null }, nowMs());
    await store.set(SETTING, JSON.stringify([...next.values()]), entry);
    entries = stored();
  };

  return {
    list,
    find(symbol) {
      if (entries.size === 0) return undefined;
      const name = nameOf(symbol);
      const market = marketOf(name);
      return entries.get(name) ?? (market === undefined ? undefined : entries.get(market));
    },
    set: (wanted, actor) =>
      changes.run(async () => {
        const entry = checked(wanted, entries, accounts);
        if (!entries.has(entry.symbol) && entries.size >= MAX_ENTRIES)
          throw new SymbolMapFault(`there are ${MAX_ENTRIES} entries already; remove some first`);
        await change(entry.symbol, entry, actor);
        return entry;
      }),
    remove: (symbol, actor) =>
      changes.run(async () => {
        const name = nameOf(symbol);
        const known = entries.get(name);
        if (known) await change(name, undefined, actor);
        return known;
      }),
  };
}

function checked(
  { symbol, market: wanted, exchange, account }: MappedSymbol,
  entries: ReadonlyMap<string, MappedSymbol>,
  accounts: Pick<Accounts, 'list' | 'find' | 'namesAt'>,
): MappedSymbol {
  const name = nameOf(symbol);
  if (name === '') throw new SymbolMapFault('symbol: is blank, send the name that the chart sends, such as NQ1!');
  const market = marketOf(wanted.trim());
  if (market === undefined || market.length > MAX_MARKET_CHARS)
    throw new SymbolMapFault('market: names no market, send one such as BTCUSDT');
  if (name === market) throw new SymbolMapFault(`market: ${market} is that market already, so there is nothing to map`);
  // One step and no more: what is traded for a name must be seen in its own entry.
  const next = entries.get(market);
  if (next)
    throw new SymbolMapFault(
      `market: ${market} is mapped itself, to ${next.market}; map ${name} to that, or remove it`,
    );
  const before = [...entries.values()].find((entry) => entry.market === name && entry.symbol !== name);
  if (before)
    throw new SymbolMapFault(`symbol: ${before.symbol} is mapped to ${name}; map that one to ${market} first`);
  const fault = placeFault(market, exchange, account, accounts);
  if (fault !== undefined) throw new SymbolMapFault(fault);
  return { symbol: name, market, ...(exchange && { exchange }), ...(account && { account }) };
}

/** Without an exchange one that has the market is enough: the signal names which one. */
function placeFault(
  market: string,
  exchange: Exchange | undefined,
  account: string | undefined,
  accounts: Pick<Accounts, 'list' | 'find' | 'namesAt'>,
): string | undefined {
  const exchanges = exchange ? [exchange] : EXCHANGES;
  if (account !== undefined && !exchanges.some((each) => accounts.find(each, account)))
    return `account: no account has this name there; it has ${exchanges.flatMap((each) => accounts.namesAt(each)).join(', ')}`;
  const venues = accounts.list().filter((venue) => exchanges.includes(venue.exchange));
  const missing = venues.map((venue) => venue.unlisted?.(market));
  const nearest = missing.find((each) => each !== undefined);
  if (nearest === undefined || missing.some((each) => each === undefined)) return undefined;
  return noSuchMarket(exchanges[0] as string, market, nearest).replace(/^symbol/, 'market');
}
