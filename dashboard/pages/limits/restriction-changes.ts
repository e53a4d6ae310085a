// How a key, a strategy, an account or a market is limited, paused and stopped, and what the server says came of it.

import type { Restriction } from '../../server/setup-answers.ts';
import { counted } from '../../ui/numbers.ts';
import type { Subject } from './limit-words.ts';

export const RESTRICTIONS = '/admin/restrictions';

export const pathOf = ({ kind, name }: Subject, what: 'limits' | 'pause' | 'kill-switch'): string =>
  `${RESTRICTIONS}/${kind}/${encodeURIComponent(name)}/${what}`;

export interface ChangedRestriction {
  readonly result: Restriction;
  /** What is in force all the same, but may not be meant. */
  readonly warnings?: readonly string[];
  readonly canceled?: readonly unknown[];
  readonly closed?: readonly { readonly key: string; readonly error: string | null }[];
  readonly waitingEntries?: number;
}

export interface SubjectQuestionProps {
  readonly subject: Subject;
  /** What is worth knowing once it is done. */
  readonly onChanged?: ((words: readonly string[]) => void) | undefined;
  readonly onClose: () => void;
}

/** What was withdrawn and closed, what rests still, and what was not done. */
export function outcomeWords(changed: ChangedRestriction): readonly string[] {
  const { warnings = [], canceled = [], closed = [], waitingEntries = 0 } = changed;
  const failed = closed.filter(({ error }) => error !== null);
  const done = closed.length - failed.length;
  return [
    ...(canceled.length > 0 ? [`${counted(canceled.length, 'resting entry', 'resting entries')} taken back.`] : []),
    ...(done > 0 ? [`${counted(done, 'position')} closed.`] : []),
    ...failed.map(({ key, error }) => `${key} is not closed yet, and is tried again: ${error}.`),
    ...(waitingEntries > 0
      ? [`${counted(waitingEntries, 'entry rests', 'entries rest')} at the venues still, and may fill.`]
      : []),
    ...warnings,
  ];
}
