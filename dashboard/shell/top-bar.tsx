// What must never be missed, at the same place on every page: which money this is, how it is doing, whether all is well, and how to stop.

import { useState } from 'preact/hooks';
import type { Account, Health, Readiness, Result } from '../server/answers.ts';
import { useConnection } from '../server/connection.ts';
import { useAnswer } from '../server/use-answer.ts';
import { Button } from '../ui/button.tsx';
import { Chip, type Tone } from '../ui/chip.tsx';
import { fixed, gainOrLoss, signed } from '../ui/numbers.ts';
import { Keyboard } from './keyboard.tsx';
import { StopTrading, useKillSwitch } from './stop-trading.tsx';
import './top-bar.css';
import { sumOf } from '../server/account-sums.ts';

const MONEY_TONES: Readonly<Record<Health['mode'], Tone>> = { paper: 'warn', testnet: 'accent', live: 'down' };

export function TopBar({ title }: { readonly title: string }) {
  const { answer: health } = useAnswer<Health>('/health', 3_000);
  const { answer: accounts } = useAnswer<Result<readonly Account[]>>('/account');
  const [isStopping, setStopping] = useState(false);
  const { isActive } = useKillSwitch();
  const inForce = (accounts?.result ?? []).filter(({ mode }) => mode === health?.mode);
  const today = sumOf(inForce, 'realizedToday');
  return (
    <header class="top-bar">
      <h1>{title}</h1>
      {health !== undefined && <Money health={health} />}
      <div class="figures">
        {accounts !== undefined && (
          <>
            <span class="figure">
              Equity <strong>{fixed(sumOf(inForce, 'equity'))}</strong>
            </span>
            <span class="figure">
              Today <strong class={gainOrLoss(today)}>{signed(today)}</strong>
            </span>
          </>
        )}
        <Wellness />
        <Button kind="danger" onClick={() => setStopping(true)}>
          {isActive ? 'Trading is stopped…' : 'Stop trading…'}
        </Button>
      </div>
      <Keyboard onStop={() => setStopping(true)} />
      {isStopping && <StopTrading onClose={() => setStopping(false)} />}
    </header>
  );
}

function Money({ health: { mode, prices } }: { readonly health: Health }) {
  const words =
    mode === 'paper'
      ? `PAPER · ${prices} prices`
      : `${mode.toUpperCase()} · real ${mode === 'live' ? 'money' : 'venue, play money'}`;
  return <Chip tone={MONEY_TONES[mode]}>{words}</Chip>;
}

function Wellness() {
  const connection = useConnection();
  const { answer: ready, refused } = useAnswer<Readiness>('/ready');
  return (
    <span role="status">
      {connection === 'lost' ? (
        <Chip tone="down">Connection lost, trying again…</Chip>
      ) : (
        <ReadyChip ready={ready} isRefused={refused !== undefined} />
      )}
    </span>
  );
}

function ReadyChip({ ready, isRefused }: { readonly ready: Readiness | undefined; readonly isRefused: boolean }) {
  if (isRefused) return <Chip tone="down">Not ready</Chip>;
  if (ready === undefined) return null;
  const { warnings } = ready;
  if (warnings.length === 0) return <Chip tone="up">All systems well</Chip>;
  return (
    <Chip tone="warn" title={warnings.join('\n')}>
      {warnings.length === 1 ? '1 warning' : `${warnings.length} warnings`}
    </Chip>
  );
}
