// What the owner changed at stops, as the audit keeps it: whose share, and what was asked for, to the last digit.

import type { AuditEntry } from '../../../trading/intake/controls.ts';
import type { StopChange } from '../../../trading/protection/owner-changes.ts';
import { exactJson, fromExactJson } from '../sql/trading/exact-json.ts';

export const STOPS = 'stops';

export const stopChangeEntry = ({ atMs, by, share, change }: StopChange): AuditEntry => ({
  ...{ atMs, actor: by, setting: STOPS, before: null },
  after: exactJson({ share, ...(change && { change }) }),
});

export const stopChangeOf = ({ atMs, actor, after }: AuditEntry): StopChange => ({
  ...{ atMs, by: actor },
  ...(fromExactJson(after ?? '') as Pick<StopChange, 'share' | 'change'>),
});
