// The order ticket: an order of the owner's own, looked at first by the server's own rules, then sent. What was looked at is what is
// sent: a change of any field asks for another look.

import { useState } from 'preact/hooks';
import type { Account, Checked, Result } from '../../server/answers.ts';
import { ask, type Refused } from '../../server/ask.ts';
import { DoneBefore, isRefusedByRule, SendOnce } from '../../server/send-once.ts';
import { refreshAnswers, useAnswer } from '../../server/use-answer.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { linkTo, placeOf } from '../../ui/places.ts';
import { RefusedWords } from '../../ui/refused.tsx';
import { useAction } from '../../ui/use-action.ts';
import { storedChoice } from '../chart/chart-choice.ts';
import { SentBefore } from '../trades/sent-before.tsx';
import { moneyWords, venueOf } from '../trades/trade-words.ts';
import { Foreseen, RefusedOrder } from './foreseen.tsx';
import './order-ticket.css';
import { BLANK, type Placed, type TypedTicket, ticketOf, ticketOn } from './ticket.ts';
import { TicketFields } from './ticket-fields.tsx';

const ORDERS = '/orders';

export interface OrderTicketProps {
  /** What it begins with; on the chart its market, else nothing. */
  readonly start?: TypedTicket;
  readonly onClose: () => void;
}

interface Look {
  readonly body: string;
  readonly atMs: number;
  readonly checked: Checked;
  readonly isSent?: boolean;
  /** Why it was not taken when it was sent: then what was foreseen counts no more. */
  readonly refusal?: Refused;
}

export function OrderTicket({ start, onClose }: OrderTicketProps) {
  const [typed, setTyped] = useState(() => start ?? startHere());
  const { answer } = useAnswer<Result<readonly Account[]>>('/account');
  const accounts = answer?.result ?? [];
  // One that is not open any more is not replaced by another: that could be real money.
  const isChosen = ({ exchange, account }: Account): boolean => `${exchange}:${account}` === typed.account;
  const chosen = typed.account === '' ? accounts[0] : accounts.find(isChosen);
  const { body, faults } = ticketOf(typed, chosen);
  const [look, setLook] = useState<Look>();
  const seen = look !== undefined && look.body === JSON.stringify(body) ? look : undefined;
  const check = useAction(async () => {
    if (body === undefined) return;
    const { result } = await ask<Result<Checked>>(ORDERS, {
      method: 'POST',
      effect: 'none',
      body: { ...body, dryRun: true },
    });
    setLook({ body: JSON.stringify(body), atMs: Date.now(), checked: result });
  });
  const place = usePlacing();
  const send = useAction(async () => {
    if (seen === undefined) return;
    setLook({ ...seen, isSent: true });
    const requestId = await place(JSON.parse(seen.body) as object).catch((error: unknown) => {
      if (!isRefusedByRule(error)) throw error;
      setLook({ ...seen, refusal: error });
    });
    if (requestId === undefined) return;
    onClose();
    location.hash = linkTo('trades', requestId);
  });
  // Why the last of the two was not done; what was said of the one before it counts no more.
  const [last, setLast] = useState<'check' | 'send'>('check');
  const { refused } = last === 'check' ? check : send;
  const run = (which: typeof last): void => {
    setLast(which);
    void (which === 'check' ? check : send).run();
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    run('check');
  };
  const isGood = seen !== undefined && seen.refusal === undefined && seen.checked.outcome !== 'would_refuse';
  const isLive = chosen?.mode === 'live';
  const isBusy = check.isBusy || send.isBusy;
  return (
    <Dialog title="New order" isBusy={send.isBusy} onClose={onClose}>
      <form class="order-ticket" onSubmit={submit}>
        {chosen !== undefined && isLive && <LiveMoney account={chosen} />}
        <TicketFields typed={typed} accounts={accounts} chosen={chosen} faults={faults} onType={setTyped} />
        <div aria-live="polite">{seen !== undefined && <Seen look={seen} />}</div>
        {isGood && body !== undefined && <SentBefore path={ORDERS} body={body} />}
        <RefusedWords words={refused} />
        <div class="actions">
          <Button disabled={send.isBusy} onClick={onClose}>
            Leave it
          </Button>
          <Button kind={isGood ? 'quiet' : 'filled'} type="submit" disabled={isBusy || body === undefined}>
            {seen === undefined ? 'See what it would do' : 'Look again'}
          </Button>
          {isGood && chosen !== undefined && (
            <Button kind={isLive ? 'danger' : 'filled'} disabled={isBusy} onClick={() => run('send')}>
              {isLive ? 'Send it with REAL money' : `Send it with ${moneyWords(chosen.mode)}`}
            </Button>
          )}
        </div>
      </form>
    </Dialog>
  );
}

const Seen = ({ look: { checked, atMs, isSent, refusal } }: { readonly look: Look }) =>
  refusal === undefined ? (
    <Foreseen checked={checked} atMs={atMs} isSent={isSent} />
  ) : (
    <RefusedOrder code={refusal.code} error={refusal.message} />
  );

const LiveMoney = ({ account }: { readonly account: Account }) => (
  <p class="live-money" role="note">
    <strong>LIVE: real money.</strong> It is sent to {venueOf(account)} at once, and what fills cannot be taken back.
  </p>
);

/** Who looks at a chart means its market. */
const startHere = (): TypedTicket =>
  placeOf(location.hash).page === 'chart' ? ticketOn(storedChoice().symbol) : BLANK;

const CHANGED_SINCE =
  'An order that you sent before you changed it was done already. Look at it under Trades & orders, and open a new ticket for another one.';

/** It trades once, however often it is pressed. */
function usePlacing(): (body: object) => Promise<string> {
  const [once] = useState(() => new SendOnce());
  return async (body) => {
    try {
      const { requestId } = await once.post<Placed>(ORDERS, body);
      return requestId;
    } catch (error) {
      if (!(error instanceof DoneBefore)) throw error;
      if (error.isOther || error.originalRequestId === undefined) throw new Error(CHANGED_SINCE);
      // The one whose answer was lost: it was sent, and this is it.
      return error.originalRequestId;
    } finally {
      refreshAnswers();
    }
  };
}
