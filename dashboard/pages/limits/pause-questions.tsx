// Pausing a key, a strategy, an account or a market, and letting it go on.

import { useState } from 'preact/hooks';
import { ask } from '../../server/ask.ts';
import type { Restriction } from '../../server/setup-answers.ts';
import { refreshAnswers } from '../../server/use-answer.ts';
import { TextField } from '../../ui/inputs.tsx';
import { Question } from '../../ui/question.tsx';
import { type ChangedRestriction, outcomeWords, pathOf, type SubjectQuestionProps } from './restriction-changes.ts';

export function PauseQuestion({ subject, onChanged, onClose }: SubjectQuestionProps) {
  const [reason, setReason] = useState('');
  const [cancelEntries, setCancelEntries] = useState(false);
  const pause = async (): Promise<void> => {
    const body = { paused: true, cancelEntries, ...(reason.trim() !== '' && { reason: reason.trim() }) };
    const changed = await ask<ChangedRestriction>(pathOf(subject, 'pause'), { method: 'PUT', body });
    refreshAnswers();
    onChanged?.(outcomeWords(changed));
  };
  return (
    <Question title={`Pause ${subject.name}?`} yes="Pause it" isDanger onYes={pause} onClose={onClose}>
      <p class="lead">
        {subject.kind === 'key'
          ? 'A paused key sends nothing at all: its exits are refused too. Stops that stand go on working.'
          : 'Its entries are refused; signals that close a position still pass, and stops go on working.'}
      </p>
      <label class="check">
        <input type="checkbox" checked={cancelEntries} onChange={() => setCancelEntries(!cancelEntries)} />
        Take back its entries that rest at the venues
      </label>
      <TextField label="Reason (told to whoever is refused)" value={reason} maxLength={200} onWrite={setReason} />
    </Question>
  );
}

export interface ReleaseQuestionProps extends SubjectQuestionProps {
  readonly of: Restriction;
}

export function ResumeQuestion({ of, subject, onChanged, onClose }: ReleaseQuestionProps) {
  const resume = async (): Promise<void> => {
    await ask(pathOf(subject, 'pause'), { method: 'PUT', body: { paused: false } });
    refreshAnswers();
    onChanged?.([]);
  };
  return (
    <Question title={`Let ${of.name} go on?`} yes="Go on" no="Leave it paused" onYes={resume} onClose={onClose}>
      <p>{of.pauseReason === null ? 'It was paused without a reason.' : `It was paused: ${of.pauseReason}`}</p>
      {of.killSwitch !== null && <p>Its kill switch stays on until you lift that too.</p>}
    </Question>
  );
}
