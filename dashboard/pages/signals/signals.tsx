// Every signal that came in, traded or refused, with what became of it and why; a refused one is opened in its place.

import type { Result, WebhookKey } from '../../server/answers.ts';
import type { FeedList } from '../../server/feed-list.ts';
import { useAnswer } from '../../server/use-answer.ts';
import { useFeedList } from '../../server/use-feed-list.ts';
import { Chip } from '../../ui/chip.tsx';
import { type Filter, FilterBar } from '../../ui/filter-bar.tsx';
import { linkTo, linkWith, type Place, turnTo } from '../../ui/places.ts';
import { VirtualTable, type WideColumn } from '../../ui/virtual-table.tsx';
import { When } from '../../ui/when.tsx';
import { OUTCOME_OPTIONS } from '../trades/trade-words.ts';
import '../trades/list-page.css';
import { CsvLink } from '../trades/csv-link.tsx';
import { ListEnd } from '../trades/list-end.tsx';
import { SIZE_WIDTH, SizeWords } from '../trades/size-words.tsx';
import { TIME_FILTERS } from '../trades/time-filters.ts';
import { useAccountFilters } from '../trades/use-account-filters.ts';
import { RefusalDetails } from './refusal-details.tsx';
import type { Signal } from './signal.ts';
import { filtersOf, REFUSED, STRANGERS, signalList, TWICE } from './signal-filters.ts';
import './signals.css';
import { NoSignals } from './test-signal.tsx';

/** Below the row of the signal with this id something is opened. */
const OPEN = 'open';

export function Signals({ place }: { readonly place: Place }) {
  const filters = filtersOf(place.query);
  const list = useFeedList(JSON.stringify(filters), () => signalList(filters));
  const bar = useSignalFilters(place.query);
  const isFiltered = bar.some(({ name }) => place.query.has(name));
  return (
    <div class="list-page">
      <FilterBar place={place} filters={bar} />
      {place.query.has('strategy') && (
        <p class="quiet">
          Of refused signals that could not be read a strategy's name is kept where it is one word: others are not in
          this list.
        </p>
      )}
      {list.isWhole && list.rows.length === 0 && !isFiltered ? (
        <NoSignals />
      ) : (
        <div class="list">
          <header class="list-head">
            <h2>Signals</h2>
            <span class="list-files">
              {filters.trades !== undefined && <CsvLink path="/trades" query={filters.trades} what="Traded" />}
              {filters.refusals !== undefined && <CsvLink path="/refusals" query={filters.refusals} what="Refused" />}
            </span>
          </header>
          <SignalTable list={list} place={place} />
          <ListEnd list={list} what="signal" />
        </div>
      )}
    </div>
  );
}

const SEARCH: Filter = { name: 'search', label: 'Search', placeholder: 'any word or id' };
const OUTCOMES: Filter = {
  name: 'outcome',
  label: 'Outcome',
  options: [[REFUSED, 'refused'], [TWICE, 'duplicate'], ...OUTCOME_OPTIONS.filter(([status]) => status !== 'Rejected')],
};

/** In the bar only where a link has brought it. */
const SENDER: Filter = {
  name: 'sender',
  label: 'Sender',
  options: [
    ['known', 'under a key of yours'],
    [STRANGERS, 'without one'],
  ],
};

function useSignalFilters(query: URLSearchParams): readonly Filter[] {
  const { answer: keys } = useAnswer<Result<readonly WebhookKey[]>>('/admin/webhook-keys', 60_000);
  return [
    SEARCH,
    OUTCOMES,
    { name: 'market', label: 'Market', placeholder: 'BTCUSDT' },
    {
      ...{ name: 'key', label: 'Key' },
      options: (keys?.result ?? []).map(({ label }) => [label, label] as const),
    },
    ...useAccountFilters(),
    ...TIME_FILTERS,
    ...(query.has(SENDER.name) ? [SENDER] : []),
  ];
}

function SignalTable({ list, place }: { readonly list: FeedList<Signal>; readonly place: Place }) {
  const openId = place.query.get(OPEN) ?? undefined;
  const nowMs = Date.now();
  /** A trade leads to its story; a refusal is told in its place. */
  const lead = (signal: Signal) =>
    signal.isTrade ? (
      <a class="lead" href={linkTo('trades', signal.id)}>
        <When atMs={signal.at} nowMs={nowMs} />
      </a>
    ) : (
      <button
        type="button"
        class="lead"
        aria-expanded={openId === signal.id}
        onClick={() => turnTo(linkWith(place, { [OPEN]: openId === signal.id ? undefined : signal.id }))}
      >
        <When atMs={signal.at} nowMs={nowMs} />
      </button>
    );
  return (
    <VirtualTable
      label="Signals"
      columns={[{ title: 'Time', width: '128px', cell: lead }, ...COLUMNS]}
      rows={list.rows}
      keyOf={({ id }) => id}
      openKey={openId}
      opened={({ refusal }) => refusal && <RefusalDetails refusal={refusal} />}
      card={(signal) => (
        <>
          <span>
            <strong>{signal.market}</strong> {signal.action} <SizeWords size={signal.size} />
          </span>
          <Outcome signal={signal} />
          <span class="quiet">{signal.why}</span>
          <span>{lead(signal)}</span>
        </>
      )}
      onEnd={() => void list.more()}
    />
  );
}

const Outcome = ({ signal: { outcome, tone } }: { readonly signal: Signal }) => (
  <span>
    <Chip tone={tone}>{outcome}</Chip>
  </span>
);

/** A key's name may be longer than its column. */
const From = ({ from }: { readonly from: string }) => (
  <span class="quiet" title={from}>
    {from}
  </span>
);

const COLUMNS: readonly WideColumn<Signal>[] = [
  { title: 'Market', width: '96px', cell: ({ market }) => <strong>{market}</strong> },
  { title: 'Action', width: '92px', cell: ({ action }) => action },
  { title: 'Size', width: SIZE_WIDTH, isNumber: true, cell: ({ size }) => <SizeWords size={size} /> },
  { title: 'Outcome', width: '88px', cell: (signal) => <Outcome signal={signal} /> },
  { title: 'Why', width: 'minmax(165px, 2fr)', cell: ({ why }) => <span title={why}>{why}</span> },
  { title: 'From', width: 'minmax(96px, 1fr)', isExtra: true, cell: ({ from }) => <From from={from} /> },
  { title: 'Venue', width: '84px', isExtra: true, cell: ({ venue }) => <span class="quiet">{venue}</span> },
];
