// Limits, pauses and switches as the past had them, and the limits that a replay sets otherwise.

import type { AuditEntry } from '../intake/controls.ts';
import {
  type LimitSubject,
  RESTRICTION,
  type Restriction,
  type Restrictions,
  subjectInWords,
  type TradeLimits,
} from '../intake/restrictions.ts';

/** Other limits of one subject; undefined takes one away. */
export interface LimitChange {
  readonly subject: LimitSubject;
  readonly limits: { readonly [Name in keyof TradeLimits]?: TradeLimits[Name] | undefined };
}

/** When the journal began: what the first change of each subject says was there before, else what there is now. */
export function initialRestrictions(
  audit: readonly AuditEntry[],
  present: readonly Restriction[],
): readonly Restriction[] {
  const rows = new Map(present.map((row) => [subjectInWords(row), row]));
  for (const entry of audit.toReversed()) {
    const [before, after] = [rowOf(entry.before), rowOf(entry.after)];
    const subject = before ?? after;
    if (entry.setting !== RESTRICTION || subject === undefined) continue;
    if (before) rows.set(subjectInWords(subject), before);
    else rows.delete(subjectInWords(subject));
  }
  return [...rows.values()];
}

/** Lets a change of the past happen again. */
export async function restrictAgain(restrictions: Restrictions, { actor, before, after }: AuditEntry): Promise<void> {
  const subject = rowOf(before) ?? rowOf(after);
  const row = rowOf(after);
  if (row === undefined) {
    if (subject) await restrictions.clear({ kind: subject.kind, name: subject.name }, actor);
    return;
  }
  await restrictions.setLimits(row, row.limits, actor);
  if (row.pause) await restrictions.pause(row, row.pause, actor);
  else await restrictions.resume(row, actor);
  await restrictions.turnKillSwitch(row, row.killSwitch ?? { active: false, scope: 'all' }, actor);
}

const rowOf = (text: string | null): Restriction | undefined =>
  text === null ? undefined : (JSON.parse(text) as Restriction);

/** Over what is in force; what a change does not name stays. */
export async function setOtherwise(restrictions: Restrictions, changes: readonly LimitChange[]): Promise<void> {
  for (const { subject, limits } of changes) {
    const wanted = { ...restrictions.find(subject)?.limits, ...limits };
    const kept = Object.entries(wanted).filter(([, value]) => value !== undefined);
    await restrictions.setLimits(subject, Object.fromEntries(kept), 'replay');
  }
}
