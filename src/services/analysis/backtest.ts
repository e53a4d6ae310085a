// POST /backtest/quick: the equity, trades and figures of a strategy; until strategies can be run it says so in words.

import { checkStrict } from '../../http/strict-body.ts';
import type { Checked, ScriptRunner } from '../../library/script-runner.ts';
import { checkScript, outcomeFault, type RunLimits, readRun } from './evaluate.ts';
import type { ReadLarge } from './large-bodies.ts';
import type { Handler } from './protect.ts';
import { type AnalysisRefusal, refusal } from './refusal.ts';
import { backtestHeadSchema } from './schemas.ts';

export interface BacktestDeps {
  readonly runner: Pick<ScriptRunner, 'check'>;
  readonly limits: RunLimits;
  readonly readLarge: ReadLarge;
}

/** The compiler's code for what it knows and the engine cannot run yet. */
const CANNOT_RUN_YET = 'PE301';

export function createBacktest({ runner, limits, readLarge }: BacktestDeps): Handler {
  return async (c) => {
    const head = checkStrict(backtestHeadSchema, await readLarge(c));
    checkScript(head.script, limits, 'script');
    const { libraries, timeoutMs } = readRun(head, limits);
    const { signal } = c.req.raw;
    const request = { source: head.script, timeoutMs, signal };
    const outcome = await runner.check(libraries === undefined ? request : { ...request, libraries });
    if (outcome.kind !== 'checked') throw outcomeFault(outcome, signal);
    throw verdictOn(outcome);
  };
}

/** Faults of the script come first: they can be mended today. */
function verdictOn({ ok, diagnostics, scriptType }: Checked): AnalysisRefusal {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const isForLater = errors.every(({ code, message }) => code === CANNOT_RUN_YET && message.startsWith('strategy.'));
  if (ok ? scriptType === 'strategy' : isForLater) return refusal('STRATEGIES_NOT_SUPPORTED');
  if (!ok) return refusal('SCRIPT_ERROR', undefined, { extra: { diagnostics } });
  return refusal('INVALID_FIELD', `script: is an ${scriptType} and makes no trades, declare it with strategy(...)`);
}
