// What is typed or chosen, with its label above it and what is wrong below it.

import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import './field.css';

export interface FieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  /** Gets the attributes that tie the control to its words. */
  readonly children: (tied: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: boolean }) => ComponentChildren;
}

export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const help = error ?? hint;
  const tied = {
    id,
    ...(help !== undefined && { 'aria-describedby': `${id}-help` }),
    ...(error !== undefined && { 'aria-invalid': true }),
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(tied)}
      {help !== undefined && (
        <p id={`${id}-help`} class={error === undefined ? 'hint' : 'error'}>
          {help}
        </p>
      )}
    </div>
  );
}
