// The newest signals, every one of them, with what became of it and why.

import { Chip } from '../../ui/chip.tsx';
import { plain } from '../../ui/numbers.ts';
import { Panel } from '../../ui/panel.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import type { Signal } from './latest-signals.ts';

export const SignalsPanel = ({ signals }: { readonly signals: readonly Signal[] }) => (
  <Panel title="Latest signals" aside="every one, traded or not">
    {signals.length === 0 ? (
      <p class="empty">
        No signal has come in yet. The line that <code>npm start</code> has printed sends one.
      </p>
    ) : (
      <Table label="Latest signals" columns={COLUMNS} rows={signals} keyOf={({ id }) => id} />
    )}
  </Panel>
);

const COLUMNS: readonly Column<Signal>[] = [
  { title: 'Time', cell: ({ at }) => <When atMs={at} nowMs={Date.now()} /> },
  { title: 'Market', cell: ({ market }) => <strong>{market}</strong> },
  { title: 'Action', cell: ({ action }) => action },
  { title: 'Quantity', isNumber: true, cell: ({ quantity }) => plain(quantity) },
  { title: 'Outcome', cell: ({ outcome, tone }) => <Chip tone={tone}>{outcome}</Chip> },
  { title: 'Why', cell: ({ why }) => <span class="why">{why}</span> },
  { title: 'From', isExtra: true, cell: ({ from }) => <span class="quiet">{from}</span> },
];
