// The stops of one share of a position: set, moved and taken away; what it will do is said before it is done.

import { useState } from 'preact/hooks';
import type { Protection, Result } from '../../server/answers.ts';
import { ask } from '../../server/ask.ts';
import { refreshAnswers } from '../../server/use-answer.ts';
import { Field } from '../../ui/field.tsx';
import { plain } from '../../ui/numbers.ts';
import { Question } from '../../ui/question.tsx';
import { moneyWords } from '../trades/trade-words.ts';
import { guardWords } from './guard-words.ts';
import { changeOf, type TypedLevel, type TypedProtection, typedOf, UNITS } from './protection-change.ts';
import type { Share } from './shares.ts';

interface ShareProps {
  readonly share: Share;
  readonly onClose: () => void;
}

const pathOf = ({ key, strategy }: Share): string =>
  `/positions/${encodeURIComponent(key)}/protection?strategy=${encodeURIComponent(strategy ?? '')}`;

export function ProtectionForm({ share, onClose }: ShareProps) {
  // What it was when the form was opened: a refresh below does not change what is being typed.
  const [before] = useState(() => typedOf(share.protection));
  const [typed, setTyped] = useState<TypedProtection>(before);
  const { body, words, faults } = changeOf(before, typed, share);
  const set = (changed: Partial<TypedProtection>): void => setTyped({ ...typed, ...changed });
  const save = async (): Promise<undefined> => {
    await ask<Result<Protection | null>>(pathOf(share), { method: 'PUT', body }).finally(refreshAnswers);
  };
  const level = (name: 'stopLoss' | 'takeProfit' | 'trail', label: string) => (
    <LevelField label={label} typed={typed[name]} error={faults[name]} onType={(now) => set({ [name]: now })} />
  );
  return (
    <Question
      title={`Stops of ${share.side} ${share.market}`}
      yes="Change the stops"
      no="Leave them"
      isReady={body !== undefined}
      onYes={save}
      onClose={onClose}
    >
      <p class="quiet">
        {plain(share.quantity)} from {plain(share.entryPrice)}
        {share.strategy !== null && ` of ${share.strategy}`}, <strong>{moneyWords(share.mode)}</strong>. An empty field
        is none.
      </p>
      <div class="protection-form">
        {level('stopLoss', 'Stop loss')}
        {share.protection === undefined || share.protection.targets.length === 0 ? (
          level('takeProfit', 'Take profit')
        ) : (
          <p class="quiet">
            Its targets stay as they are: {guardWords({ ...share.protection, stopLoss: null, trail: null })}
          </p>
        )}
        {level('trail', 'Trailing stop')}
        <TextField
          label="The trail begins at"
          hint="a price; at once without one"
          value={typed.activationPrice}
          error={faults.activationPrice}
          onType={(activationPrice) => set({ activationPrice })}
        />
        <TextField
          label="Held at most, minutes"
          value={typed.maxHold}
          error={faults.maxHold}
          onType={(maxHold) => set({ maxHold })}
        />
      </div>
      <ul class="will-do" aria-label="What it will do" aria-live="polite">
        {words.map((word) => (
          <li key={word}>{word}</li>
        ))}
        {words.length === 0 && <li class="quiet">Nothing is changed yet.</li>}
      </ul>
    </Question>
  );
}

interface LevelFieldProps {
  readonly label: string;
  readonly typed: TypedLevel;
  readonly error: string | undefined;
  readonly onType: (typed: TypedLevel) => void;
}

const UNIT_WORDS = { price: 'USDT', percent: '%', ticks: 'ticks' };

const LevelField = ({ label, typed, error, onType }: LevelFieldProps) => (
  <Field label={label} error={error}>
    {(tied) => (
      <span class="level">
        <input
          {...tied}
          inputMode="decimal"
          maxLength={20}
          value={typed.value}
          onInput={(event) => onType({ ...typed, value: event.currentTarget.value })}
        />
        <select
          aria-label={`Unit of the ${label.toLowerCase()}`}
          value={typed.unit}
          onChange={(event) => onType({ ...typed, unit: event.currentTarget.value as TypedLevel['unit'] })}
        >
          {UNITS.map((unit) => (
            <option key={unit} value={unit}>
              {UNIT_WORDS[unit]}
            </option>
          ))}
        </select>
      </span>
    )}
  </Field>
);

interface TextFieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly error: string | undefined;
  readonly onType: (value: string) => void;
}

const TextField = ({ label, hint, value, error, onType }: TextFieldProps) => (
  <Field label={label} hint={hint} error={error}>
    {(tied) => (
      <input
        {...tied}
        inputMode="decimal"
        maxLength={20}
        value={value}
        onInput={(event) => onType(event.currentTarget.value)}
      />
    )}
  </Field>
);

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
      </p>
    </Question>
  );
}
