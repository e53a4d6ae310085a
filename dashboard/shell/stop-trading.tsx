// The kill switch: what it will do is said before it is thrown, what it refuses while it is on, and what resumes before it is lifted.
//
// open ── off ─────────────► form ── thrown ──► closed
//      └─ on ──► as it is ──► form (stop more)
//                         └─► question (trade again) ── lifted ──► closed

import { useEffect, useState } from 'preact/hooks';
import type { KillSwitch, KillSwitches, Order, Position, Result } from '../server/answers.ts';
import { ask } from '../server/ask.ts';
import { KILL_SWITCH, stopWords, useKillSwitch } from '../server/kill-switch.ts';
import { OPEN_ORDERS } from '../server/open-orders.ts';
import type { Shown } from '../server/shared-answer.ts';
import { refreshAnswers, useAnswer } from '../server/use-answer.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { linkTo } from '../ui/places.ts';
import { RefusedWords } from '../ui/refused.tsx';
import { START_STOP, StopFields } from '../ui/stop-fields.tsx';
import { useAction } from '../ui/use-action.ts';
import { entriesEffect, positionsEffect } from './stop-effects.ts';
import './stop-trading.css';

interface StopTradingProps {
  readonly onClose: () => void;
}

/** Nobody who wants to stop waits longer than this to be told how it stands. */
const AT_ONCE_MS = 500;

export function StopTrading({ onClose }: StopTradingProps) {
  const { switches, refused } = useKillSwitch();
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), AT_ONCE_MS);
    return () => clearTimeout(timer);
  }, []);
  // Who cannot be told how it stands must still be able to stop.
  if (switches === undefined && refused === undefined && !isLate) return null;
  return <OpenedSwitch now={switches} onClose={onClose} />;
}

interface OpenedSwitchProps extends StopTradingProps {
  readonly now: KillSwitches | undefined;
}

/** Stays as it was opened: a switch that somebody else throws meanwhile must not change the button under the pointer. */
function OpenedSwitch({ now, onClose }: OpenedSwitchProps) {
  const [opened] = useState(now);
  const [step, setStep] = useState<'as it is' | 'stop' | 'resume'>(opened?.result.active ? 'as it is' : 'stop');
  const { isBusy, refused, run } = useAction(async (body: object) => {
    await ask(KILL_SWITCH, { method: 'PUT', body });
    refreshAnswers();
    onClose();
  });
  const put = (body: object): void => void run(body);
  const title = opened?.result.scope === 'entries' ? 'Entries are stopped' : 'All trading is stopped';
  return (
    <Dialog
      title={{ 'as it is': title, stop: 'Stop trading', resume: 'Trade again?' }[step]}
      isBusy={isBusy}
      onClose={onClose}
    >
      {step === 'stop' && <Throw before={opened?.result} isSending={isBusy} onThrow={put} onClose={onClose} />}
      {step === 'as it is' && opened !== undefined && <AsItIs switches={opened} onStep={setStep} onClose={onClose} />}
      {step === 'resume' && opened !== undefined && (
        <Resume switches={opened} isSending={isBusy} onLift={() => put({ active: false })} onClose={onClose} />
      )}
      <RefusedWords words={refused} />
      <p role="status" class="meanwhile">
        {!isBusy && meanwhileWords(opened, now)}
      </p>
    </Dialog>
  );
}

/** What somebody else has done since it was opened; undefined where nobody has. */
function meanwhileWords(opened: KillSwitches | undefined, now: KillSwitches | undefined): string | undefined {
  if (opened === undefined || now === undefined) return undefined;
  if (JSON.stringify(opened.result) === JSON.stringify(now.result)) return undefined;
  return `Changed meanwhile. Now: ${stopWords(now, Date.now()) ?? 'nothing is stopped'}.`;
}

interface AsItIsProps {
  readonly switches: KillSwitches;
  /** To refuse more, or to close what is open, without letting anything in first; or to let everything in. */
  readonly onStep: (step: 'stop' | 'resume') => void;
  readonly onClose: () => void;
}

