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
import { ListEnd } from '../trades/list-end.tsx';
import { useAccountFilters } from '../trades/use-account-filters.ts';
import { RefusalDetails } from './refusal-details.tsx';
import type { Signal } from './signal.ts';
import { filtersOf, REFUSED, signalList, TWICE } from './signal-filters.ts';
import './signals.css';
import { NoSignals } from './test-signal.tsx';

/** Below the row of the signal with this id something is opened. */
const OPEN = 'open';

export function Signals({ place }: { readonly place: Place }) {
  const filters = filtersOf(place.query);
  const list = useFeedList(JSON.stringify(filters), () => signalList(filters));
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  return (
    <div class="list-page">
      <FilterBar place={place} filters={useSignalFilters()} />
      {filters.strategy !== undefined && (
        <p class="quiet">
          Of refused signals a strategy's name is kept where it is one word: others are not in this list.
        </p>
      )}
      {list.isWhole && list.rows.length === 0 && !isFiltered ? (
        <NoSignals />
      ) : (
        <div class="list">
          <SignalTable list={list} place={place} />
          <ListEnd list={list} what="signal" />
        </div>
      )}
    </div>
  );
}

const OUTCOMES: Filter = {
  name: 'outcome',
  label: 'Outcome',
  options: [[REFUSED, 'refused'], [TWICE, 'duplicate'], ...OUTCOME_OPTIONS.filter(([status]) => status !== 'Rejected')],
};

function useSignalFilters(): readonly Filter[] {
  const { answer: keys } = useAnswer<Result<readonly WebhookKey[]>>('/admin/webhook-keys', 60_000);
  return [
    OUTCOMES,
    { name: 'market', label: 'Market', placeholder: 'BTCUSDT' },
    {
      ...{ name: 'key', label: 'Key' },
      options: (keys?.result ?? []).map(({ label }) => [label, label] as const),
    },
    ...useAccountFilters(),
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
      columns={[{ title: 'Time', width: '126px', cell: lead }, ...COLUMNS]}
      rows={list.rows}
      keyOf={({ id }) => id}
      openKey={openId}
      opened={({ refusal }) => refusal && <RefusalDetails refusal={refusal} />}
      card={(signal) => (
        <>
          <span>
            <strong>{signal.market}</strong> {signal.action} {signal.quantity}
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

const COLUMNS: readonly WideColumn<Signal>[] = [
  { title: 'Market', width: '104px', cell: ({ market }) => <strong>{market}</strong> },
  { title: 'Action', width: '110px', cell: ({ action }) => action },
  { title: 'Quantity', width: '76px', isNumber: true, cell: ({ quantity }) => quantity },
  { title: 'Outcome', width: '92px', cell: (signal) => <Outcome signal={signal} /> },
  { title: 'Why', width: '3fr', cell: ({ why }) => <span title={why}>{why}</span> },
  { title: 'From', width: '1fr', isExtra: true, cell: ({ from }) => <span class="quiet">{from}</span> },
  { title: 'Venue', width: '84px', isExtra: true, cell: ({ venue }) => <span class="quiet">{venue}</span> },
];
