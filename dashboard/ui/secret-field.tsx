// A key, a token or a secret that is pasted: never shown, never kept here, and no business of the browser's keeper of passwords.

import { Field } from './field.tsx';

export interface SecretFieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  readonly value: string;
  readonly onWrite: (text: string) => void;
}

export const SecretField = ({ label, hint, error, value, onWrite }: SecretFieldProps) => (
  <Field label={label} hint={hint} error={error}>
    {(tied) => (
      <input
        {...tied}
        class="mono"
        type="password"
        autocomplete="off"
        spellcheck={false}
        value={value}
        onInput={(event) => onWrite(event.currentTarget.value)}
        onPaste={(event) => {
          const text = event.clipboardData?.getData('text') ?? '';
          if (!text.trim().includes('\n')) return;
          // A private key has several lines, and the field itself would drop their ends.
          event.preventDefault();
          onWrite(text.trim().replaceAll('\r\n', '\n'));
        }}
      />
    )}
  </Field>
);
