// Compares the trades of a strategy with the list that TradingView's own tester made for it.
//
// A case is a folder with script.pine, trades.csv and case.json, which names the bars when they are not beside it. A trade
// matches when both times are equal, prices agree to half a tick, the quantity to half a contract step, and the profit to
// a cent or a thousandth of it.
//
// Lists in another currency than the symbol's are converted by TradingView at the rate of the day, and no rates come with
// the cases. So the rate of each day is read off the list itself, and a trade whose profit is right at that rate is
// counted as converted.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BarColumns, barColumns, compile, type RunOptions, type RunResult, type SymbolInfo } from '../index.ts';

interface Case {
  readonly symbol: SymbolInfo & { readonly timeframe?: string };
  readonly bars?: string;
  readonly trade_from?: number;
  readonly trade_to?: number;
  readonly inputs?: Readonly<Record<string, unknown>>;
}

interface Trade {
  readonly direction: string;
  readonly entryTime: number;
  readonly entryPrice: number;
  readonly exitTime: number;
  readonly exitPrice: number;
  readonly quantity: number;
  readonly profit: number;
}

export interface TruthScore {
  readonly name: string;
  readonly wanted: number;
  readonly made: number;
  /** Trades that match, and those that would at the day's rate of exchange. */
  readonly matched: number;
  readonly converted: number;
  /** The first trades that do neither, in words; or why there are none. */
  readonly faults: readonly string[];
}

const SHOWN_FAULTS = 5;
const DAY_MS = 24 * 60 * 60 * 1000;
/** A profit in cents tells a rate only when it is large. */
const TELLING_PROFIT = 20;

export class StrategyTruth {
  readonly #folder: string;
  readonly #bars = new Map<string, BarColumns>();
  #rates: ReadonlyMap<number, number> | null = null;

  constructor(folder: string) {
    this.#folder = folder;
  }

