// Whom a limit, a pause or a switch is to be about: chosen where the names are known, typed where they are not.

import { useId } from 'preact/hooks';
import type { Market, Result, Trade } from '../../server/answers.ts';
import type { KnownAccounts, WebhookKey } from '../../server/setup-answers.ts';
import { useAnswer } from '../../server/use-answer.ts';
import { Field } from '../../ui/field.tsx';
import { ChoiceField } from '../../ui/inputs.tsx';
import { KINDS, type Subject, type SubjectKind } from './limit-words.ts';

export interface SubjectChooserProps {
  readonly subject: Subject;
  readonly onChoose: (subject: Subject) => void;
}

const HINTS: Readonly<Record<SubjectKind, string>> = {
  key: 'A key by its name.',
  strategy: 'As its signals write it: LS is not ls.',
  account: 'As exchange:name.',
  symbol: 'BTCUSDT is meant on every exchange; as exchange:BTCUSDT on one.',
};

export function SubjectChooser({ subject, onChoose }: SubjectChooserProps) {
  const names = useNames(subject.kind);
  const id = useId();
  return (
    <div class="chooser">
      <ChoiceField
        label="Whose"
        value={subject.kind}
        options={KINDS}
        onChoose={(kind) => onChoose({ kind: kind as SubjectKind, name: '' })}
      />
      <Field label="Name" hint={HINTS[subject.kind]}>
        {(tied) => (
          <>
            <input
              {...tied}
              list={id}
              autocomplete="off"
              maxLength={64}
              value={subject.name}
              onInput={(event) => onChoose({ ...subject, name: event.currentTarget.value })}
            />
            <datalist id={id}>
              {names.map((name) => (
                <option key={name} value={name} />
              ))}
            </datalist>
          </>
        )}
      </Field>
    </div>
  );
}

/** Known names, as proposals: a strategy may be named before its first signal. */
function useNames(kind: SubjectKind): readonly string[] {
  const { answer: keys } = useAnswer<Result<readonly WebhookKey[]>>('/admin/webhook-keys');
  const { answer: known } = useAnswer<Result<KnownAccounts>>('/admin/accounts', 30_000);
  const { answer: trades } = useAnswer<Result<readonly Trade[]>>('/trades?limit=50');
  const { answer: markets } = useAnswer<Result<readonly Market[]>>('/markets', 60_000);
  const names: Readonly<Record<SubjectKind, readonly string[]>> = {
    key: (keys?.result ?? []).filter(({ revokedAt }) => revokedAt === null).map(({ label }) => label),
    strategy: (trades?.result ?? []).flatMap(({ strategy }) => strategy ?? []),
    account: (known?.result.accounts ?? []).map(({ exchange, account }) => `${exchange}:${account}`),
    symbol: (markets?.result ?? []).map(({ symbol }) => symbol),
  };
  return [...new Set(names[kind])];
}
