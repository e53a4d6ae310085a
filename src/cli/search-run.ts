// A search that a command line asks for: its files are read, its backtests run on all cores, and what it found is told.

import { Search } from '../library/search/search.ts';
import { type SearchAnswer, searchAnswer } from '../library/search/search-answer.ts';
import { checkedBacktests, SearchFault, type SearchMarket, type SearchPlan } from '../library/search/search-plan.ts';
import { sharedBars } from '../library/search/shared-bars.ts';
import { timeframeOfBars } from '../market-data/bar-timeframe.ts';
import type { SymbolBars, SymbolInfo } from '../pine/index.ts';
import { timeframeOfSeconds } from '../pine/light.ts';
import { foregroundTimers } from '../timing/timers.ts';
import { wait } from '../timing/wait.ts';
import type { LocalIo } from './command.ts';
import type { CommandScripts } from './host.ts';
import { librariesOf } from './library-folder.ts';
import { fetchMarketBars } from './market-bars.ts';
import { namedMarket } from './named-market.ts';
import { startProgress } from './progress.ts';
import { readBars } from './read-bars.ts';
import { CommandFiles, fileFault } from './script-files.ts';
import { NO_STRATEGY, tellFault, tellUnknownFields } from './script-run.ts';
import { searchCsv } from './search-csv.ts';
import { searchText } from './search-text.ts';
import type { MarketSource, WantedSearch } from './wanted-search.ts';
import { writeText } from './write-report.ts';

/** Figures of each stay in memory: 60 MB of so many. */
const MAX_BACKTESTS = 200_000;

export interface SearchMode {
  /** Of one backtest. */
  readonly timeoutMs: number;
  readonly isJson: boolean;
}

export async function runSearch(
  wanted: WantedSearch,
  { timeoutMs, isJson }: SearchMode,
  scripts: CommandScripts,
  io: LocalIo,
): Promise<number> {
  const { run, varied } = wanted;
  const files = new CommandFiles(io);
  const source = await files.script(run.file);
  const libraries = await librariesOf(source, await files.libraries(run.libraries), run.libraryFolder, files);
  const markets = await marketsOf(wanted, files, io);
  const found = await scripts.space({ source, libraries, varied, fixed: run.inputs });
  if (found.kind !== 'space') {
    const times = markets[0]?.bars.time ?? new Float64Array();
    return tellFault(found, { file: run.file, source, times }, isJson ? 'json' : 'summary', io);
  }
  if (found.scriptType !== 'strategy') throw fileFault(run.file, NO_STRATEGY);
  const { method, objective, constraints, walkForward, top } = wanted;
  const plan: SearchPlan = {
    ...{ source, libraries, scriptName: found.scriptName, ...found.space, markets },
    ...{ method, objective, constraints, walkForward, top, runTimeoutMs: timeoutMs },
    ...run.account,
  };
  const search = await searched(plan, wanted.threads, scripts, io);
  const answer = searchAnswer(search);
  io.out(isJson ? JSON.stringify(answer) : searchText(answer, io));
  if (wanted.trials !== undefined) writeText(wanted.trials, [...searchCsv(search)].join(''), io);
  if (run.files.report !== undefined) await writePage(run.files.report, answer, io);
  if (search.stopped === undefined) return 0;
  io.err(`Stopped: ${search.stopped}. ${answer.backtests.done} of ${answer.backtests.total} backtests were run.`);
  return 1;
}

async function writePage(path: string, answer: SearchAnswer, io: LocalIo): Promise<void> {
  // Loaded only where it is asked for.
  const { searchPage } = await import('./report-page/search-page.ts');
  writeText(path, searchPage(answer), io);
}

async function marketsOf({ run, markets }: WantedSearch, files: CommandFiles, io: LocalIo): Promise<SearchMarket[]> {
  const { symbolFile } = run;
  const info = symbolFile === undefined ? {} : await files.symbolInfo(symbolFile);
  if (symbolFile !== undefined) tellUnknownFields(symbolFile, info, io);
  const symbolBars: SymbolBars[] = [];
  for (const { path, ...other } of run.symbolBars)
    symbolBars.push({ ...other, bars: sharedBars(readBars(path, await files.bars(path))) });
  const found: SearchMarket[] = [];
  for (const market of markets) found.push({ ...(await marketOf(market, info, files, io)), symbolBars });
  return found;
}

async function marketOf(
  { symbol, timeframe, bars: choice }: MarketSource,
  info: SymbolInfo,
  files: CommandFiles,
  io: LocalIo,
): Promise<SearchMarket> {
  if ('symbol' in choice) {
    const { symbol: ticker, columns, priceSource } = await fetchMarketBars(choice, io);
    const length = timeframeOfSeconds(choice.timeframeMs / 1000);
    const market = { type: 'crypto', ...namedMarket(choice.symbol, info, io), ticker };
    return { name: `${ticker} ${length}`, priceSource, bars: sharedBars(columns), symbol: market, timeframe: length };
  }
  const bars = readBars(choice.file, await files.bars(choice.file));
  const known = timeframe ?? info.period ?? timeframeOfBars(bars.time.subarray(0, bars.count));
  const named = namedMarket(symbol, symbol === undefined ? info : { ...info, ticker: symbol }, io);
  return {
    name: symbol === undefined ? choice.file : `${symbol} ${known ?? ''}`.trim(),
    bars: sharedBars(bars),
    symbol: named,
    ...(known === undefined ? {} : { timeframe: known }),
  };
}

/** Ctrl-C ends it, and what was found until then is told all the same. */
async function searched(plan: SearchPlan, threads: number, scripts: CommandScripts, io: LocalIo): Promise<Search> {
  const total = checked(plan);
  const search = new Search(plan);
  const { signal, forget } = io.hearInterrupt();
  const screen = io.screen && { ...io.screen, onInterrupt: () => () => {} };
  const progress = startProgress(screen, total, 'Searching', 'backtests');
  try {
    await search.run({
      runner: scripts,
      threads,
      signal,
      monotonicMs: () => performance.now(),
      wait: (delayMs) => wait(delayMs, { stop: signal, timers: foregroundTimers }),
      onProgress: () => Atomics.store(progress.counter, 0, search.progress.done),
    });
  } finally {
    progress.stop();
    forget();
  }
  return search;
}

function checked(plan: SearchPlan): number {
  try {
    return checkedBacktests(plan, MAX_BACKTESTS);
  } catch (error) {
    if (error instanceof SearchFault) throw new Error(`${error.message[0]?.toUpperCase()}${error.message.slice(1)}.`);
    throw error;
  }
}
