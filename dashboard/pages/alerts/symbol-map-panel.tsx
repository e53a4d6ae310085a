// The symbol map: which market is traded for the name that a chart sends.

import { useState } from 'preact/hooks';
import type { Health, Result } from '../../server/answers.ts';
import { ask } from '../../server/ask.ts';
import type { MappedSymbol } from '../../server/setup-answers.ts';
import { refreshAnswers, useAnswer } from '../../server/use-answer.ts';
import { Button } from '../../ui/button.tsx';
import { ChoiceField, TextField } from '../../ui/inputs.tsx';
import { Panel } from '../../ui/panel.tsx';
import { RefusedWords } from '../../ui/refused.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useAction } from '../../ui/use-action.ts';

const PATH = '/admin/symbol-map';
const EMPTY = { symbol: '', market: '', exchange: '' };

export function SymbolMapPanel() {
  const { answer } = useAnswer<Result<readonly MappedSymbol[]>>(PATH);
  const { answer: health } = useAnswer<Health>('/health', 3_000);
  const [entry, setEntry] = useState(EMPTY);
  const { isBusy, refused, run } = useAction(async (work: () => Promise<unknown>) => {
    await work();
    refreshAnswers();
  });
  const add = async (): Promise<void> => {
    const { symbol, market, exchange } = entry;
    await ask(PATH, { method: 'PUT', body: { symbol, market, ...(exchange !== '' && { exchange }) } });
    setEntry(EMPTY);
  };
  const remove = (symbol: string) => ask(`${PATH}?symbol=${encodeURIComponent(symbol)}`, { method: 'DELETE' });
  const submit = (event: Event): void => {
    event.preventDefault();
    void run(add);
  };
  const rows = answer?.result ?? [];
  return (
    <Panel title="Symbol map" aside="names of your charts">
      {rows.length > 0 && (
        <Table
          label="Symbol map"
          columns={columnsOf(isBusy, (symbol) => void run(() => remove(symbol)))}
          rows={rows}
          keyOf={({ symbol }) => symbol}
        />
      )}
      <form class="inside" onSubmit={submit}>
        {rows.length === 0 && (
          <p class="lead">
            A chart may have a name that no exchange has, such as NQ1!. Say here which market is traded for it.
          </p>
        )}
        <div class="add-line">
          <TextField
            label="Name on the chart"
            value={entry.symbol}
            placeholder="NQ1!"
            maxLength={64}
            onWrite={(symbol) => setEntry({ ...entry, symbol })}
          />
          <TextField
            label="Market traded"
            value={entry.market}
            placeholder="BTCUSDT"
            maxLength={64}
            onWrite={(market) => setEntry({ ...entry, market })}
          />
          <ChoiceField
            label="Where"
            value={entry.exchange}
            options={[
              ['', 'as the alert says'],
              ...Object.keys(health?.venues ?? {}).map((name) => [name, name] as const),
            ]}
            onChoose={(exchange) => setEntry({ ...entry, exchange })}
          />
          <Button type="submit" disabled={isBusy || entry.symbol === '' || entry.market === ''}>
            Map it
          </Button>
        </div>
        <RefusedWords words={refused} />
      </form>
    </Panel>
  );
}

const columnsOf = (isBusy: boolean, onRemove: (symbol: string) => void): readonly Column<MappedSymbol>[] => [
  { title: 'Name on the chart', cell: ({ symbol }) => <code>{symbol}</code> },
  { title: 'Market traded', cell: ({ market }) => <strong>{market}</strong> },
  {
    title: 'Where',
    cell: ({ exchange, account }) =>
      [exchange, account].filter((part) => part !== null).join(':') || 'as the alert says',
  },
  {
    title: 'Remove it',
    isNumber: true,
    cell: ({ symbol }) => (
      <Button isSmall label={`Remove ${symbol}`} disabled={isBusy} onClick={() => onRemove(symbol)}>
        Remove
      </Button>
    ),
  },
];
