// How many there are, beside the name of a page: what is open now, and nothing where that is nothing.

import type { Order, Position, Result } from '../server/answers.ts';
import { MOST_OPEN_ORDERS, OPEN_ORDERS } from '../server/open-orders.ts';
import { useAnswer } from '../server/use-answer.ts';

const Count = ({
  count,
  words,
  isMore,
}: {
  readonly count: number;
  readonly words: string;
  readonly isMore?: boolean;
}) =>
  count === 0 ? null : (
    <span class="count">
      {count}
      {isMore && '+'}
      <span class="sr-only"> {words}</span>
    </span>
  );

export function PositionsCount() {
  const { answer } = useAnswer<Result<readonly Position[]>>('/positions');
  return <Count count={answer?.result.length ?? 0} words="open" />;
}

export function OpenOrdersCount() {
  const { answer } = useAnswer<Result<readonly Order[]>>(OPEN_ORDERS);
  const count = answer?.result.length ?? 0;
  return <Count count={count} words="open orders" isMore={count === MOST_OPEN_ORDERS} />;
}