  names(): string[] {
    return readdirSync(this.#folder).filter((name) => existsSync(join(this.#folder, name, 'trades.csv')));
  }

  /** A case as it is run. */
  read(name: string): { readonly source: string; readonly bars: BarColumns; readonly options: RunOptions } {
    const at = (file: string): string => join(this.#folder, name, file);
    const settings = JSON.parse(readFileSync(at('case.json'), 'utf8')) as Case;
    const bars = this.#readBars(at(settings.bars ?? 'bars.csv'));
    return { source: readFileSync(at('script.pine'), 'utf8'), bars, options: optionsOf(settings) };
  }

  score(name: string): TruthScore {
    const at = (file: string): string => join(this.#folder, name, file);
    const settings = JSON.parse(readFileSync(at('case.json'), 'utf8')) as Case;
    const wanted = readTrades(at('trades.csv'));
    const { program, diagnostics } = compile(readFileSync(at('script.pine'), 'utf8'));
    if (program === null) {
      const fault = diagnostics.find(({ severity }) => severity === 'error')?.message ?? 'it does not compile';
      return { name, wanted: wanted.length, made: 0, matched: 0, converted: 0, faults: [fault] };
    }
    const { broker } = program.run(this.#readBars(at(settings.bars ?? 'bars.csv')), optionsOf(settings));
    if (broker === null) throw new Error(`${name} is no strategy`);
    return { name, wanted: wanted.length, ...this.#compare(wanted, madeBy(broker), settings) };
  }

  /** Every wanted trade is looked for among those that begin at its time, so that one too many does not spoil the rest. */
  #compare(wanted: readonly Trade[], all: readonly Trade[], { symbol }: Case) {
    const left = Map.groupBy(all, ({ entryTime }) => entryTime);
    const faults: string[] = [];
    let matched = 0;
    let converted = 0;
    for (const [index, trade] of wanted.entries()) {
      const candidates = left.get(trade.entryTime) ?? [];
      const isLast = index === wanted.length - 1;
      const place = candidates.findIndex((made) => isPlaced(made, trade, symbol, isLast));
      const made = candidates[place];
      if (made === undefined) {
        if (faults.length < SHOWN_FAULTS) faults.push(`#${index + 1} ${textOf(trade)}, made ${textOf(candidates[0])}`);
        continue;
      }
      candidates.splice(place, 1);
      const isOpen = isLast && !(made.exitTime <= trade.exitTime);
      if (isOpen || isProfit(made.profit, trade.profit)) matched += 1;
      else if (isProfit(made.profit * this.#rateOf(trade.exitTime), trade.profit)) converted += 1;
      else if (faults.length < SHOWN_FAULTS) faults.push(`#${index + 1} ${textOf(trade)}, made ${textOf(made)}`);
    }
    return { made: all.length, matched, converted, faults };
  }

  /** The middle of what the profits of a day tell, over all lists of the folder. */
  #rateOf(timeMs: number): number {
    this.#rates ??= new Map(
      [...Map.groupBy(this.#tellingTrades(), ({ exitTime }) => Math.floor(exitTime / DAY_MS))].map(([day, trades]) => {
        const rates = trades.map((trade) => trade.profit / priceProfit(trade)).toSorted((a, b) => a - b);
        return [day, rates[rates.length >> 1]!];
      }),
    );
    return this.#rates.get(Math.floor(timeMs / DAY_MS)) ?? 1;
  }

  #tellingTrades(): Trade[] {
    const all = this.names().flatMap((name) => readTrades(join(this.#folder, name, 'trades.csv')));
    return all.filter((trade) => Math.abs(priceProfit(trade)) >= TELLING_PROFIT);
  }

  #readBars(file: string): BarColumns {
    const known = this.#bars.get(file);
    if (known !== undefined) return known;
    const rows = readFileSync(file, 'utf8').trim().split(/\r?\n/).slice(1);
    const bars = barColumns(
      rows.map((row) => {
        const [time = 0, open = 0, high = 0, low = 0, close = 0, volume = 0] = row.split(',').map(Number);
        return { time, open, high, low, close, volume };
      }),
    );
    this.#bars.set(file, bars);
    return bars;
  }
}

function optionsOf({ symbol: { timeframe, ...symbol }, inputs = {}, trade_from, trade_to }: Case) {
  return {
    symbol,
    inputs,
    ...(timeframe === undefined ? {} : { timeframe }),
    ...(trade_from === undefined ? {} : { tradeFromMs: trade_from }),
    ...(trade_to === undefined ? {} : { tradeToMs: trade_to }),
  };
}

function readTrades(file: string): Trade[] {
  const [header = '', ...lines] = readFileSync(file, 'utf8').trim().split(/\r?\n/);
  const names = header.split(',');
  const rows = lines.map((line) => {
    const cells = [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map((cell) => cell[2] ?? cell[1] ?? '');
    return new Map(names.map((name, index) => [name, cells[index] ?? '']));
  });
  return [...Map.groupBy(rows, (row) => row.get('trade')).values()].flatMap((pair) => {
    const isEntry = (row: ReadonlyMap<string, string>): boolean => row.get('type')?.startsWith('Entry') === true;
    const entry = pair.find(isEntry);
    const exit = pair.find((row) => !isEntry(row));
    if (entry === undefined || exit === undefined) return [];
    return [
      {
        direction: entry.get('type')?.endsWith('long') ? 'long' : 'short',
        entryTime: Number(entry.get('time')),
        entryPrice: Number(entry.get('price')),
        exitTime: Number(exit.get('time')),
        exitPrice: Number(exit.get('price')),
        quantity: Number(entry.get('qty')),
        profit: Number(exit.get('pnl')),
      },
    ];
  });
}

function madeBy({ ledger }: NonNullable<RunResult['broker']>): Trade[] {
  const side = (direction: number): string => (direction > 0 ? 'long' : 'short');
  const closed = ledger.closed.map((trade) => ({
    direction: side(trade.direction),
    entryTime: trade.entryTimeMs,
    entryPrice: trade.entryPrice,
    exitTime: trade.exitTimeMs,
    exitPrice: trade.exitPrice,
    quantity: trade.quantity,
    profit: trade.profit,
  }));
  const na = Number.NaN;
  const open = ledger.lots.map(({ direction, timeMs, price, quantity }) => ({
    direction: side(direction),
    entryTime: timeMs,
    entryPrice: price,
    exitTime: na,
    exitPrice: na,
    quantity,
    profit: na,
  }));
  return [...closed, ...open];
}

const priceProfit = ({ direction, entryPrice, exitPrice, quantity }: Trade): number =>
  (exitPrice - entryPrice) * quantity * (direction === 'long' ? 1 : -1);

const isNear = (a: number, b: number, by: number): boolean => Math.abs(a - b) <= by * (1 + 1e-9);

const isProfit = (a: number, b: number): boolean => isNear(a, b, 0.01) || isNear(a, b, Math.abs(b) / 1000);

/** Whether two trades agree but for their profit. */
function isPlaced(
  made: Trade,
  wanted: Trade,
  { mintick = 0.01, mincontract = 1e-6 }: SymbolInfo,
  isLast: boolean,
): boolean {
  if (made.direction !== wanted.direction || made.entryTime !== wanted.entryTime) return false;
  if (!isNear(made.entryPrice, wanted.entryPrice, mintick / 2)) return false;
  if (!isNear(made.quantity, wanted.quantity, mincontract / 2)) return false;
  // The last one may be open in the list: what it shows as its exit is the end of the tester's range.
  if (isLast && !(made.exitTime <= wanted.exitTime)) return true;
  return made.exitTime === wanted.exitTime && isNear(made.exitPrice, wanted.exitPrice, mintick / 2);
}

const minute = (timeMs: number): string =>
  Number.isNaN(timeMs) ? 'open' : new Date(timeMs).toISOString().slice(0, 16);

const textOf = (trade: Trade | undefined): string =>
  trade === undefined
    ? 'none'
    : `${trade.direction} ${trade.quantity}: ${minute(trade.entryTime)} ${trade.entryPrice} -> ${minute(trade.exitTime)} ${trade.exitPrice} = ${trade.profit}`;
