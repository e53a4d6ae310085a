// The questions that the library asks: a name, and whether a script may go.

import { useState } from 'preact/hooks';
import type { Refused } from '../../server/ask.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';

/** As long as the server takes. */
const MAX_NAME_CHARS = 200;

export interface NameQuestionProps {
  readonly title: string;
  readonly action: string;
  readonly name: string;
  readonly onName: (name: string) => Promise<void>;
  readonly onClose: () => void;
}

export function NameQuestion({ title, action, name: first, onName, onClose }: NameQuestionProps) {
  const [name, setName] = useState(first);
  const { refused, isBusy, run } = useAttempt(() => onName(name.trim()), onClose);
  const submit = (event: Event): void => {
    event.preventDefault();
    void run();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        <Field label="Name" hint="A / makes a folder: trend/EMA cross" error={refused}>
          {(tied) => (
            <input
              {...tied}
              value={name}
              maxLength={MAX_NAME_CHARS}
              onInput={(event) => setName(event.currentTarget.value)}
            />
          )}
        </Field>
        <div class="actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="filled" type="submit" disabled={isBusy || name.trim() === ''}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

export interface DangerQuestionProps {
  readonly title: string;
  readonly words: string;
  readonly keep: string;
  readonly action: string;
  readonly onDo: () => Promise<void>;
  readonly onClose: () => void;
}

export function DangerQuestion({ title, words, keep, action, onDo, onClose }: DangerQuestionProps) {
  const { refused, isBusy, run } = useAttempt(onDo, onClose);
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{words}</p>
      {refused !== undefined && (
        <p class="refused" role="alert">
          {refused}
        </p>
      )}
      <div class="actions">
        <Button onClick={onClose}>{keep}</Button>
        <Button kind="danger" disabled={isBusy} onClick={() => void run()}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}

/** Does something once, closes when it is done, and tells why when it is not. */
function useAttempt(attempt: () => Promise<void>, onDone: () => void) {
  const [refused, setRefused] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const run = async (): Promise<void> => {
    setBusy(true);
    try {
      await attempt();
      onDone();
    } catch (error) {
      setRefused((error as Refused).message);
      setBusy(false);
    }
  };
  return { refused, isBusy, run };
}
