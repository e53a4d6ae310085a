// A list as a file for a spreadsheet: made by the server, all rows that the filters leave, loaded here or not.

import { pathWith } from '../../server/use-feed-list.ts';

interface CsvLinkProps {
  readonly path: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  /** What is in it, where a page has several. */
  readonly what?: string;
}

export const CsvLink = ({ path, query, what }: CsvLinkProps) => (
  <a class="button small" href={pathWith(path, { ...query, format: 'csv' })} download>
    {what === undefined ? 'CSV' : `${what}, CSV`}
  </a>
);
