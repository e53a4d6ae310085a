// POST /optimize begins a search over the inputs of a strategy; GET and DELETE look at it, and end it.

import { StorageError } from '../../errors/storage-error.ts';
import type { KitContext } from '../../http/context.ts';
import { type EndpointHandler, paramOf } from '../../http/endpoint.ts';
import type { BacktestRunner } from '../../library/backtest-runner.ts';
import type { Caller } from '../../library/request-runner.ts';
import type { SearchDraft } from '../../library/search/search-draft.ts';
import { type SearchJob, SearchJobs } from '../../library/search/search-jobs.ts';
import { checkedBacktests, SearchFault, type SearchMarket, type SearchPlan } from '../../library/search/search-plan.ts';
import { sharedBars } from '../../library/search/shared-bars.ts';
import { type SearchStore, SharedSearches } from '../../library/search/shared-searches.ts';
import { describeMarket } from '../../market-data/assumed-market.ts';
import { backgroundTimers } from '../../timing/timers.ts';
import { wait } from '../../timing/wait.ts';
import { marketOf } from '../../trading/intake/market-symbol.ts';
import { fromStore, type KeyDeps, keyCaller, unauthorized, unavailable } from './key-door.ts';
import { maxBacktestsOf, meterOf, threadsOf } from './optimize-cost.ts';
import { presentedKey } from './presented-key.ts';
import { protect } from './protect.ts';
import { refusal } from './refusal.ts';
import type { RequestForwarder } from './request-forwarder.ts';
import { jsonAnswer } from './run.ts';
import type { GetRunBars } from './run-bars.ts';

export interface OptimizeDeps extends KeyDeps {
  readonly forwarder: RequestForwarder;
  readonly backtests: BacktestRunner;
  /** Where other processes see the searches of this one, and it theirs. */
  readonly searchStore?: SearchStore | undefined;
  readonly getRunBars: GetRunBars;
  readonly newRunId: () => string;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  /** Told of a search that failed through a fault of ours. */
  readonly onSearchFault?: (error: unknown) => void;
}

export type OptimizeHandlers = Readonly<Record<'start' | 'look' | 'end', EndpointHandler>>;

const ACCEPTED = 202;
const RETRY_AFTER_S = '5';

export function createOptimize(deps: OptimizeDeps): OptimizeHandlers {
  const { newRunId, nowMs, searchStore: store } = deps;
  const jobs = new SearchJobs({
    newId: newRunId,
    nowMs,
    timers: backgroundTimers,
    onFault: deps.onSearchFault ?? (() => {}),
  });
  const shared = store && new SharedSearches({ jobs, store, timers: backgroundTimers });
  const searches = shared ?? jobs;

  const start = protect(deps, async (c, rawKey) => {
    const caller = keyCaller(rawKey);
    const owner = caller.id;
    checkFree(jobs, owner);
    const known = await fromStore(deps, c.var.requestId, deps.keys.validate(rawKey));
    if (known === undefined) throw unauthorized(rawKey);
    const passed = await deps.forwarder.serve(c, { kind: 'optimize', caller });
    if (passed.kind !== 'draft') throw new Error('a search was not drafted');
    const most = maxBacktestsOf(known.tier);
    // Before bars are fetched for nothing: how many windows there are is only known with them.
    checked({ ...passed.draft, walkForward: undefined }, most);
    const plan = await planOf(passed.draft, deps.getRunBars, caller);
    const backtests = checked(plan, most);
    // Once more: another one of the same key may have begun while this one was read.
    checkFree(jobs, owner);
    const job = jobs.start(owner, plan, (signal) => ({
      runner: deps.backtests,
      threads: threadsOf(known.tier, deps.backtests.threads),
      monotonicMs: deps.monotonicMs,
      caller: { class: 'search', id: owner },
      wait: (delayMs) => wait(delayMs, { stop: signal, timers: backgroundTimers }),
      mayBegin: meterOf(deps.keys, rawKey),
    }));
    await shared?.begin(owner, job.id);
    return { status: ACCEPTED, body: { status: 'success', id: job.id, state: job.state, backtests } };
  });

  const look: EndpointHandler = async (c) => {
    const job = await reached(() => searches.find(ownerOf(c), paramOf(c, 'id')));
    if (job === undefined) throw unknownSearch();
    return shown(c, job);
  };

  const end: EndpointHandler = async (c) => {
    const job = await reached(() => searches.remove(ownerOf(c), paramOf(c, 'id')));
    if (job === undefined) throw unknownSearch();
    return c.json({ status: 'success', id: job.id, state: job.state === 'running' ? 'canceled' : job.state });
  };

  return { start, look, end };
}

/** The gate before has seen that the key is known. */
const ownerOf = (c: KitContext): string => keyCaller(presentedKey(c) ?? '').id;

function checkFree(jobs: SearchJobs, owner: string): void {
  const busy = jobs.refusal(owner);
  if (busy !== undefined) throw refusal('BUSY', busy, { headers: { 'retry-after': RETRY_AFTER_S } });
}

/** While the store is away nobody can say that there is no such search. */
async function reached<T>(look: () => T | Promise<T>): Promise<T> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    throw unavailable('searches of other processes cannot be looked up just now; try again in a moment');
  }
}

const unknownSearch = () =>
  refusal('NOT_FOUND', 'this key has no such search; results are kept for an hour, and no longer than until a restart');

async function planOf(draft: SearchDraft, getRunBars: GetRunBars, caller: Caller): Promise<SearchPlan> {
  const markets: SearchMarket[] = [];
  for (const { wanted, ...market } of draft.markets) {
    if (wanted === undefined) markets.push(market);
    else {
      const { symbol, timeframe, columns, source: priceSource } = await getRunBars(wanted, caller);
      // Only now is its price known, which describes a market that no table knows.
      const described = describeMarket(market.symbol ?? {}, marketOf, '', columns.close[columns.count - 1]).symbol;
      const named = { name: `${symbol} ${timeframe}`, symbol: described, priceSource };
      markets.push({ ...market, ...named, bars: sharedBars(columns) });
    }
  }
  return { ...draft, markets };
}

function checked(plan: SearchPlan, maxBacktests: number): number {
  try {
    return checkedBacktests(plan, maxBacktests);
  } catch (error) {
    if (error instanceof SearchFault) throw refusal('INVALID_FIELD', `vary: ${error.message}`);
    throw error;
  }
}

function shown(c: KitContext, job: SearchJob): Response {
  const { id, state, startedAtMs, endedAtMs, progress, best, result, failure } = job;
  const head = { status: 'success', id, state, started_at: startedAtMs, ended_at: endedAtMs, progress, failure };
  if (result === null) return c.json({ ...head, best, result: null });
  return jsonAnswer(c, withResult({ ...head, best: null }, result));
}

/** The result is encoded already: it is put behind the rest as it stands. */
function withResult(head: object, result: Uint8Array): Uint8Array[] {
  const text = JSON.stringify(head);
  return [Buffer.from(`${text.slice(0, -1)},"result":`), result, Buffer.from('}')];
}
