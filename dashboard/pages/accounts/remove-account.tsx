// Removing a stored account with its credentials: what has not been settled is asked about once more.

import { useState } from 'preact/hooks';
import type { Result } from '../../server/answers.ts';
import { ask, Refused } from '../../server/ask.ts';
import { refreshAnswers } from '../../server/use-answer.ts';
import { Question } from '../../ui/question.tsx';
import { type AccountRow, nameOf } from './account-rows.ts';

export interface RemoveAccountProps {
  readonly of: AccountRow;
  /** Told what is left to do. */
  readonly onRemoved: (next: string) => void;
  readonly onClose: () => void;
}

export function RemoveAccount({ of, onRemoved, onClose }: RemoveAccountProps) {
  const [mayForce, setMayForce] = useState(false);
  const [force, setForce] = useState(false);
  const remove = async (): Promise<void> => {
    const path = `/admin/accounts/${of.exchange}/${encodeURIComponent(of.account)}${force ? '?force=true' : ''}`;
    try {
      const { result } = await ask<Result<{ readonly next: string }>>(path, { method: 'DELETE' });
      onRemoved(`Removed ${nameOf(of)}. ${result.next}`);
      refreshAnswers();
    } catch (error) {
      if (error instanceof Refused && error.code === 'ACCOUNT_CONFLICT') setMayForce(true);
      throw error;
    }
  };
  return (
    <Question
      title={`Remove ${nameOf(of)}?`}
      yes="Remove it"
      isDanger
      isReady={!mayForce || force}
      onYes={remove}
      onClose={onClose}
    >
      <p class="lead">
        Its credentials are taken out of the data folder. What it has traded stays in the books. The API key itself
        still works: delete it at the exchange too.
      </p>
      {mayForce && (
        <label class="check">
          <input type="checkbox" checked={force} onChange={() => setForce(!force)} />
          Remove it although not everything is settled
        </label>
      )}
    </Question>
  );
}
