// A table of any length: only the rows in view are drawn, in the page that scrolls around it. Where it has little room, as on a phone, a row is a card of two lines.

import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { type ColumnWidth, fittingColumns, isFluid, templateOf } from './column-widths.ts';
import type { Column } from './table.tsx';
import { drawnRows } from './virtual-rows.ts';
import './virtual-table.css';
import { useHeight, useRevealedRow, useScrolledView, useSteadyView, useWidth } from './virtual-view.ts';
import { words } from './words.ts';

export interface WideColumn<Row> extends Column<Row> {
  readonly width: ColumnWidth;
}

export interface VirtualTableProps<Row> {
  readonly label: string;
  readonly columns: readonly WideColumn<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** A row where there is little room. */
  readonly card: (row: Row) => ComponentChildren;
  /** Below the row with this key something is opened. */
  readonly openKey?: string | undefined;
  readonly opened?: (row: Row) => ComponentChildren;
  /** The reader comes near the end: there may be more. */
  readonly onEnd?: () => void;
}

const [ROW_PX, CARD_PX] = [36, 64];
/** Far more than are in view. */
const MOST_KEPT = 500;
/** So far before the end more is asked for. */
const NEAR_PX = 1_000;

export function VirtualTable<Row>(props: VirtualTableProps<Row>) {
  const { label, rows, keyOf, card, openKey, opened, onEnd } = props;
  const [widthPx, widthOf] = useWidth();
  const columns = useMemo(() => fittingColumns(props.columns, widthPx), [props.columns, widthPx]);
  const isNarrow = columns.length === 0;
  const rowPx = isNarrow ? CARD_PX : ROW_PX;
  const body = useRef<HTMLTableSectionElement>(null);
  const view = useScrolledView(body);
  const [openedPx, measure] = useHeight();
  const drawnOnce = useDrawnRows<Row>();
  const openIndex = openKey === undefined ? -1 : rows.findIndex((row) => keyOf(row) === openKey);
  const drawn = drawnRows({
    ...{ ...view, count: rows.length, rowPx },
    opened: openIndex === -1 ? undefined : { index: openIndex, px: openedPx },
  });
  const template = templateOf(columns);
  useLayoutEffect(() => {
    body.current?.style.setProperty('height', `${drawn.totalPx}px`);
    body.current?.style.setProperty('padding-top', `${drawn.abovePx}px`);
  }, [drawn.totalPx, drawn.abovePx]);
  // Apart from the above: a change of it makes the browser look at every cell again.
  useLayoutEffect(() => body.current?.parentElement?.style.setProperty('--columns', template), [template]);
  useSteadyView(body, rows, keyOf, rowPx, view.scrolledPx);
  useRevealedRow(body, openIndex, rowPx);
  const isNearEnd = view.viewPx > 0 && view.scrolledPx + view.viewPx > drawn.totalPx - NEAR_PX;
  // Once for each length: where nothing came, asking again would not help.
  useEffect(() => {
    if (isNearEnd) onEnd?.();
  }, [isNearEnd, rows.length]);
  return (
    <table
      ref={widthOf}
      class={words('virtual-table', isNarrow && 'cards')}
      aria-label={label}
      aria-rowcount={rows.length + 1}
    >
      <Head columns={isNarrow ? [{ title: label }] : columns} isHidden={isNarrow} />
      <tbody ref={body}>
        {rows.slice(drawn.first, drawn.end).flatMap((row, offset) => {
          const index = drawn.first + offset;
          const key = keyOf(row);
          return [
            drawnOnce(row, [rows, columns, isNarrow], () => (
              <tr key={key} aria-rowindex={index + 2}>
                {isNarrow ? <td class="card">{card(row)}</td> : cellsOf(row, columns)}
              </tr>
            )),
            index === openIndex && (
              <tr key={`${key} opened`} class="opened" ref={measure}>
                <td colSpan={Math.max(1, columns.length)}>{opened?.(row)}</td>
              </tr>
            ),
          ];
        })}
      </tbody>
    </table>
  );
}

interface HeadProps {
  readonly columns: readonly { readonly title: string; readonly isNumber?: boolean | undefined }[];
  readonly isHidden: boolean;
}

const Head = ({ columns, isHidden }: HeadProps) => (
  <thead class={words(isHidden && 'sr-only')}>
    <tr aria-rowindex={1}>
      {columns.map(({ title, isNumber }) => (
        <th key={title} scope="col" title={title} class={words(isNumber && 'number')}>
          {title}
        </th>
      ))}
    </tr>
  </thead>
);

/** Only what may be too narrow for its text is cut: each place that cuts costs the browser something in every frame. */
const cellsOf = <Row,>(row: Row, columns: readonly WideColumn<Row>[]) =>
  columns.map(({ title, width, isNumber, cell }) => (
    <td key={title} class={words(isNumber && 'number', isFluid(width) && 'cut')}>
      {cell(row)}
    </td>
  ));

/**
 * What was drawn of a row is kept as long as the row and the way to draw it are the same: Preact passes over what it has drawn already,
 * so that a frame of scrolling costs only the rows that come into view.
 */
function useDrawnRows<Row>() {
  const drawn = useRef<{ of: readonly unknown[]; rows: Map<Row, JSX.Element> }>({ of: [], rows: new Map() });
  return (row: Row, of: readonly unknown[], draw: () => JSX.Element): JSX.Element => {
    if (of.some((each, index) => each !== drawn.current.of[index])) drawn.current = { of, rows: new Map() };
    let found = drawn.current.rows.get(row);
    if (found === undefined) {
      if (drawn.current.rows.size > MOST_KEPT) drawn.current.rows.clear();
      found = draw();
      drawn.current.rows.set(row, found);
    }
    return found;
  };
}
