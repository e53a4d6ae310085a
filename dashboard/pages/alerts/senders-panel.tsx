// Who may send signals at all: addresses and ranges, with TradingView's own under one word.

import { useState } from 'preact/hooks';
import type { Result } from '../../server/answers.ts';
import { ask } from '../../server/ask.ts';
import type { Source } from '../../server/setup-answers.ts';
import { refreshAnswers, useAnswer } from '../../server/use-answer.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/inputs.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Question } from '../../ui/question.tsx';
import { RefusedWords } from '../../ui/refused.tsx';
import { isSetByEnvironment, SetByEnvironment } from '../../ui/set-by-environment.tsx';
import { Unanswered } from '../../ui/unanswered.tsx';
import { useAction } from '../../ui/use-action.ts';

const PATH = '/admin/allowlist';
const TRADINGVIEW = 'tradingview';

interface Allowlist extends Result<{ readonly entries: readonly string[] }> {
  readonly source: Source;
}

export function SendersPanel() {
  const { answer, refused: unanswered } = useAnswer<Allowlist>(PATH);
  const [wanted, setWanted] = useState<readonly string[]>();
  const { isBusy, refused, run } = useAction(set);
  if (answer === undefined) return <Unanswered title="Who may send" refused={unanswered} />;
  const { entries } = answer.result;
  const isFixed = isSetByEnvironment(answer.source);
  /** From everybody to a list is the change that shuts senders out. */
  const add = (entry: string): void => (entries.length === 0 ? setWanted([entry]) : void run([...entries, entry]));
  const remove = (entry: string): void => void run(entries.filter((other) => other !== entry));
  return (
    <Panel title="Who may send" aside={entries.length === 0 ? 'anybody with a key' : `${entries.length} on the list`}>
      <div class="inside">
        <p class="lead">
          With a list, only these addresses may send signals. The key is needed all the same: all users of TradingView
          share its addresses.
        </p>
        <Entries entries={entries} isBusy={isBusy} onRemove={isFixed ? undefined : remove} />
        {isFixed ? (
          <SetByEnvironment setting="IP_ALLOWLIST" source={answer.source} />
        ) : (
          <AddEntry hasTradingview={entries.includes(TRADINGVIEW)} isBusy={isBusy} onAdd={add} />
        )}
        <RefusedWords words={refused} />
      </div>
      {wanted !== undefined && <ShutOut wanted={wanted} onClose={() => setWanted(undefined)} />}
    </Panel>
  );
}

interface EntriesProps {
  readonly entries: readonly string[];
  readonly isBusy: boolean;
  readonly onRemove: ((entry: string) => void) | undefined;
}

const Entries = ({ entries, isBusy, onRemove }: EntriesProps) => (
  <ul class="entries">
    {entries.map((entry) => (
      <li key={entry}>
        <code>{entry}</code>
        {entry === TRADINGVIEW && <span class="quiet">its four published addresses</span>}
        {onRemove !== undefined && (
          <Button isSmall label={`Remove ${entry}`} disabled={isBusy} onClick={() => onRemove(entry)}>
            Remove
          </Button>
        )}
      </li>
    ))}
  </ul>
);

interface AddEntryProps {
  readonly hasTradingview: boolean;
  readonly isBusy: boolean;
  readonly onAdd: (entry: string) => void;
}

function AddEntry({ hasTradingview, isBusy, onAdd }: AddEntryProps) {
  const [entry, setEntry] = useState('');
  const submit = (event: Event): void => {
    event.preventDefault();
    if (entry.trim() === '') return;
    onAdd(entry.trim());
    setEntry('');
  };
  return (
    <form class="add-line" onSubmit={submit}>
      <TextField label="Address or range" value={entry} placeholder="203.0.113.7 or 10.0.0.0/8" onWrite={setEntry} />
      <Button type="submit" disabled={isBusy}>
        Add
      </Button>
      {!hasTradingview && (
        <Button disabled={isBusy} onClick={() => onAdd(TRADINGVIEW)}>
          Add TradingView
        </Button>
      )}
    </form>
  );
}

const ShutOut = ({ wanted, onClose }: { readonly wanted: readonly string[]; readonly onClose: () => void }) => (
  <Question title="Shut out everybody else?" yes="Only these" isDanger onYes={() => set(wanted)} onClose={onClose}>
    <p>
      Signals will be taken from {wanted[0] === TRADINGVIEW ? "TradingView's four addresses" : wanted[0]} alone. Scripts
      of your own on other machines, and this machine, are refused. Behind a proxy set TRUSTED_PROXIES first, or every
      sender looks like the proxy.
    </p>
  </Question>
);

async function set(entries: readonly string[]): Promise<void> {
  await ask(PATH, { method: 'PUT', body: { entries } });
  refreshAnswers();
}
