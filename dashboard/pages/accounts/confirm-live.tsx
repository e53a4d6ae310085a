// The owner's word that an account may risk real money: its name typed by hand, so that it is meant.

import { useState } from 'preact/hooks';
import { ask } from '../../server/ask.ts';
import { refreshAnswers } from '../../server/use-answer.ts';
import { Field } from '../../ui/field.tsx';
import { Question } from '../../ui/question.tsx';
import { type AccountRow, nameOf } from './account-rows.ts';

export function ConfirmLive({ of, onClose }: { readonly of: AccountRow; readonly onClose: () => void }) {
  const [typed, setTyped] = useState('');
  const { exchange, account, keyStart } = of;
  const confirm = async (): Promise<void> => {
    await ask('/admin/accounts/confirm', { method: 'POST', body: { exchange, account } });
    refreshAnswers();
  };
  return (
    <Question
      title="Trade with real money?"
      yes="Trade with real money"
      no="Not yet"
      isDanger
      isReady={typed.trim() === nameOf(of)}
      onYes={confirm}
      onClose={onClose}
    >
      <p class="lead">
        From now on signals may open positions on {nameOf(of)} with real money, with the key {keyStart}…. Another key is
        asked about again. Have you set limits, and does somebody hear the alarms?
      </p>
      <Field label={`Type ${nameOf(of)} to say that you mean it`}>
        {(tied) => (
          <input {...tied} autocomplete="off" value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
        )}
      </Field>
    </Question>
  );
}
