// The kill switch of one key, strategy, account or market: what it refuses and closes is said before it is thrown, and what resumes
// before it is lifted.

import { useState } from 'preact/hooks';
import { ask } from '../../server/ask.ts';
import { refreshAnswers } from '../../server/use-answer.ts';
import { TextField } from '../../ui/inputs.tsx';
import { Question } from '../../ui/question.tsx';
import { START_STOP, StopFields } from '../../ui/stop-fields.tsx';
import { type SubjectKind, subjectWords } from './limit-words.ts';
import type { ReleaseQuestionProps } from './pause-questions.tsx';
import { type ChangedRestriction, outcomeWords, pathOf, type SubjectQuestionProps } from './restriction-changes.ts';

/** What is closed with it, at the market and at once. */
const CLOSED: Readonly<Record<SubjectKind, string>> = {
  key: 'The positions that its entries made, whole.',
  strategy: 'Its own shares of positions.',
  account: 'Every position on this account.',
  symbol: 'Every position in this market, on every account that trades it.',
};

export function StopQuestion({ subject, onChanged, onClose }: SubjectQuestionProps) {
  const [chosen, setChosen] = useState(START_STOP);
  const [reason, setReason] = useState('');
  const stop = async (): Promise<void> => {
    const body = { active: true, ...chosen, ...(reason.trim() !== '' && { reason: reason.trim() }) };
    const changed = await ask<ChangedRestriction>(pathOf(subject, 'kill-switch'), { method: 'PUT', body });
    refreshAnswers();
    onChanged?.(outcomeWords(changed));
  };
  return (
    <Question
      title={`Stop ${subjectWords(subject)}?`}
      yes={chosen.flatten ? 'Stop it and close' : 'Stop it'}
      isDanger
      onYes={stop}
      onClose={onClose}
    >
      <StopFields
        chosen={chosen}
        onChange={setChosen}
        entries={{
          title: 'Take back its resting entries',
          words: chosen.cancelEntries ? 'Closing orders stay.' : 'They stay, and may fill while it is stopped.',
        }}
        closing={{ title: 'Close at the market what it holds', words: CLOSED[subject.kind] }}
      />
      <TextField label="Reason (told to whoever is refused)" value={reason} maxLength={200} onWrite={setReason} />
    </Question>
  );
}

export function LiftQuestion({ of, subject, onChanged, onClose }: ReleaseQuestionProps) {
  const lift = async (): Promise<void> => {
    await ask(pathOf(subject, 'kill-switch'), { method: 'PUT', body: { active: false } });
    refreshAnswers();
    onChanged?.([]);
  };
  const { killSwitch } = of;
  return (
    <Question
      title={`Let ${subjectWords(of)} trade again?`}
      yes="Trade again"
      no="Leave it stopped"
      onYes={lift}
      onClose={onClose}
    >
      <p>{killSwitch?.reason ? `It was stopped: ${killSwitch.reason}` : 'It was stopped without a reason.'}</p>
      <p>
        {killSwitch?.scope === 'entries' ? 'Its entries trade' : 'Its signals trade, entries and closes,'} again from
        the next one on. What was refused is not made up, and what was taken back or closed stays so.
        {of.paused && ' It is paused as well, and stays so.'}
      </p>
    </Question>
  );
}
