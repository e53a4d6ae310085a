// How many signals a key may send in a minute, and how many wrong keys an address may try.

import { useState } from 'preact/hooks';
import type { Result } from '../../server/answers.ts';
import { ask } from '../../server/ask.ts';
import type { Source } from '../../server/setup-answers.ts';
import { refreshAnswers, useAnswer } from '../../server/use-answer.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { RefusedWords } from '../../ui/refused.tsx';
import { isSetByEnvironment, SetByEnvironment } from '../../ui/set-by-environment.tsx';
import { Unanswered } from '../../ui/unanswered.tsx';
import { useAction } from '../../ui/use-action.ts';

const PATH = '/admin/limits';
const RATES = [
  ['webhookRatePerMinute', 'Signals of a key, a minute', 'Those above it are refused; 0 turns the limit off.'],
  ['failedAuthPerMinute', 'Wrong keys from one address, a minute', 'A right key always passes; 0 turns the limit off.'],
] as const;
type Rate = (typeof RATES)[number][0];

interface Rates extends Result<Readonly<Record<Rate, number>>> {
  readonly source: Readonly<Record<Rate, Source>>;
}

export function RatesPanel() {
  const { answer, refused: unanswered } = useAnswer<Rates>(PATH);
  const [written, setWritten] = useState<Partial<Record<Rate, string>>>({});
  const { isBusy, refused, run } = useAction(async () => {
    const body = Object.fromEntries(
      Object.entries(written).map(([rate, text]) => [rate, text.trim() === '' ? text : Number(text)]),
    );
    await ask(PATH, { method: 'PUT', body });
    setWritten({});
    refreshAnswers();
  });
  if (answer === undefined) return <Unanswered title="Rate limits" refused={unanswered} />;
  const submit = (event: Event): void => {
    event.preventDefault();
    void run();
  };
  return (
    <Panel title="Rate limits">
      <form class="inside" onSubmit={submit}>
        {RATES.map(([rate, label, hint]) => (
          <div key={rate}>
            <Field label={label} hint={hint}>
              {(tied) => (
                <input
                  {...tied}
                  inputMode="numeric"
                  value={written[rate] ?? String(answer.result[rate])}
                  disabled={isSetByEnvironment(answer.source[rate])}
                  onInput={(event) => setWritten({ ...written, [rate]: event.currentTarget.value })}
                />
              )}
            </Field>
            {isSetByEnvironment(answer.source[rate]) && (
              <SetByEnvironment setting="WEBHOOK_RATE_PER_MINUTE" source={answer.source[rate]} />
            )}
          </div>
        ))}
        <RefusedWords words={refused} />
        <Button type="submit" disabled={isBusy || Object.keys(written).length === 0}>
          Set the limits
        </Button>
      </form>
    </Panel>
  );
}
