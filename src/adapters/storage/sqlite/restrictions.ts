// Restrictions in the owner's database: what he allows to a key, a strategy, an account or a symbol.

import type { AuditEntry } from '../../../trading/intake/controls.ts';
import type { Restriction, RestrictionStore, SubjectKind } from '../../../trading/intake/restrictions.ts';
import type { queries, Row, statements } from './database.ts';

export interface RestrictionStoreParts {
  readonly sql: ReturnType<typeof statements>;
  readonly all: ReturnType<typeof queries>;
  /** On disk when it resolves, or nothing of it is. */
  readonly inOneStep: <T>(work: () => T) => Promise<T>;
  readonly appendAudit: (entry: AuditEntry) => void;
}

export const createRestrictionStore = ({
  sql,
  all,
  inOneStep,
  appendAudit,
}: RestrictionStoreParts): RestrictionStore => ({
  list: () => all('SELECT * FROM restrictions').map(restrictionOf),
  put: ({ kind, name, limits, pause, killSwitch }, entry) =>
    inOneStep(() => {
      sql(`INSERT INTO restrictions (kind, name, limits, pause, kill_switch, updated_at) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET limits = excluded.limits, pause = excluded.pause, kill_switch = excluded.kill_switch,
          updated_at = excluded.updated_at`).run(
        ...[kind, name, JSON.stringify(limits)],
        ...[pause ? JSON.stringify(pause) : null, killSwitch ? JSON.stringify(killSwitch) : null, entry.atMs],
      );
      appendAudit(entry);
    }),
  remove: ({ kind, name }, entry) =>
    inOneStep(() => {
      sql('DELETE FROM restrictions WHERE kind = ? AND name = ?').run(kind, name);
      appendAudit(entry);
    }),
});

function restrictionOf({ kind, name, limits, pause, kill_switch: killSwitch }: Row): Restriction {
  return {
    kind: kind as SubjectKind,
    name: name as string,
    limits: JSON.parse(limits as string),
    ...(pause !== null && { pause: JSON.parse(pause as string) }),
    ...(killSwitch !== null && { killSwitch: JSON.parse(killSwitch as string) }),
  };
}
