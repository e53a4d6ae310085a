// Swapping: a quote first, then a question with the wallet's own token.

import { useState } from 'preact/hooks';
import type { Result } from '../../server/answers.ts';
import { ask } from '../../server/ask.ts';
import type { WalletQuote } from '../../server/setup-answers.ts';
import { Button } from '../../ui/button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { ChoiceField, TextField } from '../../ui/inputs.tsx';
import { Panel } from '../../ui/panel.tsx';
import { RefusedWords } from '../../ui/refused.tsx';
import { useAction } from '../../ui/use-action.ts';
import type { Chain, Coin } from './coins.ts';
import { fromUnits, toUnits } from './units.ts';
import { WalletQuestion } from './wallet-question.tsx';

export interface SwapPanelProps {
  readonly chain: Chain;
  readonly coins: readonly Coin[];
  readonly canSign: boolean;
  readonly onSwapped: () => void;
}

/** As it is written; a quote is of what was asked, and of nothing else. */
interface Wish {
  readonly from: string;
  readonly to: string;
  readonly amount: string;
  readonly slippage: string;
}

export function SwapPanel({ chain, coins, canSign, onSwapped }: SwapPanelProps) {
  const [wish, setWish] = useState<Wish>({ from: 'native', to: '', amount: '', slippage: '0.5' });
  const [quote, setQuote] = useState<WalletQuote>();
  const [given, taken] = [wish.from, wish.to].map((token) => coins.find((coin) => coin.token === token));
  const { isBusy, refused, run } = useAction(async (amountIn: string) => {
    setQuote(undefined);
    const slippageBps = Math.round(Number(wish.slippage) * 100);
    const body = { chain, tokenIn: wish.from, tokenOut: wish.to, amountIn, slippageBps };
    setQuote((await ask<Result<WalletQuote>>('/wallet/quote', { method: 'POST', effect: 'none', body })).result);
  });
  const change = (changed: Partial<Wish>): void => {
    setQuote(undefined);
    setWish({ ...wish, ...changed });
  };
  if (coins.length < 2)
    return (
      <Panel title="Swap">
        <p class="empty">Add the contract of a token above, to swap for it.</p>
      </Panel>
    );
  return (
    <Panel title="Swap" aside="Uniswap, the better of V2 and V3">
      <WishForm wish={wish} coins={coins} isBusy={isBusy} onChange={change} onAsk={run} />
      <RefusedWords words={refused} />
      {quote !== undefined && given !== undefined && taken !== undefined && (
        <Quoted chain={chain} quote={quote} given={given} taken={taken} canSign={canSign} onSwapped={onSwapped} />
      )}
    </Panel>
  );
}

interface WishFormProps {
  readonly wish: Wish;
  readonly coins: readonly Coin[];
  readonly isBusy: boolean;
  readonly onChange: (changed: Partial<Wish>) => void;
  readonly onAsk: (amountIn: string) => void;
}

function WishForm({ wish: { from, to, amount, slippage }, coins, isBusy, onChange, onAsk }: WishFormProps) {
  const decimals = coins.find(({ token }) => token === from)?.decimals ?? 0;
  const amountIn = toUnits(amount, decimals);
  const submit = (event: Event): void => {
    event.preventDefault();
    if (amountIn !== undefined) onAsk(amountIn);
  };
  const isWhole = amountIn !== undefined && to !== '' && to !== from && Number(slippage) >= 0;
  const others = coins.filter(({ token }) => token !== from);
  return (
    <form class="swap-line" onSubmit={submit}>
      <ChoiceField
        label="Give"
        value={from}
        options={inOptions(coins)}
        onChoose={(token) => onChange({ from: token })}
      />
      <TextField
        label="Amount"
        error={amount !== '' && amountIn === undefined ? 'A plain amount, such as 0.5.' : undefined}
        inputMode="decimal"
        value={amount}
        onWrite={(text) => onChange({ amount: text })}
      />
      <ChoiceField
        label="Get"
        value={to === from ? '' : to}
        options={[['', 'choose'], ...inOptions(others)]}
        onChoose={(token) => onChange({ to: token })}
      />
      <TextField
        label="Slippage, %"
        inputMode="decimal"
        value={slippage}
        onWrite={(text) => onChange({ slippage: text })}
      />
      <Button type="submit" disabled={isBusy || !isWhole}>
        {isBusy ? 'Asking…' : 'Get a quote'}
      </Button>
    </form>
  );
}

const inOptions = (coins: readonly Coin[]) => coins.map(({ token, symbol }) => [token, symbol] as const);

interface QuotedProps {
  readonly chain: Chain;
  readonly quote: WalletQuote;
  readonly given: Coin;
  readonly taken: Coin;
  readonly canSign: boolean;
  readonly onSwapped: () => void;
}

function Quoted({ canSign, ...swap }: QuotedProps) {
  const [isSwapping, setSwapping] = useState(false);
  return (
    <>
      <Facts facts={quoteFacts(swap.quote, swap.given, swap.taken)} />
      <div class="inside">
        {canSign ? (
          <Button kind="filled" onClick={() => setSwapping(true)}>
            Swap…
          </Button>
        ) : (
          <p class="quiet">This wallet has no key, so it can only ask for quotes.</p>
        )}
      </div>
      {isSwapping && <SwapQuestion {...swap} onClose={() => setSwapping(false)} />}
    </>
  );
}

const quoteFacts = (quote: WalletQuote, given: Coin, taken: Coin): readonly (readonly [string, string])[] => [
  ['You give', `${fromUnits(quote.amountIn, given.decimals)} ${given.symbol}`],
  ['You get about', `${fromUnits(quote.amountOut, taken.decimals)} ${taken.symbol}`],
  ['At least', `${fromUnits(quote.minAmountOut, taken.decimals)} ${taken.symbol}`],
  ['Price impact', quote.priceImpactBps === null ? 'cannot be told' : `${quote.priceImpactBps / 100} %`],
  ['By', `${quote.protocol}, ${quote.path.length - 1} ${quote.path.length === 2 ? 'step' : 'steps'}`],
];

type SwapQuestionProps = Omit<QuotedProps, 'canSign'> & { readonly onClose: () => void };

function SwapQuestion({ chain, quote, given, taken, onSwapped, onClose }: SwapQuestionProps) {
  const { tokenIn, tokenOut, amountIn, slippageBps, minAmountOut } = quote;
  const body = { chain, tokenIn, tokenOut, amountIn, slippageBps, minAmountOut };
  return (
    <WalletQuestion
      title="Swap for real?"
      yes="Swap"
      write={{ path: '/wallet/swap', body }}
      onDone={onSwapped}
      onClose={onClose}
    >
      <p class="lead">
        {fromUnits(amountIn, given.decimals)} {given.symbol} for at least {fromUnits(minAmountOut, taken.decimals)}{' '}
        {taken.symbol} on {chain}, with real money, plus the fee of the network. It cannot be taken back.
      </p>
    </WalletQuestion>
  );
}
