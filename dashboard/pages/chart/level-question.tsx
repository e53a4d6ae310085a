// Whether a stop or a target is to be moved, and what that would mean. Nothing is moved before the answer.

import { useState } from 'preact/hooks';
import { ask } from '../../server/ask.ts';
import { refreshAnswers } from '../../server/use-answer.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { MoneyChip } from '../../ui/money-chip.tsx';
import { gainOrLoss, plain, signed } from '../../ui/numbers.ts';
import { useAction } from '../../ui/use-action.ts';
import { amountFault } from '../protection/typed-level.ts';
import { venueOf } from '../trades/trade-words.ts';
import { type AccountLevel, profitAt, roundedTo } from './account-levels.ts';

export interface MovedLevel {
  readonly level: AccountLevel;
  readonly price: number;
}

interface LevelQuestionProps {
  readonly moved: MovedLevel;
  readonly tickSize: number | undefined;
  readonly onClose: () => void;
}

export function LevelQuestion({ moved: { level, price }, tickSize, onClose }: LevelQuestionProps) {
  const [text, setText] = useState(String(price));
  const { position, guarded, words, field, strategy } = level;
  const wanted = roundedTo(Number(text), tickSize);
  const isPrice = wanted > 0;
  const profit = profitAt(guarded, wanted);
  const { isBusy, refused, run } = useAction(async (of: string) => {
    const query = new URLSearchParams({ strategy: strategy ?? '' });
    const path = `/positions/${encodeURIComponent(guarded.key)}/protection?${query}`;
    await ask(path, { method: 'PUT', body: { [of]: wanted } });
    refreshAnswers();
    onClose();
  });
  const move = (event: Event): void => {
    event.preventDefault();
    if (field !== undefined && isPrice) void run(field);
  };
  return (
    <Dialog title={`Move the ${words} of ${guarded.side} ${position.market}?`} isBusy={isBusy} onClose={onClose}>
      <form onSubmit={move}>
        <p>
          It stands at {plain(level.price)}; {plain(guarded.quantity)} are held at {plain(guarded.entryPrice)} on{' '}
          {venueOf(position)} <MoneyChip mode={position.mode} />
        </p>
        <Field
          label="New price"
          error={refused ?? (isPrice ? undefined : amountFault(text))}
          hint={rounding(text, wanted, position.exchange, tickSize)}
        >
          {(tied) => (
            <input
              {...tied}
              inputMode="decimal"
              value={text}
              onInput={({ currentTarget }) => setText(currentTarget.value)}
            />
          )}
        </Field>
        {isPrice && (
          <p>
            Closing at {plain(wanted)} would come to <strong class={gainOrLoss(profit)}>{signed(profit)}</strong> USDT
            before fees.
          </p>
        )}
        <div class="actions">
          <Button disabled={isBusy} onClick={onClose}>
            Leave it at {plain(level.price)}
          </Button>
          <Button kind="filled" type="submit" disabled={isBusy || !isPrice}>
            Move it
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** What is sent where that is not what was typed. */
function rounding(text: string, wanted: number, exchange: string, tickSize: number | undefined): string | undefined {
  if (!(wanted > 0) || wanted === Number(text)) return undefined;
  const why = tickSize === undefined ? '' : `, a multiple of ${plain(tickSize)}, as ${exchange} takes them`;
  return `It moves to ${plain(wanted)}${why}.`;
}
