// /api/runs: backtests that a user keeps, compares and makes again; nobody sees anybody else's.

import type { KitContext } from '../../http/context.ts';
import { type Endpoint, type EndpointHandler, paramOf } from '../../http/endpoint.ts';
import { readStrict } from '../../http/strict-body.ts';
import { runFaultOf } from '../../library/run-fault.ts';
import { ALL_NOTED } from '../../library/runs/kept-run.ts';
import type { StoredRun } from '../../library/runs/run-store.ts';
import type { Runs, Unmade, WantedBacktest } from '../../library/runs/runs.ts';
import type { Refused, Stopped } from '../../library/script-runner.ts';
import { parseMoment } from '../../market-data/bar-time.ts';
import { createCallWindow } from './call-window.ts';
import { marketFields } from './market-fields.ts';
import { refusal, type ScriptsRefusal } from './refusal.ts';
import type { Authenticate } from './require-key.ts';
import { newRunSchema, noteBodySchema, RUN_DOCS } from './run-docs.ts';
import { noScript } from './script-views.ts';
import { RETRY_LATER, type StorageGuard } from './storage-refusal.ts';

export interface RunRoutesDeps {
  readonly authenticate: Authenticate;
  /** Undefined where no durable database is bound. */
  readonly runs: Runs | undefined;
  readonly stored: StorageGuard;
  readonly monotonicMs: () => number;
}

/** Each reads up to 50,000 bars and runs a script over them. */
const MADE_PER_MINUTE = 10;

/** Whose runs they are, and the runs. */
type Visitor = (c: KitContext) => Promise<{ readonly userId: string; readonly runs: Runs }>;

export function keptRunEndpoints(deps: RunRoutesDeps): readonly Endpoint[] {
  const { authenticate, stored, monotonicMs } = deps;
  const visit: Visitor = async (c) => {
    const { userId } = await authenticate(c);
    if (deps.runs === undefined)
      throw refusal('UNAVAILABLE', 'no database for scripts is bound; the operator has to set SCRIPT_DATABASE');
    return { userId, runs: deps.runs };
  };
  return [...makingEndpoints(visit, stored, monotonicMs), ...keepingEndpoints(visit, stored)];
}

/** Those that run a script. */
function makingEndpoints(visit: Visitor, stored: StorageGuard, monotonicMs: () => number): readonly Endpoint[] {
  const takeRun = createCallWindow({ policy: 'kept-runs', callsPerMinute: MADE_PER_MINUTE, monotonicMs });

  const create: EndpointHandler = async (c) => {
    const { userId, runs } = await visit(c);
    const headers = takeRun(userId);
    const wanted = wantedOf(await readStrict(c, newRunSchema));
    const outcome = await stored(c, runs.create(userId, wanted));
    if (outcome.kind === 'full') throw refusal('RUNS_FULL', ALL_NOTED);
    if (outcome.kind !== 'kept') throw unmade(outcome);
    return c.json({ status: 'success', run: view(outcome.run) }, 201, headers);
  };

  const check: EndpointHandler = async (c) => {
    const { userId, runs } = await visit(c);
    const headers = takeRun(userId);
    const outcome = await stored(c, runs.check(userId, paramOf(c, 'id')));
    if (outcome.kind !== 'checked') throw unmade(outcome);
    const { comparison, engine } = outcome;
    return c.json({ status: 'success', same: comparison.sameResult, engine, comparison }, 200, headers);
  };

  return [
    { ...RUN_DOCS.create, handler: create },
    { ...RUN_DOCS.check, handler: check },
  ];
}

