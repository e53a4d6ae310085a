// The orders that rest at the venues or are on their way there, and taking them back: one, or all that are listed.

import { useState } from 'preact/hooks';
import type { Order, Result } from '../../server/answers.ts';
import { ask } from '../../server/ask.ts';
import { MOST_OPEN_ORDERS } from '../../server/open-orders.ts';
import { refreshAnswers, useAnswer } from '../../server/use-answer.ts';
import { pathWith } from '../../server/use-feed-list.ts';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { plain } from '../../ui/numbers.ts';
import { Panel } from '../../ui/panel.tsx';
import { linkTo } from '../../ui/places.ts';
import { Question } from '../../ui/question.tsx';
import { RefusedWords } from '../../ui/refused.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import { CancelQuestion } from './cancel-order.tsx';
import { CsvLink } from './csv-link.tsx';
import { moneyWords, outcomeOf, venueOf } from './trade-words.ts';

/** What the list is narrowed to, as GET /orders names it. */
export type ChosenOrders = Readonly<Record<string, string | undefined>>;

/** What POST /orders/cancel goes by; by anything else it would cancel more than is listed. */
const CANCELED_BY: ReadonlySet<string> = new Set(['symbol', 'strategy', 'exchange', 'account', 'key']);

const canCancelAll = (chosen: ChosenOrders): boolean =>
  Object.entries(chosen).every(([name, value]) => value === undefined || CANCELED_BY.has(name));

export function OpenOrders({ chosen }: { readonly chosen: ChosenOrders }) {
  // Without a filter the same question as the count in the rail.
  const path = pathWith('/orders', { limit: String(MOST_OPEN_ORDERS), ...chosen });
  const { answer, refused } = useAnswer<Result<readonly Order[]>>(path);
  const [canceling, setCanceling] = useState<Order>();
  const [isCancelingAll, setCancelingAll] = useState(false);
  // A filter that fits no order is told by the list below; what nobody could ask is not "none".
  const isFilterRefused = refused !== undefined && refused.status >= 400 && refused.status < 500;
  const orders = isFilterRefused ? [] : (answer?.result ?? []);
  if (answer === undefined && !isFilterRefused)
    return refused === undefined ? null : (
      <Panel title="Open orders" aside="not known">
        <RefusedWords words={`What rests at the venues is not known: ${refused.message}`} />
      </Panel>
    );
  return (
    <Panel
      title="Open orders"
      aside={
        orders.length === 0 ? (
          'none'
        ) : (
          <span class="list-files">
            <CsvLink path="/orders" query={chosen} what="Orders" />
            {canCancelAll(chosen) && (
              <Button kind="danger" isSmall onClick={() => setCancelingAll(true)}>
                Cancel all {orders.length}…
              </Button>
            )}
          </span>
        )
      }
    >
      {orders.length === 0 ? (
        <p class="empty">Nothing rests at a venue. A signal with a price does until the market reaches it.</p>
      ) : (
        <Table
          label="Open orders"
          columns={[...COLUMNS, cancelColumn(setCanceling)]}
          rows={orders}
          keyOf={({ clientOrderId }) => clientOrderId}
          linkOf={({ requestId }) => linkTo('trades', requestId)}
        />
      )}
      {canceling !== undefined && <CancelQuestion order={canceling} onClose={() => setCanceling(undefined)} />}
      {isCancelingAll && <CancelAllQuestion orders={orders} chosen={chosen} onClose={() => setCancelingAll(false)} />}
    </Panel>
  );
}

const COLUMNS: readonly Column<Order>[] = [
  { title: 'Market', cell: ({ market }) => <strong>{market}</strong> },
  {
    title: 'Order',
    cell: ({ side, positionSide, reduceOnly }) => (
      <span>
        {side} <span class="quiet">{`${reduceOnly ? 'closes' : 'opens'} ${positionSide.toLowerCase()}`}</span>
      </span>
    ),
  },
  { title: 'Asked', isNumber: true, cell: ({ quantity }) => plain(quantity) },
  { title: 'Filled', isNumber: true, cell: ({ executedQty }) => plain(executedQty) },
  { title: 'Limit', isNumber: true, cell: ({ price }) => (price === null ? 'market' : plain(price)) },
  {
    title: 'Outcome',
    cell: ({ status }) => {
      const [outcome, tone] = outcomeOf(status);
      return <Chip tone={tone}>{outcome}</Chip>;
    },
  },
  { title: 'From', isExtra: true, cell: ({ strategy, keyLabel }) => <span class="quiet">{strategy ?? keyLabel}</span> },
  { title: 'Venue', isExtra: true, cell: (order) => <span class="quiet">{venueOf(order)}</span> },
  { title: 'Since', isExtra: true, cell: ({ receivedAt }) => <When atMs={receivedAt} nowMs={Date.now()} /> },
];

const cancelColumn = (onCancel: (order: Order) => void): Column<Order> => ({
  title: 'Take it back',
  isNumber: true,
  cell: (order) => (
    <Button isSmall label={`Cancel ${order.side} ${order.market}`} onClick={() => onCancel(order)}>
      Cancel
    </Button>
  ),
});

interface CancelAllProps {
  readonly orders: readonly Order[];
  readonly chosen: ChosenOrders;
  readonly onClose: () => void;
}

function CancelAllQuestion({ orders, chosen, onClose }: CancelAllProps) {
  const isNarrowed = Object.values(chosen).some((value) => value !== undefined);
  const modes = [...new Set(orders.map(({ mode }) => mode))];
  const cancel = async (): Promise<string | undefined> => {
    const { result } = await ask<Result<readonly { outcome: string; market: string; error: string | null }[]>>(
      '/orders/cancel',
      { method: 'POST', body: isNarrowed ? chosen : { all: true } },
    ).finally(refreshAnswers);
    const left = result.filter(({ outcome }) => outcome !== 'canceled' && outcome !== 'ended');
    return left.length === 0 ? undefined : left.map(({ market, error }) => `${market}: ${error}`).join('; ');
  };
  return (
    <Question
      title={isNarrowed ? 'Cancel these orders?' : 'Cancel every open order?'}
      yes={`Cancel ${orders.length}`}
      no="Keep them"
      isDanger
      onYes={cancel}
      onClose={onClose}
    >
      <p>
        {orders.length} {orders.length === 1 ? 'order' : 'orders'} with{' '}
        <strong>{modes.map(moneyWords).join(' and ')}</strong>
        {isNarrowed ? ', all that the filters above leave' : ', on every account'}. What has filled stays, and stops
        that guard positions go on working.
      </p>
    </Question>
  );
}
