// The limits of one key: what is emptied is taken away, what is left alone stays.

import { useState } from 'preact/hooks';
import { ask } from '../../server/ask.ts';
import type { TradeLimits } from '../../server/setup-answers.ts';
import { refreshAnswers } from '../../server/use-answer.ts';
import { Field } from '../../ui/field.tsx';
import { Question } from '../../ui/question.tsx';
import { NUMBER_LIMITS, type NumberLimit } from './key-words.ts';
import { limitChanges } from './limit-changes.ts';

export interface KeyLimitsProps {
  readonly label: string;
  readonly limits: TradeLimits;
  readonly onClose: () => void;
}

export function KeyLimits({ label, limits, onClose }: KeyLimitsProps) {
  const [texts, setTexts] = useState(() => textsOf(limits));
  const [symbols, setSymbols] = useState((limits.symbols ?? []).join(', '));
  const changes = limitChanges(limits, { ...texts, symbols });
  const save = async (): Promise<void> => {
    const path = `/admin/restrictions/key/${encodeURIComponent(label)}/limits`;
    await ask(path, { method: 'PATCH', body: changes });
    refreshAnswers();
  };
  return (
    <Question
      title={`Limits of ${label}`}
      yes="Set them"
      isReady={Object.keys(changes).length > 0}
      onYes={save}
      onClose={onClose}
    >
      <p class="lead">
        They bind entries: a close always passes. In force with the next signal. An empty field is no limit.
      </p>
      <div class="limit-fields">
        {NUMBER_LIMITS.map(([limit, words, unit]) => (
          <Field key={limit} label={unit === '' ? words : `${words}, ${unit === '×' ? 'times' : unit}`}>
            {(tied) => (
              <input
                {...tied}
                inputMode="decimal"
                value={texts[limit]}
                onInput={(event) => setTexts({ ...texts, [limit]: event.currentTarget.value })}
              />
            )}
          </Field>
        ))}
      </div>
      <Field label="Markets" hint="Empty means every market.">
        {(tied) => <input {...tied} value={symbols} onInput={(event) => setSymbols(event.currentTarget.value)} />}
      </Field>
    </Question>
  );
}

const textsOf = (limits: TradeLimits): Readonly<Record<NumberLimit, string>> =>
  Object.fromEntries(NUMBER_LIMITS.map(([limit]) => [limit, String(limits[limit] ?? '')])) as Record<
    NumberLimit,
    string
  >;