function keepingEndpoints(visit: Visitor, stored: StorageGuard): readonly Endpoint[] {
  const list: EndpointHandler = async (c) => {
    const { userId, runs } = await visit(c);
    const found = await stored(c, runs.list(userId));
    return c.json({ status: 'success', runs: found.map(({ asked: _, ...run }) => run) });
  };

  const read: EndpointHandler = async (c) => {
    const { userId, runs } = await visit(c);
    return answer(c, await stored(c, runs.read(userId, paramOf(c, 'id'))));
  };

  const compare: EndpointHandler = async (c) => {
    const { userId, runs } = await visit(c);
    const comparison = await stored(c, runs.compare(userId, paramOf(c, 'id'), paramOf(c, 'other')));
    if (comparison === undefined) throw noRun();
    return c.json({ status: 'success', comparison });
  };

  const note: EndpointHandler = async (c) => {
    const { userId, runs } = await visit(c);
    const { note: words } = await readStrict(c, noteBodySchema);
    return answer(c, await stored(c, runs.note(userId, paramOf(c, 'id'), words.trim())));
  };

  const remove: EndpointHandler = async (c) => {
    const { userId, runs } = await visit(c);
    if (!(await stored(c, runs.remove(userId, paramOf(c, 'id'))))) throw noRun();
    return c.json({ status: 'success' });
  };

  return [
    { ...RUN_DOCS.list, handler: list },
    { ...RUN_DOCS.compare, handler: compare },
    { ...RUN_DOCS.read, handler: read },
    { ...RUN_DOCS.note, handler: note },
    { ...RUN_DOCS.remove, handler: remove },
  ];
}

type NewRun = ReturnType<(typeof newRunSchema)['parse']>;

function wantedOf({ symbol, interval, from, to, tradeFrom, tradeTo, inputs = {}, ...rest }: NewRun): WantedBacktest {
  const { checkRepaint: checksRepaint = true, note = '', ...more } = rest;
  const fromMs = momentOf(from, 'from');
  const toMs = to === undefined ? Number.MAX_SAFE_INTEGER : momentOf(to, 'to');
  if (fromMs >= toMs) throw refusal('INVALID_FIELD', 'to: is not after from, send a later moment');
  const range = {
    ...(tradeFrom === undefined ? {} : { tradeFromMs: momentOf(tradeFrom, 'tradeFrom') }),
    ...(tradeTo === undefined ? {} : { tradeToMs: momentOf(tradeTo, 'tradeTo') }),
  };
  if (range.tradeFromMs !== undefined && range.tradeToMs !== undefined && range.tradeFromMs >= range.tradeToMs)
    throw refusal('INVALID_FIELD', 'tradeTo: is not after tradeFrom, send a later moment');
  return {
    ...more,
    ...marketFields(symbol, interval),
    inputs,
    fromMs,
    toMs,
    ...range,
    checksRepaint,
    note: note.trim(),
  };
}

function momentOf(value: string | number, field: string): number {
  const ms = parseMoment(String(value));
  if (Number.isSafeInteger(ms)) return ms;
  throw refusal('INVALID_FIELD', `${field}: is no moment, send ms since 1970 UTC or text such as 2024-03-01T14:30:00Z`);
}

/** How it was asked for is in the rest of it. */
const view = ({ asked: _, ...run }: StoredRun) => run;

function answer(c: KitContext, run: StoredRun | undefined): Response {
  if (run === undefined) throw noRun();
  return c.json({ status: 'success', run: view(run) });
}

/** Said of another user's run in the very same words. */
const noRun = (): ScriptsRefusal =>
  refusal('NOT_FOUND', 'there is no such run of this key; GET /api/runs lists those there are');

function unmade(outcome: Unmade): Error {
  switch (outcome.kind) {
    case 'missing':
      return outcome.what === 'script' ? noScript() : noRun();
    case 'no-strategy':
      return refusal('INVALID_FIELD', 'scriptId: makes no trades, declare the script with strategy(...)');
    case 'bad-market':
      return refusal('INVALID_FIELD', `symbol: ${outcome.reason}`);
    case 'too-many-bars':
      return refusal('TOO_MANY_BARS', `from: ${outcome.reason}`);
    case 'unavailable':
      return refusal('UNAVAILABLE', outcome.reason, RETRY_LATER);
    case 'run-failed':
      return runFault(outcome.outcome);
  }
}

function runFault(outcome: Refused | Stopped): Error {
  const fault = runFaultOf(outcome);
  if (fault instanceof Error) return fault;
  return refusal(fault.code, fault.message, { ...(fault.isPassing && RETRY_LATER), extra: fault.extra ?? {} });
}
