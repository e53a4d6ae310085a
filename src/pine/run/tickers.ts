// `ticker.*` and the two functions of `syminfo`: identifiers of symbols as text.

import type { FunctionEntry, ValueFunction } from '../values/index.ts';

/** Everything but the symbol, in the order it was asked for. */
export interface Modifiers {
  readonly [name: string]: string | number | boolean | null;
}

const PLAIN = /^[^{]*$/;

/** An identifier with modifiers is the platform's own notation: an equals sign and a JSON object. */
export function readTickerId(tickerid: string): { symbol: string; modifiers: Modifiers } {
  if (PLAIN.test(tickerid)) return { symbol: tickerid, modifiers: {} };
  try {
    const { symbol, ...modifiers } = JSON.parse(tickerid.replace(/^=/, '')) as Modifiers & { symbol: string };
    return { symbol: String(symbol), modifiers };
  } catch {
    return { symbol: tickerid, modifiers: {} };
  }
}

function write(symbol: string, modifiers: Modifiers): string {
  const named = Object.fromEntries(
    Object.entries(modifiers).filter(([, value]) => value !== null && value !== undefined),
  );
  return Object.keys(named).length === 0 ? symbol : `=${JSON.stringify({ symbol, ...named })}`;
}

const withKind = (tickerid: string, type: string, settings: Modifiers): string => {
  const { symbol, modifiers } = readTickerId(tickerid);
  return write(symbol, { ...modifiers, type, ...settings });
};

const prefixOf = (symbol: string): string => (symbol.includes(':') ? symbol.slice(0, symbol.indexOf(':')) : '');
const tickerOf = (symbol: string): string => symbol.slice(symbol.indexOf(':') + 1);

type Text = string | null;

const CALLS: Readonly<Record<string, ValueFunction>> = {
  'syminfo.prefix': (symbol: Text) => (symbol === null ? null : prefixOf(readTickerId(symbol).symbol)),
  'syminfo.ticker': (symbol: Text) => (symbol === null ? null : tickerOf(readTickerId(symbol).symbol)),
  'ticker.new': (prefix: string, ticker: string, session?: Text, adjustment?: Text) =>
    write(prefix === '' ? ticker : `${prefix}:${ticker}`, { session: session ?? null, adjustment: adjustment ?? null }),
  'ticker.modify': (tickerid: string, session?: Text, adjustment?: Text) => {
    const { symbol, modifiers } = readTickerId(tickerid);
    return write(symbol, { ...modifiers, session: session ?? null, adjustment: adjustment ?? null });
  },
  'ticker.inherit': (from: string, symbol: string) => write(readTickerId(symbol).symbol, readTickerId(from).modifiers),
  'ticker.standard': (symbol: string) => readTickerId(symbol).symbol,
  'ticker.heikinashi': (symbol: string) => withKind(symbol, 'heikinashi', {}),
  'ticker.kagi': (symbol: string, reversal: number, style = 'Traditional') =>
    withKind(symbol, 'kagi', { reversal, style }),
  'ticker.linebreak': (symbol: string, lines: number) => withKind(symbol, 'linebreak', { lines }),
  'ticker.pointfigure': (symbol: string, source: string, style: string, param: number, reversal: number) =>
    withKind(symbol, 'pointfigure', { source, style, param, reversal }),
  'ticker.renko': (symbol: string, style: string, param: number, wicks: boolean, source: string) =>
    withKind(symbol, 'renko', { style, param, wicks, source }),
};

export function tickerEntry(name: string): FunctionEntry | undefined {
  return Object.hasOwn(CALLS, name) ? { kind: 'function', call: CALLS[name]! } : undefined;
}
