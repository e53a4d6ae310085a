// What a caller may say of a symbol, and the check that each part is of its type: it may come from somebody's JSON.

/** The market as the caller describes it, in the names of `syminfo.*`; fields not listed here are ignored. */
export interface SymbolInfo {
  /** "BTCUSDT"; with its exchange ("BINANCE:BTCUSDT") it is a tickerid. */
  readonly ticker?: string;
  readonly tickerid?: string;
  readonly prefix?: string;
  readonly root?: string;
  readonly description?: string;
  /** "crypto", "stock", "futures", "forex", "index", "fund"… */
  readonly type?: string;
  /** Of the exchange: "America/New_York", "UTC". */
  readonly timezone?: string;
  /** The chart's hours: "24x7", "0930-1600" (Monday to Friday), "1700-1700:23456"; or only "regular", "extended". */
  readonly session?: string;
  /** The regular hours, where the chart's hours go beyond them. */
  readonly session_regular?: string;
  /** The timeframe, as Pine writes it ("60", "1D") or as exchanges do ("1h", "1d"). */
  readonly period?: string;
  readonly mintick?: number;
  readonly pricescale?: number;
  readonly minmove?: number;
  readonly pointvalue?: number;
  readonly mincontract?: number;
  readonly currency?: string;
  readonly basecurrency?: string;
  readonly volumetype?: string;
  readonly country?: string;
  readonly sector?: string;
  readonly industry?: string;
  readonly isin?: string;
  readonly current_contract?: string;
  readonly expiration_date?: number;
  readonly employees?: number;
  readonly shareholders?: number;
  readonly shares_outstanding_float?: number;
  readonly shares_outstanding_total?: number;
}

/** Everything that is wrong with a description of a market. */
export class SymbolInfoFault extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`The description of the market is at fault: ${faults.join(' ')}`);
    this.name = 'SymbolInfoFault';
    this.faults = faults;
  }
}

const TEXT_FIELDS = [
  'ticker',
  'tickerid',
  'prefix',
  'root',
  'description',
  'type',
  'timezone',
  'session',
  'session_regular',
  'period',
  'currency',
  'basecurrency',
  'volumetype',
  'country',
  'sector',
  'industry',
  'isin',
  'current_contract',
] as const satisfies readonly (keyof SymbolInfo)[];
const NUMBER_FIELDS = [
  'mintick',
  'pricescale',
  'minmove',
  'pointvalue',
  'mincontract',
  'expiration_date',
  'employees',
  'shareholders',
  'shares_outstanding_float',
  'shares_outstanding_total',
] as const satisfies readonly (keyof SymbolInfo)[];
/** Everything that is understood. */
export const SYMBOL_FIELDS: readonly string[] = [...TEXT_FIELDS, ...NUMBER_FIELDS];

/** No name, description or session of a symbol is longer. */
const MAX_TEXT_LENGTH = 400;

/** The known fields, each of its type; null counts as not said. */
export function checkedSymbol(symbol: SymbolInfo): SymbolInfo {
  const faults: string[] = [];
  const given: Record<string, unknown> = { ...symbol };
  const info: Record<string, unknown> = {};
  for (const name of SYMBOL_FIELDS) {
    const value = given[name] ?? undefined;
    const type = (TEXT_FIELDS as readonly string[]).includes(name) ? 'string' : 'number';
    if (value !== undefined && (typeof value !== type || Number.isNaN(value)))
      faults.push(`${name} must be a ${type === 'string' ? 'text' : 'number'}.`);
    else if (typeof value === 'string' && value.length > MAX_TEXT_LENGTH)
      faults.push(`${name} is longer than ${MAX_TEXT_LENGTH} characters.`);
    else info[name] = value;
  }
  if (faults.length > 0) throw new SymbolInfoFault(faults);
  return info;
}
