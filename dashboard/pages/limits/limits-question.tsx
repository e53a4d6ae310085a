// All limits of a key, a strategy, an account or a market: what is emptied is taken away, what is left alone stays.

import { useState } from 'preact/hooks';
import type { Health, Result } from '../../server/answers.ts';
import { ask } from '../../server/ask.ts';
import type { KnownAccounts, TradeLimits } from '../../server/setup-answers.ts';
import { refreshAnswers, useAnswer } from '../../server/use-answer.ts';
import { Field } from '../../ui/field.tsx';
import { TextField } from '../../ui/inputs.tsx';
import { Question } from '../../ui/question.tsx';
import './limits-question.css';
import { formOf, type LimitForm, limitChanges } from './limit-changes.ts';
import { type ListLimit, NUMBER_LIMITS, type Subject, subjectWords } from './limit-words.ts';
import { type ChangedRestriction, pathOf, type SubjectQuestionProps } from './restriction-changes.ts';

const ACTIONS = ['LONG', 'SHORT', 'CLOSE_LONG', 'CLOSE_SHORT'];

export interface LimitsQuestionProps extends SubjectQuestionProps {
  readonly limits: TradeLimits;
}

export function LimitsQuestion({ subject, limits, onChanged, onClose }: LimitsQuestionProps) {
  const [form, setForm] = useState(() => formOf(limits));
  const changes = limitChanges(limits, form);
  const save = async (): Promise<void> => {
    const changed = await ask<ChangedRestriction>(pathOf(subject, 'limits'), { method: 'PATCH', body: changes });
    refreshAnswers();
    onChanged?.(changed.warnings ?? []);
  };
  return (
    <Question
      title={`Limits of ${subject.kind === 'key' ? subject.name : subjectWords(subject)}`}
      yes="Set them"
      isReady={Object.keys(changes).length > 0}
      onYes={save}
      onClose={onClose}
    >
      <p class="lead">
        They bind entries: a close always passes. In force with the next signal. An empty field is no limit.
      </p>
      <NumberFields form={form} onChange={setForm} />
      <ListFields subject={subject} form={form} onChange={setForm} />
      <Field
        label="Trading hours"
        hint="One a line: mon tue wed 09:30–16:00 Europe/Berlin. No days: every day; no zone: UTC. Empty means always."
      >
        {(tied) => (
          <textarea
            {...tied}
            rows={2}
            value={form.windows}
            onInput={(event) => setForm({ ...form, windows: event.currentTarget.value })}
          />
        )}
      </Field>
    </Question>
  );
}

interface FieldsProps {
  readonly form: LimitForm;
  readonly onChange: (form: LimitForm) => void;
}

const NumberFields = ({ form, onChange }: FieldsProps) => (
  <div class="limit-fields">
    {NUMBER_LIMITS.map(([limit, words, unit]) => (
      <TextField
        key={limit}
        label={unit === '' ? words : `${words}, ${unit === '×' ? 'times' : unit}`}
        inputMode="decimal"
        value={form.numbers[limit]}
        onWrite={(text) => onChange({ ...form, numbers: { ...form.numbers, [limit]: text } })}
      />
    ))}
    <TextField
      label="Locked after so many stops"
      inputMode="numeric"
      value={form.lockStops}
      onWrite={(lockStops) => onChange({ ...form, lockStops })}
    />
    <TextField
      label="within, and for, s"
      inputMode="numeric"
      value={form.lockSeconds}
      onWrite={(lockSeconds) => onChange({ ...form, lockSeconds })}
    />
  </div>
);

function ListFields({ subject, form, onChange }: FieldsProps & { readonly subject: Subject }) {
  const { answer: health } = useAnswer<Health>('/health', 3_000);
  const { answer: known } = useAnswer<Result<KnownAccounts>>('/admin/accounts', 30_000);
  const accounts = (known?.result.accounts ?? []).map(({ exchange, account }) => `${exchange}:${account}`);
  const [symbols, setSymbols] = useState(form.lists.symbols.join(', '));
  const set = (list: ListLimit, names: readonly string[]): void =>
    onChange({ ...form, lists: { ...form.lists, [list]: names } });
  const choices = (list: ListLimit, legend: string, names: readonly string[]) => (
    <ListChoices legend={legend} names={names} chosen={form.lists[list]} onChoose={(chosen) => set(list, chosen)} />
  );
  return (
    <>
      {subject.kind === 'key' && (
        <p class="lead">What a key may trade, below, binds everything it sends, its closes too.</p>
      )}
      {subject.kind !== 'symbol' && (
        <TextField
          label="Markets"
          hint="Empty means every market."
          value={symbols}
          onWrite={(text) => {
            setSymbols(text);
            set(
              'symbols',
              text.split(/[\s,]+/).filter((name) => name !== ''),
            );
          }}
        />
      )}
      {choices('venues', 'Exchanges; none chosen means all', Object.keys(health?.venues ?? {}))}
      {choices('accounts', 'Accounts; none chosen means all', accounts)}
      {choices('actions', 'Actions; none chosen means all', ACTIONS)}
    </>
  );
}

interface ListChoicesProps {
  readonly legend: string;
  readonly names: readonly string[];
  readonly chosen: readonly string[];
  readonly onChoose: (chosen: readonly string[]) => void;
}

/** What is allowed already is shown also where nobody knows it any more. */
const ListChoices = ({ legend, names, chosen, onChoose }: ListChoicesProps) => (
  <fieldset class="choices">
    <legend>{legend}</legend>
    {[...new Set([...names, ...chosen])].map((name) => (
      <label key={name}>
        <input
          type="checkbox"
          checked={chosen.includes(name)}
          onChange={() => onChoose(chosen.includes(name) ? chosen.filter((each) => each !== name) : [...chosen, name])}
        />{' '}
        {name}
      </label>
    ))}
  </fieldset>
);
