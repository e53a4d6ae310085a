// A password: never shown, never kept here, and known to the browser's own keeper as the present or a new one.

import { Field } from './field.tsx';

export interface PasswordFieldProps {
  readonly label?: string;
  readonly hint?: string;
  readonly isNew?: boolean;
  readonly value: string;
  readonly onInput: (value: string) => void;
}

export const PasswordField = ({ label = 'Password', hint, isNew = false, value, onInput }: PasswordFieldProps) => (
  <Field label={label} hint={hint}>
    {(tied) => (
      <input
        {...tied}
        type="password"
        autocomplete={isNew ? 'new-password' : 'current-password'}
        required
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    )}
  </Field>
);
