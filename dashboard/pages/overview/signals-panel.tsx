// The newest signals, every one of them, with what became of it and why.

import { Chip } from '../../ui/chip.tsx';
import { Panel } from '../../ui/panel.tsx';
import { linkTo } from '../../ui/places.ts';
import { type Column, Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import type { Signal } from '../signals/signal.ts';
import { STRANGERS } from '../signals/signal-filters.ts';
import { SizeWords } from '../trades/size-words.tsx';

interface SignalsPanelProps {
  /** Those under a key of ours. */
  readonly signals: readonly Signal[];
  /** When somebody without one was last refused. */
  readonly strangerAtMs: number | undefined;
}

export const SignalsPanel = ({ signals, strangerAtMs }: SignalsPanelProps) => (
  <Panel title="Latest signals" aside={<a href="#/signals">every one, traded or not</a>}>
    {signals.length === 0 ? (
      <p class="empty">
        No signal has come in yet. The line that <code>npm start</code> has printed sends one, or{' '}
        <a href="#/signals">a test signal from here</a>.
      </p>
    ) : (
      <Table label="Latest signals" columns={COLUMNS} rows={signals} keyOf={({ id }) => id} linkOf={storyOf} />
    )}
    {strangerAtMs !== undefined && (
      <p class="strangers quiet">
        <a href={`#/signals?sender=${STRANGERS}`}>Refused without a key of yours</a>, last{' '}
        <When atMs={strangerAtMs} nowMs={Date.now()} />
      </p>
    )}
  </Panel>
);

/** A refusal is opened in the list. */
const storyOf = ({ id, isTrade }: Signal): string =>
  isTrade ? linkTo('trades', id) : `#/signals?open=${encodeURIComponent(id)}`;

const COLUMNS: readonly Column<Signal>[] = [
  { title: 'Time', cell: ({ at }) => <When atMs={at} nowMs={Date.now()} /> },
  { title: 'Market', cell: ({ market }) => <strong>{market}</strong> },
  { title: 'Action', cell: ({ action }) => action },
  { title: 'Size', isNumber: true, cell: ({ size }) => <SizeWords size={size} /> },
  { title: 'Outcome', cell: ({ outcome, tone }) => <Chip tone={tone}>{outcome}</Chip> },
  { title: 'Why', cell: ({ why }) => <span class="why">{why}</span> },
  { title: 'From', isExtra: true, cell: ({ from }) => <span class="quiet">{from}</span> },
];
