// The stops of one share of a position: set, moved and taken away; what it will do is said before it is done.

import { useState } from 'preact/hooks';
import type { Protection, Result } from '../../server/answers.ts';
import { ask } from '../../server/ask.ts';
import { refreshAnswers } from '../../server/use-answer.ts';
import { counted, plain } from '../../ui/numbers.ts';
import { Question } from '../../ui/question.tsx';
import { guardWords } from '../protection/guard-words.ts';
import { changeOf, typedOf } from '../protection/protection-change.ts';
import { ProtectionFields } from '../protection/protection-fields.tsx';
import type { Share } from '../protection/shares.ts';
import { moneyWords } from '../trades/trade-words.ts';

interface ShareProps {
  readonly share: Share;
  readonly onClose: () => void;
}

const pathOf = ({ key, strategy }: Share): string =>
  `/positions/${encodeURIComponent(key)}/protection?strategy=${encodeURIComponent(strategy ?? '')}`;

export function ProtectionForm({ share, onClose }: ShareProps) {
  // What it was when the form was opened: a refresh below does not change what is being typed.
  const [before] = useState(() => typedOf(share.protection));
  const [typed, setTyped] = useState(before);
  const { body, words, faults } = changeOf(before, typed, share);
  const save = async (): Promise<undefined> => {
    await ask<Result<Protection | null>>(pathOf(share), { method: 'PUT', body }).finally(refreshAnswers);
  };
  return (
    <Question
      title={`Stops of ${share.side} ${share.market}`}
      yes={share.protection === undefined ? 'Set the stops' : 'Change the stops'}
      no="Leave them"
      isReady={body !== undefined}
      subject={JSON.stringify(typed)}
      onYes={save}
      onClose={onClose}
    >
      <p class="quiet">
        {plain(share.quantity)} from {plain(share.entryPrice)}
        {share.strategy !== null && ` of ${share.strategy}`}, <strong>{moneyWords(share.mode)}</strong>. An empty field
        is none.
      </p>
      <ProtectionFields typed={typed} faults={faults} onType={setTyped} />
      <ul class="will-do" aria-label="What it will do" aria-live="polite">
        {words.map((word) => (
          <li key={word}>{word}</li>
        ))}
        {words.length === 0 && <li class="quiet">Nothing is changed yet.</li>}
      </ul>
    </Question>
  );
}

export function UnprotectQuestion({ share, onClose }: ShareProps) {
  const remove = async (): Promise<undefined> => {
    await ask(pathOf(share), { method: 'DELETE' }).finally(refreshAnswers);
  };
  return (
    <Question
      title={`Take the stops of ${share.side} ${share.market} away?`}
      yes="Take them away"
      no="Keep them"
      isDanger
      onYes={remove}
      onClose={onClose}
    >
      <p>
        {share.protection !== undefined && `${guardWords(share.protection)}: gone. `}
        {plain(share.quantity)} {share.market}
        {share.strategy !== null && ` of ${share.strategy}`} with <strong>{moneyWords(share.mode)}</strong> is guarded
        by nothing then, until a signal or you close it.
        {share.guardedEntries > 0 &&
          ` ${counted(share.guardedEntries, 'entry that waits loses its stops', 'entries that wait lose their stops')} too, and will fill without any.`}
      </p>
    </Question>
  );
}
