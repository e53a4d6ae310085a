// The setting SIMULATED_SYMBOLS: markets that the simulated market has besides the usual ones, each with its price.

import { amount, Fault, list, quoted } from './readers.ts';

/** Each is shown at every exchange in GET /markets. */
const MAX_MARKETS = 200;
const ENTRY = /^([^=]*)=(.*)$/;
const NAME = /^[A-Z0-9]{2,20}$/;
/** Ticks have twelve places, and a price has five digits or more. */
const LOWEST_PRICE = 1e-7;
const HIGHEST_PRICE = 1e7;

export interface SimulatedSymbolSetting {
  readonly market: string;
  /** The price around which it wanders. */
  readonly price: number;
}

/** `NEWUSDT=0.5,OTHERUSDT=120` */
export function simulatedSymbols(text: string): readonly SimulatedSymbolSetting[] {
  const symbols = list(text).map(entryOf);
  if (symbols.length > MAX_MARKETS) throw new Fault(`names more than ${MAX_MARKETS} markets; shorten the list`);
  const names = symbols.map(({ market }) => market);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Fault(`${twice} is named twice; give it one price`);
  return symbols;
}

function entryOf(entry: string): SimulatedSymbolSetting {
  const [, market = '', price] = ENTRY.exec(entry) ?? [];
  if (price === undefined)
    throw new Fault(`${quoted(entry)} is no market; write it like NEWUSDT=0.5, with the price it wanders around`);
  if (!NAME.test(market))
    throw new Fault(`${quoted(entry)} has no name for a market; use 2 to 20 capital letters and digits, like NEWUSDT`);
  const value = Number(amount(price));
  if (value < LOWEST_PRICE || value > HIGHEST_PRICE)
    throw new Fault(`${quoted(entry)}: a price is at least 0.0000001 and at most 10000000`);
  return { market, price: value };
}
