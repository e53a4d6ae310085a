// One trade's whole life: its steps with the time between them, its orders and fills, what guards it, and every id to copy.

import type { Result, TradeDetail } from '../../server/answers.ts';
import { useAnswer } from '../../server/use-answer.ts';
import { Chip } from '../../ui/chip.tsx';
import { CopyText } from '../../ui/copy.tsx';
import { Facts, type FactsProps } from '../../ui/facts.tsx';
import { type Figure, Figures } from '../../ui/figures.tsx';
import { GuideLink } from '../../ui/guide-link.tsx';
import { MoneyChip } from '../../ui/money-chip.tsx';
import { fixed, plain, signed } from '../../ui/numbers.ts';
import { Panel } from '../../ui/panel.tsx';
import { linkTo } from '../../ui/places.ts';
import { type Column, Table } from '../../ui/table.tsx';
import { inUtc, lasting } from '../../ui/times.ts';
import { Unanswered } from '../../ui/unanswered.tsx';
import { When } from '../../ui/when.tsx';
import { stateWords } from '../protection/guard-words.ts';
import { GuardLines, Guards } from '../protection/guards.tsx';
import { remedyOf } from '../signals/remedies.ts';
import { CancelOfTrade } from './cancel-order.tsx';
import { ClosedPanel, closedFigures, useClosed } from './closed-panel.tsx';
import { NotesPanel } from './notes-panel.tsx';
import './trade-story.css';
import { askedStopParts, type Step, timelineOf, tookMs } from './timeline.ts';
import { moneyWords, outcomeOf, quantityInFull, venueOf } from './trade-words.ts';

const TIMELINE_TITLE = 'What happened';
const FILLS_TITLE = 'Fills';

export function TradeStory({ id }: { readonly id: string }) {
  const { answer, refused } = useAnswer<Result<TradeDetail>>(`/trades/${encodeURIComponent(id)}`);
  if (answer === undefined)
    return refused === undefined ? (
      <Unanswered refused={undefined} />
    ) : (
      <p role="alert">
        {refused.status === 404
          ? 'There is no trade with this id: a signal that was refused has none.'
          : refused.message}{' '}
        <a href={`#/signals?open=${encodeURIComponent(id)}`}>Look among the signals</a>.
      </p>
    );
  return <Story trade={answer.result} />;
}

function Story({ trade }: { readonly trade: TradeDetail }) {
  const steps = timelineOf(trade);
  const closed = useClosed(trade);
  const [outcome, tone] = outcomeOf(trade.status);
  return (
    <div class="trade-story">
      <div class="head">
        <p class="headline">
          <strong>
            {trade.market} {trade.action}
          </strong>{' '}
          <Chip tone={tone}>{outcome}</Chip> <MoneyChip mode={trade.mode}>{moneyWords(trade.mode)}</MoneyChip>{' '}
          <span class="quiet">on {venueOf(trade)}</span>
        </p>
        <CancelOfTrade id={trade.requestId} />
      </div>
      {trade.error !== null && <Wrong error={trade.error} isRefused={trade.status === 'Rejected'} />}
      <Figures figures={[...figuresOf(trade, tookMs(steps)), ...closedFigures(closed)]} />
      <div class="columns">
        <Panel title={TIMELINE_TITLE} aside="your time; UTC on hover">
          <Timeline steps={steps} />
        </Panel>
        <div class="beside">
          <NotesPanel trade={trade} />
          <Panel title="The signal">
            <Facts facts={factsOf(trade)} />
          </Panel>
        </div>
      </div>
      <ClosedPanel trade={trade} closed={closed} />
      <Panel title="Orders" aside={String(trade.orders.length)}>
        {trade.orders.length === 0 ? (
          <p class="empty">No order was sent.</p>
        ) : (
          <Table label="Orders" columns={ORDERS} rows={trade.orders} keyOf={({ clientOrderId }) => clientOrderId} />
        )}
      </Panel>
      <Panel title={FILLS_TITLE} aside={String(trade.fills.length)}>
        {trade.fills.length === 0 ? (
          <p class="empty">Nothing has filled.</p>
        ) : (
          <Table label="Fills" columns={FILLS} rows={trade.fills} keyOf={({ fillId }) => fillId} />
        )}
      </Panel>
      {trade.accounts !== undefined && (
        <Panel title="The same signal on other accounts" aside={`${trade.accounts.length} accounts`}>
          <Table
            label="Accounts"
            columns={ACCOUNTS}
            rows={trade.accounts}
            keyOf={({ requestId }) => requestId}
            linkOf={({ requestId }) => linkTo('trades', requestId)}
          />
        </Panel>
      )}
    </div>
  );
}

