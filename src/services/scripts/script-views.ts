// How scripts, drafts and versions look in answers, and what becomes of every outcome that is no record.

import type { Draft, Script, ScriptSummary } from '../../library/script.ts';
import type { Conflict } from '../../library/script-store.ts';
import type { Exists, Invalid, Missing, TooLarge, TooMany } from '../../library/scripts.ts';
import { refusal, type ScriptsRefusal } from './refusal.ts';

export const scriptView = ({ createdAtMs, updatedAtMs, ...rest }: Script) => ({
  ...rest,
  createdAt: createdAtMs,
  updatedAt: updatedAtMs,
});

export const draftView = ({ createdAtMs, updatedAtMs, ...rest }: Draft) => ({
  ...rest,
  createdAt: createdAtMs,
  updatedAt: updatedAtMs,
});

export const summaryView = ({ createdAtMs, updatedAtMs, ...rest }: ScriptSummary) => ({
  ...rest,
  createdAt: createdAtMs,
  updatedAt: updatedAtMs,
});

/** committedAt is what charting clients show as the time of a version. */
export const versionView = (summary: ScriptSummary) => ({
  ...summaryView(summary),
  committedAt: summary.updatedAtMs,
});

/** Said of another user's script in the very same words: whether it exists is none of the caller's business. */
export const noScript = (): ScriptsRefusal =>
  refusal('NOT_FOUND', 'there is no such script in this library; GET /api/scripts lists those there are');

export function unwritten(outcome: Conflict | Exists | Invalid | TooLarge | TooMany | Missing): ScriptsRefusal {
  switch (outcome.kind) {
    case 'conflict':
      return conflictOf(outcome.remoteRevision);
    case 'exists':
      return refusal('CONFLICT', 'a script has this id already; choose another, or change that one with PUT', {
        extra: { remoteRevision: outcome.remoteRevision },
      });
    case 'invalid':
      return refusal('INVALID_FIELD', outcome.faults.map(({ reason }) => reason).join(' '));
    case 'too-large':
      return refusal('SCRIPT_TOO_LARGE', outcome.reason);
    case 'too-many':
      return refusal('LIBRARY_FULL', outcome.reason);
    case 'missing':
      return noScript();
  }
}

function conflictOf(remoteRevision: number): ScriptsRefusal {
  const words =
    remoteRevision === 0
      ? 'there is nothing at this revision any more; save without a revision to make it anew'
      : `revision ${remoteRevision} is there by now; read it, put your changes on top and save again`;
  return refusal('CONFLICT', words, { extra: { remoteRevision } });
}
