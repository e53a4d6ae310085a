// What the wallet holds: the chain's own coin, and the tokens whose contracts were added here.

import { useState } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { RefusedWords } from '../../ui/refused.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { type Coin, isContract } from './coins.ts';
import { fromUnits } from './units.ts';

export interface BalancePanelProps {
  readonly coins: readonly Coin[];
  readonly refused: string | undefined;
  readonly tokens: readonly string[];
  readonly onTokens: (tokens: readonly string[]) => void;
  readonly onAgain: () => void;
}

export function BalancePanel({ coins, refused, tokens, onTokens, onAgain }: BalancePanelProps) {
  const [contract, setContract] = useState('');
  const isWrong = contract.trim() !== '' && !isContract(contract);
  const add = (event: Event): void => {
    event.preventDefault();
    onTokens([...tokens, contract.trim()]);
    setContract('');
  };
  const remove = (token: string): void => onTokens(tokens.filter((each) => each.toLowerCase() !== token.toLowerCase()));
  return (
    <Panel
      title="Balances"
      aside={
        <Button isSmall onClick={onAgain}>
          Look again
        </Button>
      }
    >
      <RefusedWords words={refused} />
      {refused !== undefined && tokens.length > 0 && (
        <p class="inside">
          <Button isSmall onClick={() => onTokens([])}>
            Forget the added tokens
          </Button>
        </p>
      )}
      {coins.length > 0 && (
        <Table label="Balances" columns={columnsOf(remove)} rows={coins} keyOf={({ token }) => token} />
      )}
      <form class="add-line" onSubmit={add}>
        <Field label="Add a token" error={isWrong ? 'The address of its contract: 0x and 40 digits.' : undefined}>
          {(tied) => (
            <input
              {...tied}
              value={contract}
              placeholder="0x… of its contract"
              onInput={(event) => setContract(event.currentTarget.value)}
            />
          )}
        </Field>
        <Button type="submit" disabled={!isContract(contract)}>
          Add
        </Button>
      </form>
    </Panel>
  );
}

const columnsOf = (onRemove: (token: string) => void): readonly Column<Coin>[] => [
  { title: 'Coin', cell: ({ symbol }) => <strong>{symbol}</strong> },
  { title: 'Balance', isNumber: true, cell: ({ amount, decimals }) => fromUnits(amount, decimals) },
  {
    title: 'Forget it',
    isNumber: true,
    cell: ({ token, symbol }) =>
      token === 'native' ? null : (
        <Button isSmall label={`Forget ${symbol}`} onClick={() => onRemove(token)}>
          Forget
        </Button>
      ),
  },
];
