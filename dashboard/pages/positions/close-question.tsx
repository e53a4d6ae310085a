// Closing by hand: one position, whole or a share of it, or all of them; which money that is stands in the question.

import { useState } from 'preact/hooks';
import type { Position, Result } from '../../server/answers.ts';
import { DoneBefore, SendOnce } from '../../server/send-once.ts';
import { refreshAnswers } from '../../server/use-answer.ts';
import { Field } from '../../ui/field.tsx';
import { plain, signed } from '../../ui/numbers.ts';
import { Question } from '../../ui/question.tsx';
import { SentBefore } from '../trades/sent-before.tsx';
import { moneyWords, venueOf } from '../trades/trade-words.ts';

const CLOSE = '/positions/close';

interface Closed {
  readonly key: string;
  readonly status: string | null;
  readonly error: string | null;
}

const isKnown = ({ result }: Result<readonly Closed[]>): boolean => result.every(({ status }) => status !== 'Unknown');

const SENT_ALREADY =
  'The close was sent already, and is not sent twice. Look under Trades & orders what became of it, then open this question again.';

/** Nothing is closed twice, however often it is pressed. */
function useClose(): (body: object) => Promise<string | undefined> {
  const [once] = useState(() => new SendOnce());
  return async (body) => {
    try {
      const { result } = await once.post<Result<readonly Closed[]>>(CLOSE, body, { isCertain: isKnown });
      const left = result.filter(({ error }) => error !== null);
      if (left.length === 0) return undefined;
      return left.map(({ key: name, error }) => (result.length === 1 ? `${error}` : `${name}: ${error}`)).join('; ');
    } catch (error) {
      if (error instanceof DoneBefore) throw new Error(SENT_ALREADY);
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
  const body = { positions: [key], ...(!isWhole && { share: percent / 100 }) };
  return (
    <Question
      title={`Close ${side} ${market}?`}
      yes={isWhole ? 'Close it' : `Close ${percent} %`}
      no="Keep it"
      isDanger
      subject={String(percent)}
      onYes={() => close(body)}
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
      <SentBefore path={CLOSE} body={body} />
    </Question>
  );
}

interface FlattenQuestionProps {
  readonly positions: readonly Position[];
  readonly onClose: () => void;
}

export function FlattenQuestion({ positions, onClose }: FlattenQuestionProps) {
  const close = useClose();
  const body = { all: true };
  const modes = [...new Set(positions.map(({ mode }) => mode))];
  return (
    <Question
      title="Close every position?"
      yes={`Close all ${positions.length}`}
      no="Keep them"
      isDanger
      onYes={() => close(body)}
      onClose={onClose}
    >
      <p>
        {positions.length} {positions.length === 1 ? 'position' : 'positions'} with{' '}
        <strong>{modes.map(moneyWords).join(' and ')}</strong>, on every account, at the market and at once. Their stops
        are taken away with them; signals that come later trade again. To refuse those too, stop trading above.
      </p>
      <SentBefore path={CLOSE} body={body} />
    </Question>
  );
}