const AsItIs = ({ switches, onStep, onClose }: AsItIsProps) => (
  <>
    <p>
      {switches.result.scope === 'entries'
        ? 'Entries are refused; signals that close a position still pass.'
        : 'Every signal is refused, entries and closes alike.'}
      {switches.result.flatten && ' Every position is closed, now and as long as it is on.'}
    </p>
    <p>{stopWords(switches, Date.now())}</p>
    {!switches.result.reason && <p>No reason was given.</p>}
    <div class="actions">
      <Button onClick={onClose}>Leave it as it is</Button>
      <Button onClick={() => onStep('stop')}>Stop more…</Button>
      <Button kind="filled" onClick={() => onStep('resume')}>
        Trade again…
      </Button>
    </div>
  </>
);

interface ResumeProps {
  readonly switches: KillSwitches;
  readonly isSending: boolean;
  readonly onLift: () => void;
  readonly onClose: () => void;
}

function Resume({ switches: { result, others }, isSending, onLift, onClose }: ResumeProps) {
  return (
    <div class="resume">
      <h3>What resumes</h3>
      <ul>
        <li>
          {result.scope === 'entries'
            ? 'Signals that open a position trade again, from the next one on.'
            : 'Every signal trades again, entries and closes, from the next one on.'}
        </li>
        <li>
          Deployed scripts send their orders again. They ran on meanwhile: where an order was refused, what a strategy
          believes to hold is not what is held, and its page says so under drift.
        </li>
        {result.scope === 'all' && <li>The wallet sends again, also what was signed before and waits.</li>}
        {result.flatten && <li>Positions are no longer closed by the switch.</li>}
      </ul>
      <h3>What does not come back by itself</h3>
      <ul>
        <li>Signals and orders that were refused{result.scope === 'all' && ', exits among them,'} are not made up.</li>
        <li>Entries that were taken back are not placed again, and what was closed stays closed.</li>
        {others.length > 0 && (
          <li>
            Still stopped by their own switch: {others.map(({ kind, name }) => `${kind} ${name}`).join(', ')}. What is
            paused stays paused.
          </li>
        )}
      </ul>
      <div class="actions">
        <Button disabled={isSending} onClick={onClose}>
          Leave it stopped
        </Button>
        <Button kind="filled" disabled={isSending} onClick={onLift}>
          Trade again
        </Button>
      </div>
    </div>
  );
}

interface ThrowProps {
  /** As it stood when the form was opened. */
  readonly before: KillSwitch | undefined;
  readonly isSending: boolean;
  readonly onThrow: (body: object) => void;
  readonly onClose: () => void;
}

/** What was answered before is no answer to what would be done now. */
const nowOf = <T,>({ answer, refused }: Shown<Result<T>>): T | undefined =>
  refused === undefined ? answer?.result : undefined;

function Throw({ before, isSending, onThrow, onClose }: ThrowProps) {
  // What is being closed goes on being closed unless somebody says otherwise.
  const [chosen, setChosen] = useState({ ...START_STOP, flatten: before?.active === true && before.flatten });
  // The form never waits for these: most often the rail has them already.
  const orders = useAnswer<Result<readonly Order[]>>(OPEN_ORDERS);
  const positions = useAnswer<Result<readonly Position[]>>('/positions');
  const [reason, setReason] = useState((before?.active && before.reason) || '');
  const submit = (event: Event): void => {
    event.preventDefault();
    onThrow({ active: true, ...chosen, ...(reason.trim() !== '' && { reason: reason.trim() }) });
  };
  return (
    <form class="stop-trading" onSubmit={submit}>
      <StopFields
        chosen={chosen}
        onChange={setChosen}
        entries={{ title: 'Take back resting entries', words: entriesEffect(nowOf(orders), chosen.cancelEntries) }}
        closing={{
          title: 'Close every open position at the market',
          words: positionsEffect(nowOf(positions), chosen.flatten),
        }}
      />
      <p class="only-one">
        Only one key, strategy, account or market?{' '}
        <a href={linkTo('limits')} onClick={onClose}>
          Stop it under Limits
        </a>
      </p>
      <Field label="Reason (kept in the audit)">
        {(tied) => (
          <input {...tied} value={reason} maxLength={200} onInput={(event) => setReason(event.currentTarget.value)} />
        )}
      </Field>
      <div class="actions">
        <Button disabled={isSending} onClick={onClose}>
          Leave it as it is
        </Button>
        <Button kind="danger" type="submit" disabled={isSending}>
          {chosen.flatten ? 'Stop and close everything' : 'Stop trading'}
        </Button>
      </div>
    </form>
  );
}
