// Closed trades one by one: the newest on the page of the performance, all that the filters leave on a page of their own.

import type { ClosedTrade, Result } from '../../server/answers.ts';
import { FeedList } from '../../server/feed-list.ts';
import { useAnswer } from '../../server/use-answer.ts';
import { feedOf, pathWith, useFeedList } from '../../server/use-feed-list.ts';
import { fixed, gainOrLoss, signed } from '../../ui/numbers.ts';
import { Panel } from '../../ui/panel.tsx';
import { linkWith, type Place } from '../../ui/places.ts';
import { type Column, Table } from '../../ui/table.tsx';
import { VirtualTable } from '../../ui/virtual-table.tsx';
import { When } from '../../ui/when.tsx';
import { CsvLink } from '../trades/csv-link.tsx';
import { ListEnd } from '../trades/list-end.tsx';
import '../trades/list-page.css';
import { averageR } from './average-r.ts';
import type { Chosen } from './chosen.ts';
import { CLOSED_COLUMNS, heldFor, Net, RValue, storyOf } from './closed-columns.tsx';
import { closedLink } from './groups.tsx';

const NEWEST = '10';
/** Each may be a question to its venue the first time. */
const AT_ONCE = 25;
const EVERY_MS = 30_000;

/** By the names of GET /performance/trades. */
export const closedQuery = ({ day: _, ...chosen }: Chosen): Readonly<Record<string, string | undefined>> => chosen;

export function NewestClosed({ place, chosen }: { readonly place: Place; readonly chosen: Chosen }) {
  const query = { ...closedQuery(chosen), limit: NEWEST, excursions: 'yes' };
  const { answer } = useAnswer<Result<readonly ClosedTrade[]>>(pathWith('/performance/trades', query), EVERY_MS);
  const rows = answer?.result ?? [];
  if (rows.length === 0) return null;
  return (
    <Panel title="Closed last" aside={<a href={closedLink(place)}>every closed trade</a>}>
      <Table label="Closed last" columns={NEWEST_COLUMNS} rows={rows} keyOf={({ id }) => id} linkOf={storyOf} />
    </Panel>
  );
}

/** A table makes the link of a row itself. */
const NEWEST_COLUMNS: readonly Column<ClosedTrade>[] = [
  { title: 'Closed', cell: ({ closedAt }) => <When atMs={closedAt} nowMs={Date.now()} /> },
  ...CLOSED_COLUMNS.slice(1),
];

const OF_THE_ACCOUNT =
  'Measured on the position of the account. Where strategies hold one market together, By strategy measures each by its own entry prices, and may come to something else.';

interface ClosedRow extends ClosedTrade {
  readonly at: number;
}

const closedList = (query: Readonly<Record<string, string | undefined>>): FeedList<ClosedRow> =>
  new FeedList([
    feedOf<ClosedTrade, ClosedRow>({
      ...{ path: '/performance/trades', query: { ...query, excursions: 'yes' }, limit: AT_ONCE },
      cursorOf: ({ id }) => id,
      atOf: ({ closedAt }) => closedAt,
      rowOf: (trade) => ({ ...trade, at: trade.closedAt }),
    }),
  ]);

export function ClosedTrades({ place, chosen }: { readonly place: Place; readonly chosen: Chosen }) {
  const query = closedQuery(chosen);
  const list = useFeedList(JSON.stringify(query), () => closedList(query), EVERY_MS);
  const { rows, isWhole } = list;
  const net = rows.reduce((sum, trade) => sum + trade.net, 0);
  const r = averageR(rows);
  return (
    <div class="list">
      <header class="list-head">
        <h2>Closed trades</h2>
        <p class="quiet">
          {rows.length}
          {!isWhole && ' shown'}, net <strong class={gainOrLoss(net)}>{signed(net)}</strong> USDT
          {r !== undefined && `, ${signed(r.average)} R on average of ${r.count} with a stop`}.{' '}
          <a href={linkWith({ ...place, rest: [] }, {})}>The figures</a>
        </p>
        <CsvLink path="/performance/trades" query={query} />
      </header>
      {chosen.strategy !== undefined && <p class="groups-note quiet">{OF_THE_ACCOUNT}</p>}
      <VirtualTable
        label="Closed trades"
        columns={CLOSED_COLUMNS}
        rows={rows}
        keyOf={({ id }) => id}
        card={(trade) => <ClosedCard trade={trade} />}
        onEnd={() => void list.more()}
      />
      <ListEnd list={list} what="closed trade" />
    </div>
  );
}

const ClosedCard = ({ trade }: { readonly trade: ClosedTrade }) => (
  <>
    <span>
      <strong>{trade.market}</strong> {trade.side} <Net trade={trade} />
    </span>
    <span>
      <RValue trade={trade} />
    </span>
    <span class="quiet">
      {trade.mae === null ? `held ${heldFor(trade)}` : `${fixed(trade.mae)} to ${signed(trade.mfe)}`}
    </span>
    <span>{CLOSED_COLUMNS[0]?.cell(trade)}</span>
  </>
);
