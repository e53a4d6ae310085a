// `npm run truth -- FOLDER`: runs every strategy of a folder and compares its trades with those of TradingView's own tester.
//
// Each case is a folder with script.pine, trades.csv, case.json and bars.csv (or the path of bars in case.json). A trade
// matches when both times are equal, prices agree to half a tick, the quantity to half a contract step, and the profit to
// a cent or a thousandth. A case is perfect from 99 % on and strong from 95 %.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BarColumns, barColumns, compile, type SymbolInfo } from '../src/pine/index.ts';

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

interface Score {
  readonly name: string;
  readonly matched: number;
  readonly wanted: number;
  readonly made: number;
  readonly fault: string;
}

const barsOfFile = new Map<string, BarColumns>();

function readBars(file: string): BarColumns {
  const known = barsOfFile.get(file);
  if (known !== undefined) return known;
  const rows = readFileSync(file, 'utf8').trim().split(/\r?\n/).slice(1);
  const bars = barColumns(
    rows.map((row) => {
      const [time, open, high, low, close, volume] = row.split(',').map(Number) as number[];
      return { time: time!, open: open!, high: high!, low: low!, close: close!, volume: volume! };
    }),
  );
  barsOfFile.set(file, bars);
  return bars;
}

function readTrades(file: string): Trade[] {
  const [header = '', ...lines] = readFileSync(file, 'utf8').trim().split(/\r?\n/);
  const names = header.split(',');
  const rows = lines.map((line) => {
    const cells = [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map((cell) => cell[2] ?? cell[1] ?? '');
    return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? '']));
  });
  const byNumber = new Map<string, { entry?: Record<string, string>; exit?: Record<string, string> }>();
  for (const row of rows) {
    const pair = byNumber.get(row.trade!) ?? {};
    if (row.type!.startsWith('Entry')) pair.entry = row;
    else pair.exit = row;
    byNumber.set(row.trade!, pair);
  }
  return [...byNumber.values()].flatMap(({ entry, exit }) =>
    entry && exit
      ? [
          {
            direction: entry.type!.endsWith('long') ? 'long' : 'short',
            entryTime: Number(entry.time),
            entryPrice: Number(entry.price),
            exitTime: Number(exit.time),
            exitPrice: Number(exit.price),
            quantity: Number(entry.qty),
            profit: Number(exit.pnl),
          },
        ]
      : [],
  );
}

function isEqual(a: Trade, b: Trade, tick: number, step: number, isLast: boolean): boolean {
  if (a.direction !== b.direction || a.entryTime !== b.entryTime) return false;
  const near = (x: number, y: number, by: number): boolean => Math.abs(x - y) <= by * (1 + 1e-9);
  if (!near(a.entryPrice, b.entryPrice, tick / 2) || !near(a.quantity, b.quantity, step / 2)) return false;
  // The last one may be open in the list: what it shows as its exit is the end of the tester's range.
  if (isLast && !(a.exitTime <= b.exitTime)) return true;
  if (a.exitTime !== b.exitTime || !near(a.exitPrice, b.exitPrice, tick / 2)) return false;
  return (
    near(a.profit, b.profit, 0.01) ||
    near(a.profit, b.profit, (Math.abs(b.profit) / 1000) * Number(process.env.LAX ?? 1))
  );
}

const shown = (trade: Trade | undefined): string =>
  trade === undefined
    ? 'none'
    : `${trade.direction} ${new Date(trade.entryTime).toISOString().slice(0, 16)} ${trade.entryPrice} → ` +
      `${new Date(trade.exitTime).toISOString().slice(0, 16)} ${trade.exitPrice} × ${trade.quantity} = ${trade.profit}`;

