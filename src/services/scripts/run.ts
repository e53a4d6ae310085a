// POST /api/run: the evaluate contract behind the run gate, 30 times a minute for each caller, metered where a key came along.

import type { Endpoint, EndpointHandler } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import { type KeyBindings, passRunGate } from '../../keys/script-keys.ts';
import type { Publications } from '../../library/publications.ts';
import { RUNS_PER_WINDOW } from '../../library/run-window.ts';
import type { UsageCounter } from '../../library/usage.ts';
import { createCallWindow } from './call-window.ts';
import { WORKER_DOCS } from './docs.ts';
import { libraryFinder, type ServeRun } from './editor.ts';
import { keyRefusal, presentedKey } from './require-key.ts';
import type { StorageGuard } from './storage-refusal.ts';

export interface RunDeps {
  readonly bindings: KeyBindings;
  readonly requireRunAuth: boolean;
  /** Undefined where nothing keeps the counts. */
  readonly usage: UsageCounter | undefined;
  /** Whose libraries a run with a proven key may import; undefined where none are kept. */
  readonly publications: Publications | undefined;
  /** The evaluate contract itself: reads the body, and answers or throws a refusal of our table. */
  readonly serveRun: ServeRun;
  readonly stored: StorageGuard;
  readonly monotonicMs: () => number;
}

/**
 * Where no store proves a key, a caller could make up a new one for every run and never meet its window's end. So many
 * runs a minute are let in from one address under all such keys together: ten people behind one router.
 */
const UNPROVEN_RUNS_PER_ADDRESS = 10 * RUNS_PER_WINDOW;

/** Behind a public door: whether a key is needed is the operator's choice. */
export function runEndpoint(deps: RunDeps): Endpoint {
  const { bindings, requireRunAuth, usage, publications, serveRun, stored, monotonicMs } = deps;
  const takeRun = createCallWindow({ policy: 'runs', callsPerMinute: RUNS_PER_WINDOW, monotonicMs });
  const takeUnproven = createCallWindow({
    policy: 'unproven-runs',
    callsPerMinute: UNPROVEN_RUNS_PER_ADDRESS,
    monotonicMs,
  });
  const isProven = bindings.lookup !== undefined;

  const handler: EndpointHandler = async (c) => {
    const verdict = await stored(c, passRunGate(bindings, requireRunAuth, presentedKey(c)));
    const auth = verdict.ok ? verdict.auth : undefined;
    const address = `address:${c.var.clientAddress}`;
    // A caller who is refused uses up the address's turns and nobody's key: a wrong key must not shut out its owner.
    const headers = takeRun(auth === undefined ? address : `user:${auth.userId}`);
    if (!verdict.ok) throw keyRefusal(verdict);
    if (auth !== undefined && !isProven) takeUnproven(address);
    // Without a key store no key can be proved, so such a caller is limited by address like one without a key.
    const isKeyed = auth !== undefined && isProven;
    const answer = isKeyed
      ? serveRun(
          c,
          { class: 'keyed', id: auth.userId },
          { findLibraries: libraryFinder(publications, auth.userId, (work) => stored(c, work)) },
        )
      : serveRun(c, { class: 'anonymous', id: c.var.clientAddress });
    const count = (): void => void (auth !== undefined && usage?.count(auth.userId));
    // As with the analysis API, what was refused is not counted, but for a script that was stopped at its time limit.
    const response = await answer.catch((error: unknown) => {
      if (error instanceof Refusal && error.code === 'TIMEOUT') count();
      throw error;
    });
    if (response.status < 400) count();
    for (const name in headers) response.headers.set(name, headers[name] ?? '');
    return response;
  };
  return { ...WORKER_DOCS.run, handler };
}
