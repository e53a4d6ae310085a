// Limits, pauses and switches of owners as the past had them, and the limits that a replay sets otherwise.

import type { AuditEntry } from '../intake/controls.ts';
import {
  type LimitOwner,
  ownerInWords,
  RESTRICTION,
  type Restriction,
  type Restrictions,
  type TradeLimits,
} from '../intake/restrictions.ts';

/** Other limits of one owner; undefined takes one away. */
export interface LimitChange {
  readonly owner: LimitOwner;
  readonly limits: { readonly [Name in keyof TradeLimits]?: TradeLimits[Name] | undefined };
}

/** When the journal began: what the first change of each owner says was there before, else what there is now. */
export function initialRestrictions(
  audit: readonly AuditEntry[],
  present: readonly Restriction[],
): readonly Restriction[] {
  const rows = new Map(present.map((row) => [ownerInWords(row), row]));
  for (const entry of audit.toReversed()) {
    const [before, after] = [rowOf(entry.before), rowOf(entry.after)];
    const owner = before ?? after;
    if (entry.setting !== RESTRICTION || owner === undefined) continue;
    if (before) rows.set(ownerInWords(owner), before);
    else rows.delete(ownerInWords(owner));
  }
  return [...rows.values()];
}

/** Lets a change of the past happen again. */
export function restrictAgain(restrictions: Restrictions, { actor, before, after }: AuditEntry): void {
  const owner = rowOf(before) ?? rowOf(after);
  const row = rowOf(after);
  if (row === undefined) {
    if (owner) restrictions.clear({ kind: owner.kind, name: owner.name }, actor);
    return;
  }
  restrictions.setLimits(row, row.limits, actor);
  if (row.pause) restrictions.pause(row, row.pause.reason, actor);
  else restrictions.resume(row, actor);
  restrictions.turnKillSwitch(row, row.killSwitch ?? { active: false, scope: 'all' }, actor);
}

const rowOf = (text: string | null): Restriction | undefined =>
  text === null ? undefined : (JSON.parse(text) as Restriction);

/** Over what is in force; what a change does not name stays. */
export function setOtherwise(restrictions: Restrictions, changes: readonly LimitChange[]): void {
  for (const { owner, limits } of changes) {
    const wanted = { ...restrictions.find(owner)?.limits, ...limits };
    const kept = Object.entries(wanted).filter(([, value]) => value !== undefined);
    restrictions.setLimits(owner, Object.fromEntries(kept), 'replay');
  }
}
