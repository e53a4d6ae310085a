// A list as a table that becomes cards on a phone: columns say how a row is shown, numbers stand right, a row leads to its story.

import type { ComponentChildren } from 'preact';
import './table.css';
import { words } from './words.ts';

export interface Column<Row> {
  readonly title: string;
  /** Numbers stand right. */
  readonly isNumber?: boolean;
  /** Left out on narrow screens. */
  readonly isExtra?: boolean;
  readonly cell: (row: Row) => ComponentChildren;
}

export interface TableProps<Row> {
  /** For who cannot see it. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** Where a row leads; its first cell is the link. */
  readonly linkOf?: (row: Row) => string | undefined;
}

export function Table<Row>({ label, columns, rows, keyOf, linkOf }: TableProps<Row>) {
  return (
    // Who has no pointer scrolls a wide one with the arrow keys.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard
    <div class="table" tabIndex={0}>
      <table aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ title, isNumber, isExtra }) => (
              <th key={title} scope="col" class={words(isNumber && 'number', isExtra && 'extra')}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ title, isNumber, isExtra, cell }, index) => {
                const link = index === 0 ? linkOf?.(row) : undefined;
                return (
                  <td key={title} data-title={title} class={words(isNumber && 'number', isExtra && 'extra')}>
                    {link === undefined ? cell(row) : <a href={link}>{cell(row)}</a>}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
