// The kill switch of one key, strategy, account or market: what it refuses and closes is said before it is thrown, and what resumes
// before it is lifted.

import { useState } from 'preact/hooks';
import { ask } from '../../server/ask.ts';
import { refreshAnswers } from '../../server/use-answer.ts';
import { TextField } from '../../ui/inputs.tsx';
import { Question } from '../../ui/question.tsx';
import { type SubjectKind, subjectWords } from './limit-words.ts';
import type { ReleaseQuestionProps } from './pause-questions.tsx';
import { type ChangedRestriction, outcomeWords, pathOf, type SubjectQuestionProps } from './restriction-changes.ts';

const SCOPES = [
  ['all', 'Every signal is refused', 'Entries and closes alike. Stops that stand go on working.'],
  ['entries', 'Entries are refused', 'Signals that close a position still pass.'],
] as const;

/** What is closed with it, at the market and at once. */
const CLOSED: Readonly<Record<SubjectKind, string>> = {
  key: 'The positions that its entries made, whole.',
  strategy: 'Its own shares of positions.',
  account: 'Every position on this account.',
  symbol: 'Every position in this market, on every account that trades it.',
};

export function StopQuestion({ subject, onChanged, onClose }: SubjectQuestionProps) {
  const [scope, setScope] = useState<'all' | 'entries'>('all');
  const [cancelEntries, setCancelEntries] = useState(true);
  const [flatten, setFlatten] = useState(false);
  const [reason, setReason] = useState('');
  const stop = async (): Promise<void> => {
    const how = { scope, cancelEntries, flatten };
    const body = { active: true, ...how, ...(reason.trim() !== '' && { reason: reason.trim() }) };
    const changed = await ask<ChangedRestriction>(pathOf(subject, 'kill-switch'), { method: 'PUT', body });
    refreshAnswers();
    onChanged?.(outcomeWords(changed));
  };
  return (
    <Question
      title={`Stop ${subjectWords(subject)}?`}
      yes={flatten ? 'Stop it and close' : 'Stop it'}
      isDanger
      onYes={stop}
      onClose={onClose}
    >
      <div class="stop-trading">
        <fieldset>
          <legend class="sr-only">What is refused</legend>
          {SCOPES.map(([value, title, words]) => (
            <label key={value}>
              <input type="radio" name="scope" checked={scope === value} onChange={() => setScope(value)} />
              <span>
                <strong>{title}</strong>
                <small>{words}</small>
              </span>
            </label>
          ))}
        </fieldset>
        <label>
          <input type="checkbox" checked={cancelEntries} onChange={() => setCancelEntries(!cancelEntries)} />
          <span>
            Take back its resting entries
            <small>{cancelEntries ? 'Closing orders stay.' : 'They stay, and may fill while it is stopped.'}</small>
          </span>
        </label>
        <label>
          <input type="checkbox" checked={flatten} onChange={() => setFlatten(!flatten)} />
          <span>
            Close at the market what it holds
            <small class={flatten ? 'down' : undefined}>{CLOSED[subject.kind]}</small>
          </span>
        </label>
      </div>
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
