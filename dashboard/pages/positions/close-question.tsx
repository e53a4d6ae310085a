// Closing by hand: one position, whole or a share of it, or all of them; which money that is stands in the question.

import { useRef, useState } from 'preact/hooks';
import type { Position, Result } from '../../server/answers.ts';
import { ask, Refused } from '../../server/ask.ts';
import { refreshAnswers } from '../../server/use-answer.ts';
import { Field } from '../../ui/field.tsx';
import { plain, signed } from '../../ui/numbers.ts';
import { Question } from '../../ui/question.tsx';
import { moneyWords, venueOf } from '../trades/trade-words.ts';

interface Closed {
  readonly key: string;
  readonly error: string | null;
}

/** A question that got no answer is asked again under the same key, so that nothing is closed twice; one that was answered is over. */
function useClose(): (body: object) => Promise<string | undefined> {
  const key = useRef(crypto.randomUUID());
  return async (body) => {
    try {
      const { result } = await ask<Result<readonly Closed[]>>('/positions/close', {
        ...{ method: 'POST', body: { ...body, idempotencyKey: key.current } },
      });
      key.current = crypto.randomUUID();
      const left = result.filter(({ error }) => error !== null);
      if (left.length === 0) return undefined;
      return left.map(({ key: name, error }) => (result.length === 1 ? `${error}` : `${name}: ${error}`)).join('; ');
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 0) key.current = crypto.randomUUID();
      throw error;
    } finally {
      refreshAnswers();
    }
  };
}

const SHARES = [100, 75, 50, 25] as const;

export function CloseQuestion({ position, onClose }: { readonly position: Position; readonly onClose: () => void }) {
  const { key, market, side, quantity, unrealizedPnl, mode } = position;
  const [percent, setPercent] = useState<number>(100);
  const close = useClose();
  const isWhole = percent === 100;
  return (
    <Question
      title={`Close ${side} ${market}?`}
      yes={isWhole ? 'Close it' : `Close ${percent} %`}
      no="Keep it"
      isDanger
      onYes={() => close({ positions: [key], ...(!isWhole && { share: percent / 100 }) })}
      onClose={onClose}
    >
      <Field label="How much">
        {(tied) => (
          <select {...tied} value={percent} onChange={(event) => setPercent(Number(event.currentTarget.value))}>
            {SHARES.map((share) => (
              <option key={share} value={share}>
                {share === 100 ? 'all of it' : `${share} %`}
              </option>
            ))}
          </select>
        )}
      </Field>
      <p>
        {isWhole
          ? plain(quantity)
          : `About ${plain(Number(((quantity * percent) / 100).toPrecision(12)))} of ${plain(quantity)}`}{' '}
        at the market on {venueOf(position)} with <strong>{moneyWords(mode)}</strong>
        {unrealizedPnl !== null && `, now ${signed((unrealizedPnl * percent) / 100)} USDT before fees`}.{' '}
        {isWhole ? 'Its stops are taken away with it.' : 'Its stops go on guarding the rest.'}
      </p>
    </Question>
  );
}

interface FlattenQuestionProps {
  readonly positions: readonly Position[];
  readonly onClose: () => void;
}

export function FlattenQuestion({ positions, onClose }: FlattenQuestionProps) {
  const close = useClose();
  const modes = [...new Set(positions.map(({ mode }) => mode))];
  return (
    <Question
      title="Close every position?"
      yes={`Close all ${positions.length}`}
      no="Keep them"
      isDanger
      onYes={() => close({ all: true })}
      onClose={onClose}
    >
      <p>
        {positions.length} {positions.length === 1 ? 'position' : 'positions'} with{' '}
        <strong>{modes.map(moneyWords).join(' and ')}</strong>, on every account, at the market and at once. Their stops
        are taken away with them; signals that come later trade again. To refuse those too, stop trading above.
      </p>
    </Question>
  );
}
