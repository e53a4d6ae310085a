// Taking one order back, after a question: from the list of those that rest, and from the story of its trade.

import { useState } from 'preact/hooks';
import type { Order, Result } from '../../server/answers.ts';
import { ask } from '../../server/ask.ts';
import { OPEN_ORDERS } from '../../server/open-orders.ts';
import { refreshAnswers, useAnswer } from '../../server/use-answer.ts';
import { Button } from '../../ui/button.tsx';
import { plain } from '../../ui/numbers.ts';
import { Question } from '../../ui/question.tsx';
import { moneyWords, venueOf } from './trade-words.ts';

/** Whoever has just sent an order stands at its story: it is taken back there too. */
export function CancelOfTrade({ id }: { readonly id: string }) {
  const { answer } = useAnswer<Result<readonly Order[]>>(OPEN_ORDERS);
  const [canceling, setCanceling] = useState<Order>();
  const resting = answer?.result.filter(({ requestId }) => requestId === id) ?? [];
  return (
    <>
      {resting.map((order) => (
        <Button
          key={order.clientOrderId}
          isSmall
          label={`Cancel ${order.side} ${order.market}`}
          onClick={() => setCanceling(order)}
        >
          Cancel…
        </Button>
      ))}
      {canceling !== undefined && <CancelQuestion order={canceling} onClose={() => setCanceling(undefined)} />}
    </>
  );
}

export function CancelQuestion({ order, onClose }: { readonly order: Order; readonly onClose: () => void }) {
  const { clientOrderId, side, market, quantity, executedQty, price, mode } = order;
  const cancel = async (): Promise<undefined> => {
    await ask(`/orders/${encodeURIComponent(clientOrderId)}`, { method: 'DELETE' }).finally(refreshAnswers);
  };
  return (
    <Question
      title={`Cancel ${side} ${market}?`}
      yes="Cancel it"
      no="Keep it"
      isDanger
      onYes={cancel}
      onClose={onClose}
    >
      <p>
        {plain(quantity)} {price === null ? 'at the market' : `at ${plain(price)}`} on {venueOf(order)} with{' '}
        <strong>{moneyWords(mode)}</strong>. {executedQty > 0 && `What has filled, ${plain(executedQty)}, stays. `}
        {order.reduceOnly ? 'What it was to close stays open.' : 'Nothing is closed by it.'}
      </p>
    </Question>
  );
}
