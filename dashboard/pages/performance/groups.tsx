// Who made what: a line for each strategy, market, key, tag, account or day, to sort out by eye or in a spreadsheet.

import type { Performance, Result } from '../../server/answers.ts';
import { useAnswer } from '../../server/use-answer.ts';
import { pathWith } from '../../server/use-feed-list.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { type CsvColumn, csvOf, saveFile } from '../../ui/csv.ts';
import { fixed, gainOrLoss, signed } from '../../ui/numbers.ts';
import { Panel } from '../../ui/panel.tsx';
import { linkWith, type Place, turnTo } from '../../ui/places.ts';
import { type Column, Table } from '../../ui/table.tsx';
import { lasting } from '../../ui/times.ts';
import type { Chosen } from './chosen.ts';

/** The word of the list of closed trades, behind that of the page. */
export const CLOSED = 'trades';

type Group = Performance['groups'][number];
type Grouping = Performance['by'];

const GROUPINGS: readonly (readonly [Grouping, string])[] = [
  ['strategy', 'strategy'],
  ['symbol', 'market'],
  ['key', 'key'],
  ['tag', 'tag'],
  ['account', 'account'],
  ['day', 'day'],
];

const TAGS_NOTE =
  'What was closed counts for the tags of the trades that opened it and of the one that closed it; with two tags, for both.';

export function Groups({ place, chosen }: { readonly place: Place; readonly chosen: Chosen }) {
  const by = GROUPINGS.find(([word]) => word === place.query.get('by'))?.[0] ?? 'strategy';
  const { mode, exchange, account, from, to } = chosen;
  const { answer } = useAnswer<Result<Performance>>(
    pathWith('/performance', { by, mode, exchange, account, from, to }),
    30_000,
  );
  const groups = answer?.result.groups ?? [];
  const rows = by === 'day' ? groups.toReversed() : groups.toSorted((a, b) => b.net - a.net);
  const title = `By ${GROUPINGS.find(([word]) => word === by)?.[1]}`;
  return (
    <Panel
      title={title}
      aside={
        <span class="groups-aside">
          <Choice
            label="Grouped by"
            options={GROUPINGS}
            chosen={by}
            onChoose={(word) => turnTo(linkWith(place, { by: word === 'strategy' ? undefined : word }))}
          />
          <Button
            isSmall
            disabled={rows.length === 0}
            onClick={() => saveFile(`performance-by-${by}.csv`, csvOf(CSV, rows))}
          >
            CSV
          </Button>
        </span>
      }
    >
      {by === 'tag' && rows.length > 0 && <p class="groups-note quiet">{TAGS_NOTE}</p>}
      {answer !== undefined && rows.length === 0 ? (
        <p class="empty">Nothing was traded in this time.</p>
      ) : (
        <Table
          label={title}
          columns={[nameColumn(by), ...COLUMNS]}
          rows={rows}
          keyOf={({ group, mode: money }) => `${money} ${group}`}
          linkOf={(group) => linkOf(by, group, place)}
        />
      )}
    </Panel>
  );
}

/** To the closed trades behind the line, of the same time and money; a day to its groups. */
function linkOf(by: Grouping, { group, trades }: Group, place: Place): string | undefined {
  // The first account of an exchange goes by the name of that alone.
  const [exchange = '', account = 'main'] = (group ?? '').split(':');
  const name = group ?? '';
  const narrowed: Readonly<Record<Grouping, Record<string, string>>> = {
    ...{ strategy: { strategy: name }, symbol: { market: name }, key: { key: name }, tag: { tag: name } },
    ...{ account: { exchange, account }, day: { day: name, by: 'symbol' } },
  };
  const chosen = narrowed[by];
  if (by === 'day') return linkWith(place, chosen);
  // Trades are found by a tag, not by having none.
  if (trades === 0 && by === 'tag' && group === null) return undefined;
  // What has only opened something has no closed trades, but trades it has.
  return trades === 0 ? `#/trades?${new URLSearchParams(chosen)}` : closedLink(place, chosen);
}

export const closedLink = (place: Place, more: Readonly<Record<string, string>> = {}): string =>
  linkWith({ ...place, rest: [CLOSED] }, { by: undefined, ...more });

/** The server counts whole seconds. */
export const heldWords = (seconds: number): string => (seconds === 0 ? 'under 1 s' : lasting(seconds * 1000));

const nameColumn = (by: Grouping): Column<Group> => ({
  title: 'Name',
  cell: ({ group }) => <strong>{group ?? `no ${by}`}</strong>,
});

const COLUMNS: readonly Column<Group>[] = [
  { title: 'Trades', isNumber: true, cell: ({ trades }) => trades },
  { title: 'Won', isNumber: true, cell: ({ winRate }) => (winRate === null ? '–' : `${fixed(winRate * 100, 0)} %`) },
  { title: 'Factor', isNumber: true, isExtra: true, cell: ({ profitFactor }) => fixed(profitFactor) },
  { title: 'Realized', isNumber: true, cell: ({ pnl }) => signed(pnl) },
  { title: 'Fees', isNumber: true, cell: ({ fees }) => fixed(fees) },
  { title: 'Funding', isNumber: true, isExtra: true, cell: ({ funding }) => signed(funding) },
  { title: 'Net, USDT', isNumber: true, cell: ({ net }) => <strong class={gainOrLoss(net)}>{signed(net)}</strong> },
  { title: 'A trade', isNumber: true, isExtra: true, cell: ({ expectancy }) => signed(expectancy) },
  { title: 'Deepest fall', isNumber: true, isExtra: true, cell: ({ maxDrawdown }) => fixed(maxDrawdown) },
  {
    ...{ title: 'Held', isNumber: true, isExtra: true },
    cell: ({ averageHoldingSeconds: seconds }) => (seconds === null ? '–' : heldWords(seconds)),
  },
];

const CSV: readonly CsvColumn<Group>[] = (
  [
    ...['group', 'mode', 'trades', 'wins', 'losses', 'winRate', 'profitFactor', 'pnl', 'fees', 'funding'],
    ...['net', 'expectancy', 'maxDrawdown', 'averageHoldingSeconds'],
  ] as (keyof Group)[]
).map((name) => ({ title: name, value: (group) => group[name] }));
