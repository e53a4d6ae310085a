// A value for every pair of two others, as a field of cells: the better, the stronger its colour, or red where something was lost and
// green where it was won, the more the stronger. The value stands in the cell where it fits; its words are read out and shown on hover, and the arrow keys go from cell to cell.

import { useMemo, useRef, useState } from 'preact/hooks';
import './heat-map.css';
import { words } from './words.ts';

export interface HeatSide {
  readonly title: string;
  /** One for each column or row. */
  readonly labels: readonly string[];
}

export type HeatKind = 'better' | 'lost' | 'won';

export interface HeatCell {
  /** How strong its colour is, 0 to 1. */
  readonly share: number;
  /** Which colour. */
  readonly side: HeatKind;
  /** Short enough for a cell. */
  readonly text: string;
  /** The whole of it. */
  readonly words: string;
  readonly isBest: boolean;
  /** The one that is in use now. */
  readonly isChosen: boolean;
}

export interface HeatMapProps {
  readonly label: string;
  readonly x: HeatSide;
  readonly y: HeatSide;
  /** Rows from above; undefined where nothing is known. */
  readonly cells: readonly (readonly (HeatCell | undefined)[])[];
  /** The colours that cells may have, for the legend. */
  readonly sides: readonly HeatKind[];
  readonly onChoose: (column: number, row: number) => void;
}

/** More columns than this leave no room for a value in a cell. */
const MOST_WITH_TEXT = 14;
const STEPS: Readonly<Record<string, readonly [column: number, row: number]>> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, 1],
  ArrowUp: [0, -1],
};

export function HeatMap(props: HeatMapProps) {
  const { label, x, y, cells, sides } = props;
  const { table, column, row, follow, press } = useGrid(props);
  return (
    <figure class={words('heat-map', x.labels.length <= MOST_WITH_TEXT && 'roomy')}>
      <Caption x={x} y={y} sides={sides} />
      <div class="field-of-cells">
        {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose cells are gone through is a grid */}
        <table ref={table} role="grid" aria-label={label} onKeyDown={follow} onClick={press}>
          <thead>
            <tr>
              <td />
              {x.labels.map((name, index) => (
                <th key={name} scope="col" class={words(!isShown(index, x) && 'left-out')}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {y.labels.map((name, rowIndex) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                {x.labels.map((columnName, columnIndex) => (
                  <Cell
                    key={columnName}
                    cell={cells[rowIndex]?.[columnIndex]}
                    place={placeWords(x, columnName, y, name)}
                    isStop={columnIndex === column && rowIndex === row}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

/** Where the keyboard is: one cell of all is reached with Tab, the others from there with the arrow keys. */
function useGrid({ x, y, cells, onChoose }: HeatMapProps) {
  const table = useRef<HTMLTableElement>(null);
  const [place, setPlace] = useState<readonly [number, number]>([0, 0]);
  const [column, row] = [inside(place[0], x), inside(place[1], y)];
  const choose = (at: number, down: number): void => {
    if (cells[down]?.[at] !== undefined) onChoose(at, down);
  };
  const follow = (event: KeyboardEvent): void => {
    const step = STEPS[event.key];
    if (step !== undefined) {
      const next = [inside(column + step[0], x), inside(row + step[1], y)] as const;
      setPlace(next);
      table.current?.querySelectorAll('tbody tr')[next[1]]?.querySelectorAll('td')[next[0]]?.focus();
    } else if (event.key === 'Enter' || event.key === ' ') choose(column, row);
    else return;
    event.preventDefault();
  };
  const press = (event: MouseEvent): void => {
    const cell = (event.target as Element).closest('td');
    const line = cell?.closest<HTMLTableRowElement>('tbody tr');
    if (!cell || !line) return;
    // Before the cells and above the rows stand their labels.
    const [at, down] = [cell.cellIndex - 1, line.rowIndex - 1];
    setPlace([at, down]);
    choose(at, down);
  };
  return { table, column, row, follow, press };
}

const Caption = ({ x, y, sides }: Pick<HeatMapProps, 'x' | 'y' | 'sides'>) => (
  <figcaption>
    <span>
      across: <strong>{x.title}</strong>
    </span>
    {y.title !== '' && (
      <span>
        down: <strong>{y.title}</strong>
      </span>
    )}
    {sides.map((side) => (
      <span key={side} class={`swatch ${side}`}>
        {side}
      </span>
    ))}
    <span class="best">the best</span>
    <span class="chosen">in use</span>
  </figcaption>
);

const inside = (place: number, { labels }: HeatSide): number => Math.min(labels.length - 1, Math.max(0, place));

/** Of many columns a label here and there says enough. */
const isShown = (index: number, { labels }: HeatSide): boolean =>
  index % Math.ceil(labels.length / MOST_WITH_TEXT) === 0;

const placeWords = (x: HeatSide, column: string, y: HeatSide, row: string): string =>
  y.title === '' ? `${x.title} ${column}` : `${x.title} ${column}, ${y.title} ${row}`;

interface CellProps {
  readonly cell: HeatCell | undefined;
  readonly place: string;
  readonly isStop: boolean;
}

/** Drawn again only when it has changed: a field of hundreds of cells is shown anew several times a second. */
function Cell({ cell, place, isStop }: CellProps) {
  const told = `${place}: ${cell?.words ?? 'not known yet'}`;
  const heat = `${Math.round(MOST_HEAT * (cell?.share ?? 0))}%`;
  const look = words(cell === undefined ? 'unknown' : cell.side, cell?.isBest && 'best', cell?.isChosen && 'chosen');
  return useMemo(
    () => (
      <td
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a cell of a grid is gone to and pressed
        role="gridcell"
        tabIndex={isStop ? 0 : -1}
        class={look}
        aria-label={told}
        title={told}
        // Drawn by the stylesheet: what is read out has the whole of it.
        data-text={cell?.text ?? ''}
        ref={(element) => element?.style.setProperty('--heat', heat)}
      />
    ),
    [told, heat, look, isStop, cell?.text],
  );
}

/** With more of it a text on it could not be read. */
const MOST_HEAT = 50;
