// The controls as they were when the journal began: what the first change of each says was there before, else the present.

import type { AuditEntry, ControlValues } from '../intake/controls.ts';

/** `audit` is the oldest first. */
export function initialControls(audit: readonly AuditEntry[], present: ControlValues): ControlValues {
  const before = (name: keyof ControlValues): unknown => {
    const text = audit.find(({ setting }) => setting === name)?.before;
    return text === undefined || text === null ? present[name] : JSON.parse(text);
  };
  const names = Object.keys(present) as (keyof ControlValues)[];
  return Object.fromEntries(names.map((name) => [name, before(name)])) as unknown as ControlValues;
}
