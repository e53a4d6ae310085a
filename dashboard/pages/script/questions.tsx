// The questions that the library asks: a name, and whether a script may go.

import { useState } from 'preact/hooks';
import { Field } from '../../ui/field.tsx';
import { Question } from '../../ui/question.tsx';

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
  return (
    <Question
      {...{ title, yes: action, no: 'Cancel', isReady: name.trim() !== '', onClose }}
      onYes={() => onName(name.trim())}
    >
      <Field label="Name" hint="A / makes a folder: trend/EMA cross">
        {(tied) => (
          <input
            {...tied}
            value={name}
            maxLength={MAX_NAME_CHARS}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        )}
      </Field>
    </Question>
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

export const DangerQuestion = ({ title, words, keep, action, onDo, onClose }: DangerQuestionProps) => (
  <Question {...{ title, yes: action, no: keep, isDanger: true, onYes: onDo, onClose }}>
    <p>{words}</p>
  </Question>
);
