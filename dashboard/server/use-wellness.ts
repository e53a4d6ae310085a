// How Signalbox is doing, asked for everywhere at once: the bar above every page and the overview say the same.

import type { Readiness, Result } from './answers.ts';
import type { Refused } from './ask.ts';
import { useConnection, useHealth } from './connection.ts';
import { type Condition, conditionsOf } from './how-it-runs.ts';
import { useKillSwitch } from './kill-switch.ts';
import type { Notifier, Reconciliation } from './setup-answers.ts';
import type { Shown } from './shared-answer.ts';
import { useAnswer } from './use-answer.ts';
import { type Wellness, wellnessOf } from './wellness.ts';

/** What changes seldom, and is asked for on every page. */
const SELDOM_MS = 15_000;

export interface ShownWellness {
  /** Undefined until it is known. */
  readonly wellness: Wellness | undefined;
  readonly conditions: readonly Condition[] | undefined;
  readonly warnings: readonly string[];
}

export function useWellness(): ShownWellness {
  const connection = useConnection();
  const { switches: known, refused: unknown } = useKillSwitch();
  const switches = unknown?.message ?? known;
  const { answer: healthy, refused: unhealthy } = useHealth();
  // What it says of venues does not change while it runs.
  const health = healthy ?? unhealthy?.message;
  const { answer, refused } = useAnswer<Readiness>('/ready');
  const ready = whyNotReady(refused) ?? refused?.message ?? answer;
  const compared = resultOrWhy(useAnswer<Result<readonly Reconciliation[]>>('/reconciliation', SELDOM_MS));
  const notifiers = resultOrWhy(useAnswer<Result<readonly Notifier[]>>('/admin/notifiers', SELDOM_MS));
  const nowMs = Date.now();
  const conditions =
    health !== undefined &&
    ready !== undefined &&
    switches !== undefined &&
    compared !== undefined &&
    notifiers !== undefined
      ? conditionsOf({ nowMs, health, ready, switches, compared, notifiers })
      : undefined;
  const wellness = wellnessOf({
    ...{ nowMs, connection, ready: objectOf(ready), isNotReady: refused !== undefined },
    ...{ switches: known, conditions },
  });
  return { wellness, conditions, warnings: objectOf(ready)?.warnings ?? [] };
}

/** An answer from before is none to the last question, and what is not answered may be anything but well. */
const resultOrWhy = <T>({ answer, refused }: Shown<Result<T>>): T | string | undefined =>
  refused === undefined ? answer?.result : refused.message;

const objectOf = <T extends object>(answer: T | string | undefined): T | undefined =>
  typeof answer === 'string' ? undefined : answer;

/** Who is not ready says so with 503, and which part of it is why. */
function whyNotReady(refused: Refused | undefined): Readiness | undefined {
  const said = refused?.answer as Partial<Readiness> | undefined;
  return said?.checks && { status: 'not ready', checks: said.checks, warnings: said.warnings ?? [] };
}
