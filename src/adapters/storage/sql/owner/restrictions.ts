// Restrictions in the owner's database: what he allows to a key, a strategy, an account or a symbol.

import type { Restriction, RestrictionStore, SubjectKind } from '../../../../trading/intake/restrictions.ts';
import type { Row } from '../sql.ts';
import type { Glance } from './glance.ts';
import type { OwnerSteps } from './owner-steps.ts';

export const createRestrictionStore = (
  glance: Pick<Glance, 'rows'>,
  steps: Pick<OwnerSteps, 'changeControls'>,
): RestrictionStore => ({
  ...restrictionReads(glance),
  put: ({ kind, name, limits, pause, killSwitch }, entry) =>
    steps.changeControls(async ({ sql, audit }) => {
      await sql.run(
        `INSERT INTO restrictions (kind, name, limits, pause, kill_switch, updated_at) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (kind, name) DO UPDATE SET limits = excluded.limits, pause = excluded.pause,
          kill_switch = excluded.kill_switch, updated_at = excluded.updated_at`,
        ...[kind, name, JSON.stringify(limits)],
        ...[pause ? JSON.stringify(pause) : null, killSwitch ? JSON.stringify(killSwitch) : null, entry.atMs],
      );
      await audit(entry);
    }),
  remove: ({ kind, name }, entry) =>
    steps.changeControls(async ({ sql, audit }) => {
      await sql.run('DELETE FROM restrictions WHERE kind = ? AND name = ?', kind, name);
      await audit(entry);
    }),
});

export const restrictionReads = (glance: Pick<Glance, 'rows'>): Pick<RestrictionStore, 'list'> => ({
  list: () => glance.rows('restrictions').map(restrictionOf).sort(byKindAndName),
});

/** Not in the order of their rows: each engine has one of its own. */
const byKindAndName = (a: Restriction, b: Restriction): number => inOrder(a.kind, b.kind) || inOrder(a.name, b.name);
const inOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function restrictionOf({ kind, name, limits, pause, kill_switch: killSwitch }: Row): Restriction {
  return {
    kind: kind as SubjectKind,
    name: name as string,
    limits: JSON.parse(limits as string),
    ...(pause !== null && { pause: JSON.parse(pause as string) }),
    ...(killSwitch !== null && { killSwitch: JSON.parse(killSwitch as string) }),
  };
}