function Wrong({ error, isRefused }: { readonly error: string; readonly isRefused: boolean }) {
  const remedy = isRefused ? remedyOf('ORDER_REJECTED', error) : undefined;
  return (
    <div class="wrong" role="note">
      <p>{error}</p>
      {remedy?.guide !== undefined && (
        <p class="quiet">
          <GuideLink guide={remedy.guide} />
        </p>
      )}
    </div>
  );
}

const figuresOf = (trade: TradeDetail, took: number | undefined): readonly Figure[] => [
  {
    title: 'Filled',
    value: plain(trade.executedQty),
    words: `${quantityInFull(trade)} asked`,
    panel: FILLS_TITLE,
  },
  {
    title: 'Price',
    value: plain(trade.averagePrice),
    words: trade.price === null ? 'at the market' : `limit ${plain(trade.price)} ${trade.timeInForce ?? ''}`,
    panel: 'Orders',
  },
  {
    ...{ title: 'Realized', value: signed(trade.realizedPnl), gain: trade.realizedPnl },
    ...{ words: 'by closing, before fees', panel: FILLS_TITLE },
  },
  { title: 'Fees', value: fixed(trade.fees), words: 'USDT, of its fills', panel: FILLS_TITLE },
  {
    ...{ title: 'Took', value: took === undefined ? '–' : lasting(took), words: 'from the signal to the fill' },
    panel: TIMELINE_TITLE,
  },
];

const Timeline = ({ steps }: { readonly steps: readonly Step[] }) => (
  <ol class="timeline" aria-label="Timeline">
    {steps.map(({ at, sinceMs, title, words, tone }, index) => (
      <li key={`${at}${title}${words}`} class={tone}>
        <time class="mono" dateTime={new Date(at).toISOString()} title={inUtc(at)}>
          {preciseTime(at)}
        </time>
        <span class="since mono">{index === 0 ? '' : `+${lasting(sinceMs)}`}</span>
        <span>
          <strong>{title}</strong> <span class="quiet">{words}</span>
        </span>
      </li>
    ))}
  </ol>
);

/** `14:02:11.482`: between the steps there are milliseconds. */
function preciseTime(atMs: number): string {
  const at = new Date(atMs);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${String(at.getMilliseconds()).padStart(3, '0')}`;
}

function factsOf(trade: TradeDetail): FactsProps['facts'] {
  const { requestId, receivedAt, strategy, keyLabel, market, symbol, comment, alertId, idempotencyKey } = trade;
  const { leverage, protection } = trade;
  const facts: (FactsProps['facts'][number] | false)[] = [
    ['Came', <When key="came" atMs={receivedAt} nowMs={Date.now()} />],
    [
      'Market',
      <span key="market">
        <a href={`#/trades?market=${encodeURIComponent(market)}`}>{market}</a>
        {symbol !== market && <span class="quiet"> sent as {symbol}</span>}
      </span>,
    ],
    [
      'Strategy',
      strategy === null ? '–' : <a href={`#/trades?strategy=${encodeURIComponent(strategy)}`}>{strategy}</a>,
    ],
    [
      'Key',
      <a key="key" href={`#/signals?key=${encodeURIComponent(keyLabel)}`}>
        {keyLabel}
      </a>,
    ],
    leverage !== null && ['Leverage', `${leverage}×`],
    ['Stops asked for', <AskedStops key="stops" trade={trade} />],
    protection?.closeRequestId != null && [
      'Closed by',
      <a key="closed" href={linkTo('trades', protection.closeRequestId)}>
        its closing trade
      </a>,
    ],
    comment !== null && ['Comment', comment],
    alertId !== null && ['Alert id', <CopyText key="alert" text={alertId} label="the alert id" />],
    idempotencyKey !== null && [
      'Idempotency key',
      <CopyText key="idempotency" text={idempotencyKey} label="the idempotency key" />,
    ],
    ['Id', <CopyText key="id" text={requestId} label="the id of the trade" />],
  ];
  return facts.filter((fact) => fact !== false);
}

