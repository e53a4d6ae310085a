// Trades and orders: what rests and can be taken back, and every trade with what it made; behind an id, one trade's whole life.

import type { Trade } from '../../server/answers.ts';
import { FeedList } from '../../server/feed-list.ts';
import { feedOf, useFeedList } from '../../server/use-feed-list.ts';
import { Chip } from '../../ui/chip.tsx';
import { type Filter, FilterBar } from '../../ui/filter-bar.tsx';
import { fixed, gainOrLoss, plain, signed } from '../../ui/numbers.ts';
import { linkTo, type Place } from '../../ui/places.ts';
import { VirtualTable, type WideColumn } from '../../ui/virtual-table.tsx';
import { When } from '../../ui/when.tsx';
import { ListEnd } from './list-end.tsx';
import { OpenOrders } from './open-orders.tsx';
import { TradeStory } from './trade-story.tsx';
import { OUTCOME_OPTIONS, outcomeOf, quantityWords, venueOf } from './trade-words.ts';
import { useAccountFilters } from './use-account-filters.ts';
import './list-page.css';

export function Trades({ place }: { readonly place: Place }) {
  const [id] = place.rest;
  return id === undefined ? <TradesPage place={place} /> : <TradeStory key={id} id={id} />;
}

interface TradeRow extends Trade {
  readonly id: string;
  readonly at: number;
}

const AT_ONCE = 100;

/** By the names of the query of GET /trades; `market` is its `symbol`. */
function queryOf(query: URLSearchParams): Readonly<Record<string, string | undefined>> {
  const given = (name: string): string | undefined => query.get(name) ?? undefined;
  return {
    ...{ status: given('status'), symbol: given('market'), strategy: given('strategy') },
    ...{ exchange: given('exchange'), account: given('account'), alertId: given('alertId') },
  };
}

const tradeList = (query: Readonly<Record<string, string | undefined>>): FeedList<TradeRow> =>
  new FeedList([
    feedOf<Trade, TradeRow>({
      ...{ path: '/trades', query, limit: AT_ONCE },
      cursorOf: ({ requestId }) => requestId,
      atOf: ({ receivedAt }) => receivedAt,
      rowOf: (trade) => ({ ...trade, id: trade.requestId, at: trade.receivedAt }),
    }),
  ]);

function TradesPage({ place }: { readonly place: Place }) {
  const query = queryOf(place.query);
  const list = useFeedList(JSON.stringify(query), () => tradeList(query));
  const { symbol, strategy, exchange, account } = query;
  const filters: readonly Filter[] = [
    { name: 'status', label: 'Outcome', options: OUTCOME_OPTIONS },
    { name: 'market', label: 'Market', placeholder: 'BTCUSDT' },
    ...useAccountFilters(),
    { name: 'alertId', label: 'Alert id' },
  ];
  return (
    <div class="list-page">
      <FilterBar place={place} filters={filters} />
      <OpenOrders chosen={{ symbol, strategy, exchange, account }} />
      <div class="list">
        <Totals list={list} />
        <TradeTable list={list} />
        <ListEnd list={list} what="trade" />
      </div>
    </div>
  );
}

/** Of what is shown; money of different kinds is never added. */
function Totals({ list: { rows, isWhole } }: { readonly list: FeedList<TradeRow> }) {
  const modes = [...new Set(rows.map(({ mode }) => mode))];
  return (
    <header class="list-head">
      <h2>Trades</h2>
      <p class="quiet">
        {modes.map((mode) => {
          const own = rows.filter((trade) => trade.mode === mode);
          const realized = own.reduce((sum, { realizedPnl }) => sum + realizedPnl, 0);
          const fees = own.reduce((sum, trade) => sum + trade.fees, 0);
          return (
            <span key={mode}>
              {mode.toUpperCase()}: {own.length}
              {!isWhole && ' shown'}, realized <strong class={gainOrLoss(realized)}>{signed(realized)}</strong>, fees{' '}
              {fixed(fees)}{' '}
            </span>
          );
        })}
        <a href="#/performance">All in all</a>
      </p>
    </header>
  );
}

const TradeTable = ({ list }: { readonly list: FeedList<TradeRow> }) => (
  <VirtualTable
    label="Trades"
    columns={COLUMNS}
    rows={list.rows}
    keyOf={({ id }) => id}
    card={(trade) => (
      <>
        <span>
          <strong>{trade.market}</strong> {trade.action} {quantityWords(trade)}
        </span>
        <Outcome trade={trade} />
        <span class="quiet">
          {trade.error ?? plain(trade.averagePrice ?? trade.price)} <Realized trade={trade} />
        </span>
        <span>
          <Lead trade={trade} />
        </span>
      </>
    )}
    onEnd={() => void list.more()}
  />
);

const Lead = ({ trade: { id, at } }: { readonly trade: TradeRow }) => (
  <a class="lead" href={linkTo('trades', id)}>
    <When atMs={at} nowMs={Date.now()} />
  </a>
);

function Outcome({ trade: { status, error } }: { readonly trade: TradeRow }) {
  const [outcome, tone] = outcomeOf(status);
  return (
    <span title={error ?? undefined}>
      <Chip tone={tone}>{outcome}</Chip>
    </span>
  );
}

/** What opens has realized nothing. */
const Realized = ({ trade: { realizedPnl } }: { readonly trade: TradeRow }) =>
  gainOrLoss(realizedPnl) === undefined ? null : <span class={gainOrLoss(realizedPnl)}>{signed(realizedPnl)}</span>;

const COLUMNS: readonly WideColumn<TradeRow>[] = [
  { title: 'Time', width: '122px', cell: (trade) => <Lead trade={trade} /> },
  { title: 'Market', width: '104px', cell: ({ market }) => <strong>{market}</strong> },
  { title: 'Action', width: '104px', cell: ({ action }) => action },
  { title: 'Quantity', width: '72px', isNumber: true, cell: quantityWords },
  { title: 'Filled', width: '76px', isNumber: true, isExtra: true, cell: ({ executedQty }) => plain(executedQty) },
  {
    ...{ title: 'Price', width: '92px', isNumber: true },
    cell: ({ averagePrice, price }) =>
      averagePrice === null && price !== null ? `limit ${plain(price)}` : plain(averagePrice),
  },
  { title: 'Realized', width: '68px', isNumber: true, cell: (trade) => <Realized trade={trade} /> },
  { title: 'Fees', width: '56px', isNumber: true, isExtra: true, cell: ({ fees }) => fixed(fees) },
  { title: 'Outcome', width: '90px', cell: (trade) => <Outcome trade={trade} /> },
  {
    ...{ title: 'From', width: '1fr', isExtra: true },
    cell: ({ strategy, keyLabel }) => <span class="quiet">{strategy ?? keyLabel}</span>,
  },
  { title: 'Venue', width: '90px', isExtra: true, cell: (trade) => <span class="quiet">{venueOf(trade)}</span> },
];
