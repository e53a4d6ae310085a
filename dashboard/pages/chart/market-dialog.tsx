// Which market the chart shows: all that can be traded, found by a few letters.

import { useState } from 'preact/hooks';
import type { Market, Result } from '../../server/answers.ts';
import { useAnswer } from '../../server/use-answer.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { plain } from '../../ui/numbers.ts';
import './market-dialog.css';

interface MarketDialogProps {
  readonly current: string;
  readonly onChoose: (symbol: string) => void;
  readonly onClose: () => void;
}

/** Real exchanges have hundreds; a few letters find the rest. */
const MOST_SHOWN = 60;
const EVERY_MS = 15_000;

export function MarketDialog({ current, onChoose, onClose }: MarketDialogProps) {
  const { answer, refused } = useAnswer<Result<readonly Market[]>>('/markets', EVERY_MS);
  const [words, setWords] = useState('');
  const found = marketsOf(answer?.result ?? [], words);
  const choose = (symbol: string): void => {
    onChoose(symbol);
    onClose();
  };
  return (
    <Dialog title="Choose a market" onClose={onClose}>
      <form
        class="market-dialog"
        onSubmit={(event) => {
          event.preventDefault();
          if (found[0] !== undefined) choose(found[0].symbol);
        }}
      >
        <Field label="Find" hint="Enter takes the first">
          {(tied) => (
            <input
              {...tied}
              value={words}
              autocomplete="off"
              onInput={({ currentTarget }) => setWords(currentTarget.value)}
            />
          )}
        </Field>
        {refused !== undefined && <p role="alert">{refused.message}</p>}
        {answer !== undefined && found.length === 0 && <p class="quiet">No market has “{words}” in its name.</p>}
        <ul>
          {found.slice(0, MOST_SHOWN).map(({ symbol, exchanges, lastPrice }) => (
            <li key={symbol}>
              <button type="button" aria-current={symbol === current} onClick={() => choose(symbol)}>
                <strong>{symbol}</strong>
                <span class="quiet">{exchanges.join(', ')}</span>
                <span class="price">{plain(lastPrice)}</span>
              </button>
            </li>
          ))}
        </ul>
      </form>
    </Dialog>
  );
}

interface Listed {
  readonly symbol: string;
  readonly exchanges: readonly string[];
  readonly lastPrice: number | null;
}

/** Each market once, those that begin with the words first. */
export function marketsOf(markets: readonly Market[], words: string): readonly Listed[] {
  const wanted = words.trim().toUpperCase();
  const bySymbol = new Map<string, { symbol: string; exchanges: string[]; lastPrice: number | null }>();
  for (const { symbol, exchange, lastPrice } of markets) {
    if (!symbol.includes(wanted)) continue;
    const listed = bySymbol.get(symbol);
    if (listed === undefined) bySymbol.set(symbol, { symbol, exchanges: [exchange], lastPrice });
    else listed.exchanges.push(exchange);
  }
  const rank = ({ symbol }: Listed): number => (symbol.startsWith(wanted) ? 0 : 1);
  return [...bySymbol.values()].toSorted((a, b) => rank(a) - rank(b));
}
