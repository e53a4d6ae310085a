// Trades and orders: what rests and can be taken back, and every trade with what it made; behind an id, one trade's whole life.

import type { Trade } from '../../server/answers.ts';
import { FeedList } from '../../server/feed-list.ts';
import { feedOf, useFeedList } from '../../server/use-feed-list.ts';
import { Chip } from '../../ui/chip.tsx';
import { type Filter, FilterBar } from '../../ui/filter-bar.tsx';
import { MONEY_OPTIONS } from '../../ui/money-chip.tsx';
import { fixed, gainOrLoss, plain, signed } from '../../ui/numbers.ts';
import { linkTo, type Place } from '../../ui/places.ts';
import { VirtualTable, type WideColumn } from '../../ui/virtual-table.tsx';
import { When } from '../../ui/when.tsx';
import { CsvLink } from './csv-link.tsx';
import { ListEnd } from './list-end.tsx';
import { tagLink } from './notes-panel.tsx';
import { OpenOrders } from './open-orders.tsx';
import { SIZE_WIDTH, SizeWords } from './size-words.tsx';
import { TIME_FILTERS, timesOf } from './time-filters.ts';
import { TradeStory } from './trade-story.tsx';
import { OUTCOME_OPTIONS, outcomeOf, sizeOf, venueOf } from './trade-words.ts';
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
    ...{ status: given('status'), symbol: given('market'), strategy: given('strategy'), tag: given('tag') },
    ...{ exchange: given('exchange'), account: given('account'), alertId: given('alertId'), mode: given('mode') },
    ...{ key: given('key'), search: given('search'), ...timesOf(query) },
  };
}

/** In the bar only where a link has brought them. */
const RARE: readonly Filter[] = [
  { name: 'alertId', label: 'Alert id' },
  { name: 'key', label: 'Key' },
  { name: 'mode', label: 'Money', options: MONEY_OPTIONS },
];

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
  const { status: _, alertId: __, ...ofOrders } = query;
  const filters: readonly Filter[] = [
    { name: 'search', label: 'Search', placeholder: 'any word or id' },
    { name: 'status', label: 'Outcome', options: OUTCOME_OPTIONS },
    { name: 'market', label: 'Market', placeholder: 'BTCUSDT' },
    { name: 'tag', label: 'Tag', hints: [...new Set(list.rows.flatMap(({ tags }) => tags))] },
    ...useAccountFilters(),
    ...TIME_FILTERS,
    ...RARE.filter(({ name }) => place.query.has(name)),
  ];
  return (
    <div class="list-page">
      <FilterBar place={place} filters={filters} />
      <OpenOrders chosen={ofOrders} />
      <div class="list">
        <Totals list={list} query={query} />
        <TradeTable list={list} />
        <ListEnd list={list} what="trade" />
      </div>
    </div>
  );
}

interface TotalsProps {
  readonly list: FeedList<TradeRow>;
  readonly query: Readonly<Record<string, string | undefined>>;
}

/** Of what is shown; money of different kinds is never added. */
function Totals({ list: { rows, isWhole }, query }: TotalsProps) {
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
              {fixed(fees)} USDT{' '}
            </span>
          );
        })}
        <a href="#/performance">All in all</a>
      </p>
      <CsvLink path="/trades" query={query} />
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
          <strong>{trade.market}</strong> {trade.action} <SizeWords size={sizeOf(trade)} />
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

/** Whose it was, with its tags; whole and with the note on hover. */
const From = ({ trade: { strategy, keyLabel, tags, note } }: { readonly trade: TradeRow }) => (
  <span title={[strategy ?? keyLabel, ...tags, ...(note === null ? [] : [note])].join(', ')}>
    <span class="quiet">{strategy ?? keyLabel}</span>
    {tags.map((tag) => (
      <a key={tag} class="tag" href={tagLink(tag)}>
        {tag}
      </a>
    ))}
    {tags.length === 0 && note !== null && <span class="quiet tag">note</span>}
  </span>
);

/** What opens has realized nothing. */
const Realized = ({ trade: { realizedPnl } }: { readonly trade: TradeRow }) =>
  gainOrLoss(realizedPnl) === undefined ? null : <span class={gainOrLoss(realizedPnl)}>{signed(realizedPnl)}</span>;

const COLUMNS: readonly WideColumn<TradeRow>[] = [
  { title: 'Time', width: '128px', cell: (trade) => <Lead trade={trade} /> },
  { title: 'Market', width: '96px', cell: ({ market }) => <strong>{market}</strong> },
  { title: 'Action', width: '92px', cell: ({ action }) => action },
  { title: 'Size', width: SIZE_WIDTH, isNumber: true, cell: (trade) => <SizeWords size={sizeOf(trade)} /> },
  {
    ...{ title: 'Price', width: '84px', isNumber: true },
    cell: ({ averagePrice, price }) =>
      averagePrice === null && price !== null ? `limit ${plain(price)}` : plain(averagePrice),
  },
  { title: 'Realized', width: '76px', isNumber: true, cell: (trade) => <Realized trade={trade} /> },
  { title: 'Fees', width: '52px', isNumber: true, isExtra: true, cell: ({ fees }) => fixed(fees) },
  { title: 'Outcome', width: '90px', cell: (trade) => <Outcome trade={trade} /> },
  {
    ...{ title: 'From', width: 'minmax(96px, 1fr)', isExtra: true },
    cell: (trade) => <From trade={trade} />,
  },
  { title: 'Venue', width: '84px', isExtra: true, cell: (trade) => <span class="quiet">{venueOf(trade)}</span> },
];
