// The kill switch: what it will do is said before it is thrown, and why it was thrown when it is lifted.

import { useState } from 'preact/hooks';
import type { KillSwitches } from '../server/answers.ts';
import { ask } from '../server/ask.ts';
import { refreshAnswers, useAnswer } from '../server/use-answer.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { RefusedWords } from '../ui/refused.tsx';
import { useAction } from '../ui/use-action.ts';
import './stop-trading.css';

const PATH = '/admin/kill-switch';

export function useKillSwitch(): { readonly isActive: boolean; readonly switches: KillSwitches | undefined } {
  const { answer } = useAnswer<KillSwitches>(PATH);
  return { isActive: answer?.result.active === true, switches: answer };
}

export function StopTrading({ onClose }: { readonly onClose: () => void }) {
  const { isActive, switches } = useKillSwitch();
  const { isBusy, refused, run } = useAction((work: () => Promise<unknown>) => work());
  const put = (body: object): void =>
    void run(async () => {
      await ask(PATH, { method: 'PUT', body });
      refreshAnswers();
      onClose();
    });
  return (
    <Dialog title={isActive ? 'Trading is stopped' : 'Stop trading'} onClose={onClose}>
      {isActive ? (
        <Lift
          reason={switches?.result.reason ?? null}
          isSending={isBusy}
          onLift={() => put({ active: false })}
          onClose={onClose}
        />
      ) : (
        <Throw isSending={isBusy} onThrow={put} onClose={onClose} />
      )}
      <RefusedWords words={refused} />
    </Dialog>
  );
}

interface LiftProps {
  readonly reason: string | null;
  readonly isSending: boolean;
  readonly onLift: () => void;
  readonly onClose: () => void;
}

const Lift = ({ reason, isSending, onLift, onClose }: LiftProps) => (
  <>
    <p>{reason === null ? 'No reason was given.' : `Reason: ${reason}`}</p>
    <div class="actions">
      <Button onClick={onClose}>Leave it</Button>
      <Button kind="filled" disabled={isSending} onClick={onLift}>
        Trade again
      </Button>
    </div>
  </>
);

interface ThrowProps {
  readonly isSending: boolean;
  readonly onThrow: (body: object) => void;
  readonly onClose: () => void;
}

const SCOPES = [
  ['all', 'Every signal is refused', 'Entries and closes alike. Stops that stand go on working.'],
  ['entries', 'Entries are refused', 'Signals that close a position still pass.'],
] as const;

function Throw({ isSending, onThrow, onClose }: ThrowProps) {
  const [scope, setScope] = useState<'all' | 'entries'>('all');
  const [flatten, setFlatten] = useState(false);
  const [cancelEntries, setCancelEntries] = useState(true);
  const [reason, setReason] = useState('');
  const submit = (event: Event): void => {
    event.preventDefault();
    onThrow({ active: true, scope, flatten, cancelEntries, ...(reason.trim() !== '' && { reason: reason.trim() }) });
  };
  return (
    <form class="stop-trading" onSubmit={submit}>
      <fieldset>
        <legend class="sr-only">What is refused</legend>
        {SCOPES.map(([value, title, words]) => (
          <label key={value}>
            <input type="radio" name="scope" checked={scope === value} onChange={() => setScope(value)} />
            <span>
              <strong>{title}</strong>
              <small>{words}</small>
            </span>
          </label>
        ))}
      </fieldset>
      <label>
        <input type="checkbox" checked={cancelEntries} onChange={() => setCancelEntries(!cancelEntries)} />
        <span>Take back resting entries</span>
      </label>
      <label>
        <input type="checkbox" checked={flatten} onChange={() => setFlatten(!flatten)} />
        <span>
          Close every open position at the market
          {flatten && <small class="down">All of them, on every account, at once.</small>}
        </span>
      </label>
      <Field label="Reason (kept in the audit)">
        {(tied) => (
          <input {...tied} value={reason} maxLength={200} onInput={(event) => setReason(event.currentTarget.value)} />
        )}
      </Field>
      <div class="actions">
        <Button onClick={onClose}>Go on trading</Button>
        <Button kind="danger" type="submit" disabled={isSending}>
          {flatten ? 'Stop and close everything' : 'Stop trading'}
        </Button>
      </div>
    </form>
  );
}
