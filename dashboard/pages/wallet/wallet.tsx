// The wallet: what it holds on a chain, swapping, paying and permitting, and every transaction it has made.

import { useState } from 'preact/hooks';
import type { Result } from '../../server/answers.ts';
import type { Setting, WalletBalance, WalletStatus } from '../../server/setup-answers.ts';
import { useAnswer } from '../../server/use-answer.ts';
import { useAsked } from '../../server/use-asked.ts';
import { Button } from '../../ui/button.tsx';
import { CopyBlock } from '../../ui/copy.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Panel } from '../../ui/panel.tsx';
import { RefusedWords } from '../../ui/refused.tsx';
import { BalancePanel } from './balance-panel.tsx';
import { CHAINS, type Chain, coinsOf, storedTokens, storeTokens } from './coins.ts';
import { SwapPanel } from './swap-panel.tsx';
import { TransactionsPanel } from './transactions-panel.tsx';
import { fromUnits } from './units.ts';
import './wallet.css';
import { Unanswered } from '../../ui/unanswered.tsx';
import { WritePanel } from './write-panel.tsx';

export function WalletPage() {
  const { answer: settings, refused } = useAnswer<Result<readonly Setting[]>>('/admin/settings', 30_000);
  const [chosen, setChain] = useState<Chain>();
  if (settings === undefined) return <Unanswered refused={refused} />;
  const isKnown = (name: Chain): boolean =>
    settings.result.some((setting) => setting.name === settingOf(name) && setting.value !== '');
  const chain = chosen ?? CHAINS.find(isKnown) ?? CHAINS[0];
  return (
    <div class="wallet">
      <fieldset class="chains">
        <legend class="sr-only">Chain</legend>
        {CHAINS.map((name) => (
          <label key={name}>
            <input type="radio" name="chain" checked={chain === name} onChange={() => setChain(name)} />
            {name}
          </label>
        ))}
      </fieldset>
      {isKnown(chain) ? <OnChain key={chain} chain={chain} /> : <NotConfigured chain={chain} />}
    </div>
  );
}

const settingOf = (chain: Chain): string => `RPC_${chain.toUpperCase()}`;

function OnChain({ chain }: { readonly chain: Chain }) {
  const { answer, refused, again } = useAsked<Result<WalletStatus>>('/wallet/status', {
    method: 'POST',
    body: { chain },
  });
  if (answer !== undefined) return <Known chain={chain} status={answer.result} />;
  if (refused === undefined) return <p role="status">Asking {chain}…</p>;
  return (
    <div>
      <RefusedWords words={refused.message} />
      <Button onClick={again}>Ask again</Button>
    </div>
  );
}

function Known({ chain, status }: { readonly chain: Chain; readonly status: WalletStatus }) {
  const [tokens, setTokens] = useState(() => storedTokens(chain));
  const hasAddress = status.address !== null;
  const balance = useAsked<Result<WalletBalance>>(hasAddress ? '/wallet/balance' : undefined, {
    ...{ method: 'POST', body: { chain, tokens } },
  });
  const coins = balance.answer === undefined ? [] : coinsOf(chain, balance.answer.result);
  const keep = (next: readonly string[]): void => {
    storeTokens(chain, next);
    setTokens(next);
  };
  return (
    <>
      <div class="halves">
        <StatusPanel status={status} />
        <BalancePanel
          coins={coins}
          refused={balance.refused?.message}
          tokens={tokens}
          onTokens={keep}
          onAgain={balance.again}
        />
      </div>
      {coins.length > 0 && (
        <>
          <SwapPanel chain={chain} coins={coins} canSign={status.canSign} onSwapped={balance.again} />
          <WritePanel chain={chain} coins={coins} canSign={status.canSign} onDone={balance.again} />
        </>
      )}
      <TransactionsPanel chain={chain} />
    </>
  );
}

function StatusPanel({ status }: { readonly status: WalletStatus }) {
  const { address, canSign, pendingTransactions, policy } = status;
  return (
    <Panel title="Account" aside={canSign ? 'can sign' : 'can only look'}>
      {address === null ? (
        <p class="empty">
          No key: the chain can be read, and nothing can be signed. <code>npx signalbox wallet import</code> seals one.
        </p>
      ) : (
        <div class="inside">
          <CopyBlock label="the address of the wallet" text={address} />
        </div>
      )}
      <Facts
        facts={[
          ['Waiting transactions', String(pendingTransactions)],
          ['Most in one transaction', coinsOrNone(policy.maxValueWei)],
          ['Spent today', `${fromUnits(policy.spentTodayWei, 18)} of ${coinsOrNone(policy.dailyLimitWei)}`],
          ['Most price impact', policy.maxPriceImpactBps === null ? 'any' : `${policy.maxPriceImpactBps / 100} %`],
        ]}
      />
    </Panel>
  );
}

const coinsOrNone = (wei: string | null): string => (wei === null ? 'no limit' : fromUnits(wei, 18));

const NotConfigured = ({ chain }: { readonly chain: Chain }) => (
  <Panel title={`The wallet does not know ${chain} yet`}>
    <div class="inside">
      <p class="lead">
        Name an RPC endpoint of {chain} in <code>.env</code> and restart: then balances and quotes work. To sign, seal a
        key with <code>npx signalbox wallet import</code> and set the other three lines. Use an account with no more in
        it than you are ready to lose.
      </p>
      <CopyBlock
        label="the settings of the wallet"
        text={`${settingOf(chain)}=https://…\nWALLET_KEYSTORE=./data/wallet.json\nWALLET_PASSWORD=…\nWALLET_TOKEN=…`}
      />
    </div>
  </Panel>
);