/** Only what this signal asked for: what guards the whole position, the parts of earlier orders too, stands in the timeline. */
function AskedStops({ trade }: { readonly trade: TradeDetail }) {
  const { protection } = trade;
  const asked = askedStopParts(trade);
  if (asked === undefined) return protection === null ? <>none was asked for</> : <Guards protection={protection} />;
  return <GuardLines parts={asked} state={protection === null ? 'no longer in force' : stateWords(protection)} />;
}

type SentOrder = TradeDetail['orders'][number];
const ORDERS: readonly Column<SentOrder>[] = [
  {
    title: 'Order',
    cell: ({ side, positionSide, leg, reduceOnly }) => (
      <span>
        <strong>{side}</strong> <span class="quiet">{legWords(leg, positionSide, reduceOnly)}</span>
      </span>
    ),
  },
  { title: 'Asked', isNumber: true, cell: ({ quantity }) => plain(quantity) },
  { title: 'Limit', isNumber: true, isExtra: true, cell: ({ price }) => (price === null ? 'market' : plain(price)) },
  { title: 'Filled', isNumber: true, cell: ({ executedQty }) => plain(executedQty) },
  { title: 'Price', isNumber: true, cell: ({ averagePrice }) => plain(averagePrice) },
  {
    title: 'Outcome',
    cell: ({ status, reason }) => {
      const [outcome, tone] = outcomeOf(status);
      return (
        <span>
          <Chip tone={tone}>{outcome}</Chip> {reason !== null && <span class="quiet">{reason}</span>}
        </span>
      );
    },
  },
  {
    title: 'Our id',
    isExtra: true,
    cell: ({ clientOrderId }) => <CopyText text={clientOrderId} label="our id of the order" />,
  },
  {
    title: 'Venue’s id',
    cell: ({ orderId }) => (orderId === null ? '–' : <CopyText text={orderId} label="the venue’s id of the order" />),
  },
];

const legWords = (leg: SentOrder['leg'], side: string, isReducing: boolean): string =>
  leg === 'open' || leg === 'close'
    ? `${isReducing ? 'closes' : 'opens'} ${side.toLowerCase()}`
    : leg.replaceAll('_', ' ');

const FILLS: readonly Column<TradeDetail['fills'][number]>[] = [
  { title: 'Time', cell: ({ at }) => <When atMs={at} nowMs={Date.now()} /> },
  { title: 'Quantity', isNumber: true, cell: ({ quantity }) => plain(quantity) },
  { title: 'Price', isNumber: true, cell: ({ price }) => plain(price) },
  { title: 'Fee, USDT', isNumber: true, cell: ({ fee }) => fixed(fee, 4) },
  { title: 'Realized, USDT', isNumber: true, cell: ({ realizedPnl }) => signed(realizedPnl) },
  { title: 'Id', cell: ({ fillId }) => <CopyText text={fillId} label="the id of the fill" /> },
];

const ACCOUNTS: readonly Column<NonNullable<TradeDetail['accounts']>[number]>[] = [
  { title: 'Account', cell: (account) => venueOf(account) },
  {
    title: 'Outcome',
    cell: ({ status }) => {
      const [outcome, tone] = outcomeOf(status);
      return <Chip tone={tone}>{outcome}</Chip>;
    },
  },
  { title: 'Filled', isNumber: true, cell: ({ executedQty }) => plain(executedQty) },
  { title: 'Price', isNumber: true, cell: ({ averagePrice }) => plain(averagePrice) },
  { title: 'Why', cell: ({ error }) => error ?? '' },
];