function scoreOf(folder: string, name: string): Score {
  const at = (file: string): string => join(folder, name, file);
  const {
    symbol,
    bars: barsFile = 'bars.csv',
    inputs = {},
    ...range
  } = JSON.parse(readFileSync(at('case.json'), 'utf8')) as Case;
  const wanted = readTrades(at('trades.csv'));
  const failed = (fault: string): Score => ({ name, matched: 0, wanted: wanted.length, made: 0, fault });
  const { program, diagnostics } = compile(readFileSync(at('script.pine'), 'utf8'));
  if (program === null)
    return failed(diagnostics.find(({ severity }) => severity === 'error')?.message ?? 'not compiled');
  let bars = readBars(at(barsFile));
  if (process.env.LEAD) {
    const first = bars.time.findIndex((t) => t >= range.trade_from! - Number(process.env.LEAD) * 900_000);
    const cut = (c: Float64Array) => c.subarray(first);
    bars = {
      count: bars.count - first,
      time: cut(bars.time),
      open: cut(bars.open),
      high: cut(bars.high),
      low: cut(bars.low),
      close: cut(bars.close),
      volume: cut(bars.volume),
    };
  }
  const { timeframe, ...info } = symbol;
  const options = {
    symbol: info,
    inputs,
    ...(timeframe === undefined ? {} : { timeframe }),
    ...(range.trade_from === undefined ? {} : { tradeFromMs: range.trade_from }),
    ...(range.trade_to === undefined ? {} : { tradeToMs: range.trade_to }),
  };
  const made = tradesOf(program.run(bars, options).broker!);
  const tick = info.mintick ?? 0.01;
  const step = info.mincontract ?? 1e-6;
  // Every wanted trade is looked for among those that begin at its time: one trade too many does not spoil the rest.
  const left = new Map<number, Trade[]>();
  for (const trade of made) left.set(trade.entryTime, [...(left.get(trade.entryTime) ?? []), trade]);
  let matched = 0;
  let fault = '';
  for (const [index, trade] of wanted.entries()) {
    const candidates = left.get(trade.entryTime) ?? [];
    const isLast = index === wanted.length - 1;
    const found = candidates.findIndex((candidate) => isEqual(candidate, trade, tick, step, isLast));
    if (found >= 0) {
      candidates.splice(found, 1);
      matched += 1;
    } else if (process.env.ALL) console.log(`   #${index + 1} ${shown(trade)}, made ${shown(candidates[0])}`);
    else if (fault === '') fault = `#${index + 1} ${shown(trade)}, made ${shown(candidates[0] ?? made[index])}`;
  }
  return { name, matched, wanted: wanted.length, made: made.length, fault };
}

function tradesOf(
  broker: NonNullable<ReturnType<NonNullable<ReturnType<typeof compile>['program']>['run']>['broker']>,
): Trade[] {
  const closed = broker.ledger.closed.map((trade) => ({
    direction: trade.direction > 0 ? 'long' : 'short',
    entryTime: trade.entryTimeMs,
    entryPrice: trade.entryPrice,
    exitTime: trade.exitTimeMs,
    exitPrice: trade.exitPrice,
    quantity: trade.quantity,
    profit: trade.profit,
  }));
  const open = broker.ledger.lots.map((lot) => ({
    direction: lot.direction > 0 ? 'long' : 'short',
    entryTime: lot.timeMs,
    entryPrice: lot.price,
    exitTime: Number.NaN,
    exitPrice: Number.NaN,
    quantity: lot.quantity,
    profit: Number.NaN,
  }));
  return [...closed, ...open];
}

const [folder, only = ''] = process.argv.slice(2);
if (folder === undefined) {
  console.error('Name a folder of cases: npm run truth -- FOLDER [part of a name]');
  process.exit(2);
}
const names = readdirSync(folder).filter((name) => name.includes(only) && existsSync(join(folder, name, 'trades.csv')));
const scores = names.map((name) => scoreOf(folder, name));
let perfect = 0;
let strong = 0;
for (const { name, matched, wanted, made, fault } of scores) {
  const share = wanted === 0 ? 1 : matched / wanted;
  if (share >= 0.99) perfect += 1;
  else if (share >= 0.95) strong += 1;
  const grade = share >= 0.99 ? 'perfect' : share >= 0.95 ? 'strong' : '-';
  console.log(
    `${grade.padEnd(8)} ${matched}/${wanted} (made ${made}) ${name}${fault === '' ? '' : `\n         ${fault}`}`,
  );
}
console.log(`${perfect} perfect, ${strong} strong, ${scores.length - perfect - strong} others of ${scores.length}`);
process.exitCode = perfect === scores.length ? 0 : 1;
