// What runs for minutes beside the request that asked for it: it is begun, looked at and ended, here and from every process that
// shares its store. A search and a batch differ in what is made of the body, and in where they are found.

import { StorageError } from '../../errors/storage-error.ts';
import type { KitContext } from '../../http/context.ts';
import { type EndpointHandler, paramOf } from '../../http/endpoint.ts';
import type { BacktestRunner } from '../../library/backtest-runner.ts';
import type { Caller, Drafted, RequestKind } from '../../library/request-runner.ts';
import type { DraftMarket } from '../../library/search/search-draft.ts';
import { type LongWork, type SearchJob, SearchJobs, type SearchJobsOptions } from '../../library/search/search-jobs.ts';
import type { SearchMarket } from '../../library/search/search-plan.ts';
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

export interface LongJobDeps extends KeyDeps {
  readonly forwarder: RequestForwarder;
  readonly backtests: BacktestRunner;
  /** Where other processes see the jobs of this one, and it theirs. */
  readonly searchStore?: SearchStore | undefined;
  readonly getRunBars: GetRunBars;
  readonly newRunId: () => string;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  /** Told of a job that failed through a fault of ours. */
  readonly onSearchFault?: (error: unknown) => void;
}

export type LongJobHandlers = Readonly<Record<'start' | 'look' | 'end', EndpointHandler>>;

export interface LongJobKind {
  readonly noun: SearchJobsOptions['noun'];
  readonly kind: RequestKind;
  /** What is to be done, and how many backtests that takes. Throws the refusal of one that takes too many. */
  workOf(
    draft: Drafted['draft'],
    maxBacktests: number,
    marketsOf: (drafts: readonly DraftMarket[]) => Promise<SearchMarket[]>,
  ): Promise<{ readonly work: LongWork; readonly backtests: number }>;
}

const ACCEPTED = 202;
const RETRY_AFTER_S = '5';

export function createLongJobs(deps: LongJobDeps, { noun, kind, workOf }: LongJobKind): LongJobHandlers {
  const { newRunId, nowMs, searchStore: store } = deps;
  const jobs = new SearchJobs({
    noun,
    newId: newRunId,
    nowMs,
    timers: backgroundTimers,
    onFault: deps.onSearchFault ?? (() => {}),
  });
  const shared = store && new SharedSearches({ jobs, store, timers: backgroundTimers });
  const searches = shared ?? jobs;
  /** One of another kind is not known here, nor in the store: its answer looks otherwise. */
  const ownerOf = (keyId: string): string => (kind === 'optimize' ? keyId : `${kind}:${keyId}`);
  const askedBy = (c: KitContext): string => ownerOf(keyCaller(presentedKey(c) ?? '').id);

  const start = protect(deps, async (c, rawKey) => {
    const caller = keyCaller(rawKey);
    const owner = ownerOf(caller.id);
    checkFree(jobs, owner);
    const known = await fromStore(deps, c.var.requestId, deps.keys.validate(rawKey));
    if (known === undefined) throw unauthorized(rawKey);
    const passed = await deps.forwarder.serve(c, { kind, caller });
    if (passed.kind !== 'draft') throw new Error(`a ${noun.one} was not drafted`);
    const marketsOf = (drafts: readonly DraftMarket[]) => withBars(drafts, deps.getRunBars, caller);
    const { work, backtests } = await workOf(passed.draft, maxBacktestsOf(known.tier), marketsOf);
    // Once more: another one of the same key may have begun while this one was read.
    checkFree(jobs, owner);
    const job = jobs.start(owner, work, (signal) => ({
      runner: deps.backtests,
      threads: threadsOf(known.tier, deps.backtests.threads),
      monotonicMs: deps.monotonicMs,
      caller: { class: 'search', id: caller.id },
      wait: (delayMs) => wait(delayMs, { stop: signal, timers: backgroundTimers }),
      mayBegin: meterOf(deps.keys, rawKey),
    }));
    await shared?.begin(owner, job.id);
    return { status: ACCEPTED, body: { status: 'success', id: job.id, state: job.state, backtests } };
  });

  const look: EndpointHandler = async (c) => {
    const job = await reached(() => searches.find(askedBy(c), paramOf(c, 'id')));
    if (job === undefined) throw unknownJob(noun.one);
    return shown(c, job);
  };

  const end: EndpointHandler = async (c) => {
    const job = await reached(() => searches.remove(askedBy(c), paramOf(c, 'id')));
    if (job === undefined) throw unknownJob(noun.one);
    return c.json({ status: 'success', id: job.id, state: job.state === 'running' ? 'canceled' : job.state });
  };

  return { start, look, end };
}

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

const unknownJob = (noun: string) =>
  refusal(
    'NOT_FOUND',
    `this key has no such ${noun}; results are kept for an hour, and no longer than until a restart`,
  );

async function withBars(
  drafts: readonly DraftMarket[],
  getRunBars: GetRunBars,
  caller: Caller,
): Promise<SearchMarket[]> {
  const markets: SearchMarket[] = [];
  for (const { wanted, ...market } of drafts) {
    if (wanted === undefined) markets.push(market);
    else {
      const { symbol, timeframe, columns, source: priceSource } = await getRunBars(wanted, caller);
      // Only now is its price known, which describes a market that no table knows.
      const described = describeMarket(market.symbol ?? {}, marketOf, '', columns.close[columns.count - 1]).symbol;
      const named = { name: `${symbol} ${timeframe}`, symbol: described, priceSource };
      markets.push({ ...market, ...named, bars: sharedBars(columns) });
    }
  }
  return markets;
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
