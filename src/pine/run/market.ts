// The market a script runs on: what the caller says of the symbol, checked once, with a sensible value for the rest.
//
// Who says nothing gets a coin that trades around the clock: UTC, steps of 0.01, bars of a day. Everything wrong is
// reported at once. Texts and numbers may come straight from somebody's JSON, so that their types are checked too.

import type { PineVersion } from '../builtins/types.ts';
import type { ConstantValue } from '../check/tree.ts';
import { type MarketHours, parseSession, type Session, TradingCalendar, timeframes, zoneOf } from '../values/index.ts';
import { marketFacts, type View } from './market-facts.ts';
import { checkedSymbol, type SymbolInfo, SymbolInfoFault } from './market-symbol.ts';
import { type Tick, tickOf } from './market-tick.ts';
import { readTimeframe } from './written-timeframe.ts';

export type { View } from './market-facts.ts';
export { type SymbolInfo, SymbolInfoFault } from './market-symbol.ts';

export interface Market {
  readonly version: PineVersion;
  /** Every built-in variable that never changes during a run, by its full name. */
  readonly facts: Readonly<Record<string, ConstantValue>>;
  /** For the functions of time in `values`. */
  readonly hours: MarketHours;
  readonly timeframe: timeframes.Timeframe;
  readonly mintick: number;
  /** The days and hours of the chart. */
  readonly calendar: TradingCalendar;
  /** The regular hours, or null when the chart shows nothing beyond them. */
  readonly regular: Session | null;
}

const NOWHERE: View = { firstTimeMs: Number.NaN, lastTimeMs: Number.NaN };

/** `timeframe` stands above the symbol's own `period`. */
export function createMarket(
  symbol: SymbolInfo | undefined,
  timeframe: string | undefined,
  version: PineVersion,
  view: View = NOWHERE,
): Market {
  const info = checkedSymbol(symbol ?? {});
  const faults: string[] = [];
  /** The part, or its default when it is at fault: all faults are told together. */
  const part = <T>(read: () => T | string, instead: T): T => {
    const found = attempt(read);
    if (typeof found !== 'string') return found;
    faults.push(found);
    return instead;
  };
  const frame = part(() => readTimeframe(timeframe || info.period || '1D'), timeframes.parseTimeframe('1D'));
  const timezone = info.timezone || 'Etc/UTC';
  const zone = part(() => zoneOf(plainZone(timezone)), zoneOf('UTC'));
  const hours = hoursOf(info.session);
  const session = part(() => parseSession(hours), parseSession('24x7'));
  const regularHours = info.session_regular ? hoursOf(info.session_regular) : hours;
  const regular = regularHours === hours ? session : part(() => parseSession(regularHours), session);
  const tick = part<Tick>(() => tickOf(info), { mintick: 0.01, pricescale: 100, minmove: 1 });
  for (const name of ['pointvalue', 'mincontract'] as const)
    if (!((info[name] ?? 1) > 0)) faults.push(`${name} is ${info[name]}, but must be a number above zero.`);
  if (faults.length > 0) throw new SymbolInfoFault(faults);
  const isExtended = regularHours !== hours;
  return Object.freeze({
    version,
    facts: marketFacts({ info, tick, frame, timezone, isExtended, version, view }),
    hours: { timezone: zone.name, session: hours, timeframe: timeframes.formatTimeframe(frame) },
    timeframe: frame,
    mintick: tick.mintick,
    calendar: new TradingCalendar(session, zone),
    regular: isExtended ? regular : null,
  });
}

/** What is read, or the message of the error it ends with. */
function attempt<T>(read: () => T | string): T | string {
  try {
    return read();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Names of Greenwich time that need no look-up: making one by its long name costs milliseconds at every start. */
const plainZone = (name: string) => (/^(Etc\/)?(UTC|UCT|GMT|Zulu|Universal)$/.test(name) ? 'UTC' : name);

/**
 * The hours of a market as `parseSession` reads them. Of a market, unlike of a `time()` call, hours without days mean
 * Monday to Friday, less the days that another part names: "0900-1630|0900-1400:2" closes early on Mondays.
 */
function hoursOf(session: string | undefined): string {
  const text = (session ?? '').trim();
  if (['', '24x7', 'regular', 'extended', '0000-0000', '0000-2400'].includes(text.toLowerCase())) return '24x7';
  const parts = text.split('|');
  const named = parts.map((part) => part.split(':').slice(1).join('')).join('');
  const others = [...'23456'].filter((day) => !named.includes(day)).join('');
  const days = (part: string) => (part.includes(':') ? part : `${part}:${others}`);
  return parts
    .filter((part) => part.includes(':') || others !== '')
    .map(days)
    .join(',');
}
