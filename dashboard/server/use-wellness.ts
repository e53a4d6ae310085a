// How Signalbox is doing, asked for everywhere at once: the bar above every page and the overview say the same.

import type { Health, Readiness, Result } from './answers.ts';
import type { Refused } from './ask.ts';
import { useConnection } from './connection.ts';
import { type Sight, sightsOf } from './how-it-runs.ts';
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
  readonly sights: readonly Sight[] | undefined;
  readonly warnings: readonly string[];
}

export function useWellness(): ShownWellness {
  const connection = useConnection();
  const { switches } = useKillSwitch();
  const { answer: health } = useAnswer<Health>('/health', 3_000);
  const { answer, refused } = useAnswer<Readiness>('/ready');
  const ready = whyNotReady(refused) ?? answer;
  const compared = resultOrWhy(useAnswer<Result<readonly Reconciliation[]>>('/reconciliation', SELDOM_MS));
  const notifiers = resultOrWhy(useAnswer<Result<readonly Notifier[]>>('/admin/notifiers', SELDOM_MS));
  const nowMs = Date.now();
  const sights =
    health && ready && switches && compared !== undefined && notifiers !== undefined
      ? sightsOf({ nowMs, health, ready, switches, compared, notifiers })
      : undefined;
  const wellness = wellnessOf({ nowMs, connection, ready, isNotReady: refused !== undefined, switches, sights });
  return { wellness, sights, warnings: ready?.warnings ?? [] };
}

/** An answer from before is none to the last question, and what is not answered may be anything but well. */
const resultOrWhy = <T>({ answer, refused }: Shown<Result<T>>): T | string | undefined =>
  refused === undefined ? answer?.result : refused.message;

/** Who is not ready says so with 503, and which part of it is why. */
function whyNotReady(refused: Refused | undefined): Readiness | undefined {
  const said = refused?.answer as Partial<Readiness> | undefined;
  return said?.checks && { status: 'not ready', checks: said.checks, warnings: said.warnings ?? [] };
}
