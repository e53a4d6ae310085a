// What an alert does: which key sends it, where it trades, how much, and under which name.

import type { Result } from '../../server/answers.ts';
import type { ListedAccount, WebhookKey } from '../../server/setup-answers.ts';
import { useAnswer } from '../../server/use-answer.ts';
import { ChoiceField, TextField } from '../../ui/inputs.tsx';
import { type AlertChoice, takesStop } from './alert-template.ts';

/** The key by its label; only the alert itself holds it in clear. */
export type FormChoice = Omit<AlertChoice, 'apiKey'> & { readonly key: string };

export interface ChoicesProps {
  readonly choice: FormChoice;
  readonly keys: readonly WebhookKey[];
  readonly venues: readonly string[];
  readonly onChoose: (changed: Partial<FormChoice>) => void;
}

const KINDS = [
  ['strategy', 'A strategy script'],
  ['indicator', 'An indicator or a price'],
] as const;
const ACTIONS = ['LONG', 'SHORT', 'CLOSE_LONG', 'CLOSE_SHORT'] as const;
const same = (names: readonly string[]) => names.map((name) => [name, name] as const);

export const Choices = (props: ChoicesProps) => (
  <div class="choices-form">
    <Sender {...props} />
    <Terms {...props} />
  </div>
);

function Sender({ choice, keys, venues, onChoose }: ChoicesProps) {
  const { answer: accounts } = useAnswer<Result<readonly ListedAccount[]>>('/accounts');
  const there = (accounts?.result ?? []).filter(({ exchange }) => exchange === choice.exchange);
  const labels = keys.map(({ label }) => label);
  return (
    <>
      <ChoiceField
        label="What fires"
        value={choice.kind}
        options={KINDS}
        onChoose={(kind) => onChoose({ kind: kind as AlertChoice['kind'] })}
      />
      <ChoiceField label="Key" value={choice.key} options={same(labels)} onChoose={(key) => onChoose({ key })} />
      <ChoiceField
        label="Exchange"
        value={choice.exchange}
        options={same(venues)}
        onChoose={(exchange) => onChoose({ exchange, account: '' })}
      />
      {there.length > 1 && (
        <ChoiceField
          label="Account"
          value={choice.account}
          options={[['', 'main, or where the key leads'], ...same(there.map(({ account }) => account))]}
          onChoose={(account) => onChoose({ account })}
        />
      )}
    </>
  );
}

function Terms({ choice, onChoose }: ChoicesProps) {
  const isStrategy = choice.kind === 'strategy';
  const text = (label: string, field: 'symbol' | 'quantity' | 'strategy' | 'stopLoss', hint: string) => (
    <TextField
      label={label}
      hint={hint}
      value={choice[field]}
      maxLength={64}
      onWrite={(written) => onChoose({ [field]: written })}
    />
  );
  return (
    <>
      {!isStrategy && (
        <ChoiceField
          label="Action"
          value={choice.action}
          options={same(ACTIONS)}
          onChoose={(action) => onChoose({ action })}
        />
      )}
      {text('Market', 'symbol', 'Empty: the symbol of the chart.')}
      {text(
        'Quantity',
        'quantity',
        isStrategy
          ? 'Empty: what the strategy orders. A number: exactly that, at a reversal too.'
          : 'In the coin, such as 0.01.',
      )}
      {text('Strategy', 'strategy', 'Its name, so that exits close its own share.')}
      {takesStop(choice) && text('Stop loss', 'stopLoss', 'A price, or 2% from the fill.')}
      <label class="check">
        <input
          type="checkbox"
          checked={choice.tradesOnce}
          onChange={() => onChoose({ tradesOnce: !choice.tradesOnce })}
        />
        Never trade the same alert twice
      </label>
    </>
  );
}
