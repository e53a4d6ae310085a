// What must never be missed, at the same place on every page: which money this is, how it is doing, whether all is well, and how to stop.

import { useState } from 'preact/hooks';
import type { Account, Health, Result } from '../server/answers.ts';
import { useKillSwitch } from '../server/kill-switch.ts';
import { useAnswer } from '../server/use-answer.ts';
import { useWellness } from '../server/use-wellness.ts';
import { Button } from '../ui/button.tsx';
import { Chip } from '../ui/chip.tsx';
import { lazy } from '../ui/lazy.tsx';
import { MoneyChip } from '../ui/money-chip.tsx';
import { fixed, gainOrLoss, signed } from '../ui/numbers.ts';
import { HOW_IT_RUNS } from '../ui/places.ts';
import { Keyboard } from './keyboard.tsx';
import { StopTrading } from './stop-trading.tsx';
import './top-bar.css';
import { sumOf, todayLink, todayOf } from '../server/account-sums.ts';

const OrderTicket = lazy(async () => (await import('../pages/ticket/order-ticket.tsx')).OrderTicket);

export function TopBar({ title }: { readonly title: string }) {
  const { answer: health } = useAnswer<Health>('/health', 3_000);
  const { answer: accounts } = useAnswer<Result<readonly Account[]>>('/account');
  const [isStopping, setStopping] = useState(false);
  const [isOrdering, setOrdering] = useState(false);
  const inForce = (accounts?.result ?? []).filter(({ mode }) => mode === health?.mode);
  const today = todayOf(inForce);
  return (
    <header class="top-bar">
      <h1>{title}</h1>
      {health !== undefined && <Money health={health} />}
      {accounts !== undefined && (
        <p class="worth">
          <a href="#/performance">
            Equity <strong>{fixed(sumOf(inForce, 'equity'))}</strong>
          </a>
          <a href={todayLink()}>
            Today <strong class={gainOrLoss(today)}>{signed(today)}</strong>
          </a>
        </p>
      )}
      <div class="well">
        <WellnessChip />
        <StopButton onClick={() => setStopping(true)} />
      </div>
      <Keyboard onStop={() => setStopping(true)} onOrder={() => setOrdering(true)} />
      {isOrdering && <OrderTicket onClose={() => setOrdering(false)} />}
      {isStopping && <StopTrading onClose={() => setStopping(false)} />}
    </header>
  );
}

function Money({ health: { mode, prices } }: { readonly health: Health }) {
  const more = mode === 'paper' ? `${prices} prices` : `real ${mode === 'live' ? 'money' : 'venue, play money'}`;
  return (
    <MoneyChip mode={mode}>
      {mode.toUpperCase()} <span class="more">· {more}</span>
    </MoneyChip>
  );
}

function WellnessChip() {
  const { wellness } = useWellness();
  return (
    <span role="status" class="wellness">
      {wellness !== undefined && (
        <a href={HOW_IT_RUNS}>
          <Chip tone={wellness.tone} title={[wellness.words, ...wellness.troubles].join('\n')}>
            {wellness.words}
          </Chip>
        </a>
      )}
    </span>
  );
}

/** The words and the look say how much is stopped; a press leads to more. */
function StopButton({ onClick }: { readonly onClick: () => void }) {
  const { isActive, switches } = useKillSwitch();
  if (!isActive)
    return (
      <Button kind="danger" onClick={onClick}>
        Stop trading…
      </Button>
    );
  return switches?.result.scope === 'entries' ? (
    <Button kind="warn" onClick={onClick}>
      Entries are stopped…
    </Button>
  ) : (
    <Button kind="alarm" onClick={onClick}>
      All trading is stopped…
    </Button>
  );
}
