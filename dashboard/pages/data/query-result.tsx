// The answer to a statement: a picture where it makes one, the rows, and all of them to take along.

import { Button } from '../../ui/button.tsx';
import { LineChart } from '../../ui/line-chart.tsx';
import { plain } from '../../ui/numbers.ts';
import { Panel } from '../../ui/panel.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { clockTime, day, inUtc } from '../../ui/times.ts';
import { BarChart } from './bar-chart.tsx';
import { chartOf, columnsOf, csvOf, isNumberColumn, momentOf, type Row, shownNumber, timeOf } from './result-shape.ts';

/** More rows in a page make it slow, and nobody reads them there. */
const MOST_SHOWN = 500;

export function QueryResult({ rows }: { readonly rows: readonly Row[] }) {
  if (rows.length === 0)
    return (
      <Panel title="Result">
        <p class="empty">No row. Either nothing is like that yet, or a condition leaves everything out.</p>
      </Panel>
    );
  const chart = chartOf(rows);
  const shown = rows.slice(0, MOST_SHOWN).map((row, index) => ({ row, key: String(index) }));
  return (
    <>
      {chart !== undefined && (
        <Panel title={chart.label}>
          {chart.kind === 'line' ? (
            <LineChart label={chart.label} points={chart.points} nowMs={Date.now()} />
          ) : (
            <BarChart label={chart.label} bars={chart.bars} />
          )}
        </Panel>
      )}
      <Panel
        title="Result"
        aside={
          <span class="result-aside">
            {rows.length > MOST_SHOWN && `the first ${MOST_SHOWN} of ${plain(rows.length)} rows`}
            <Button isSmall onClick={() => download(rows)}>
              Download CSV
            </Button>
          </span>
        }
      >
        <Table label="Result" columns={columnsFor(rows)} rows={shown} keyOf={({ key }) => key} />
      </Panel>
    </>
  );
}

const columnsFor = (rows: readonly Row[]): readonly Column<{ readonly row: Row }>[] =>
  columnsOf(rows).map((title) => ({
    title,
    isNumber: isNumberColumn(rows, title),
    cell: ({ row }) => <Cell column={title} value={row[title] ?? null} />,
  }));

/** Values as they are, but for moments, which say on hover how they are kept; another number that may be a time says on hover which. */
function Cell({ column, value }: { readonly column: string; readonly value: Row[string] }) {
  if (value === null) return <span class="quiet">–</span>;
  const moment = momentOf(column, value);
  if (moment !== undefined)
    return (
      <span class="cell" title={`${inUtc(moment)}, kept as ${value}`}>
        {day(moment)} {clockTime(moment)}
      </span>
    );
  const at = typeof value === 'number' ? timeOf(value) : undefined;
  return (
    <span class="cell" title={at === undefined ? undefined : inUtc(at)}>
      {typeof value === 'number' ? shownNumber(value) : value}
    </span>
  );
}

function download(rows: readonly Row[]): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([csvOf(rows)], { type: 'text/csv' }));
  link.download = 'signalbox.csv';
  link.click();
  URL.revokeObjectURL(link.href);
}
