// The two fields that most forms are made of: a line of text, and a choice of a few.

import { Field } from './field.tsx';

export interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onWrite: (text: string) => void;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  readonly placeholder?: string;
  readonly inputMode?: 'decimal' | 'numeric';
  readonly maxLength?: number;
}

export const TextField = ({ label, value, onWrite, hint, error, ...input }: TextFieldProps) => (
  <Field label={label} hint={hint} error={error}>
    {(tied) => <input {...tied} {...input} value={value} onInput={(event) => onWrite(event.currentTarget.value)} />}
  </Field>
);

export interface ChoiceFieldProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, words: string])[];
  readonly onChoose: (value: string) => void;
  readonly error?: string | undefined;
}

export const ChoiceField = ({ label, value, options, onChoose, error }: ChoiceFieldProps) => (
  <Field label={label} error={error}>
    {(tied) => (
      <select {...tied} value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        {options.map(([option, words]) => (
          <option key={option} value={option}>
            {words}
          </option>
        ))}
      </select>
    )}
  </Field>
);
