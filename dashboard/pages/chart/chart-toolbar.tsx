// What the chart shows: its market, its timeframe, its scripts, and layouts of all that.

import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import type { ChartChoice } from './chart-choice.ts';
import type { ChartSession } from './chart-session.ts';
import './chart-toolbar.css';
import { LayoutsDialog } from './layouts-dialog.tsx';
import { MarketDialog } from './market-dialog.tsx';
import type { FeedState } from './market-feed.ts';
import { ScriptsDialog } from './scripts-dialog.tsx';
import { TIMEFRAMES } from './timeframes.ts';

export type Choosing = 'market' | 'scripts' | 'layouts';

export interface ChartToolbarProps {
  readonly choice: ChartChoice;
  readonly session: ChartSession | undefined;
  readonly isChoosing: Choosing | undefined;
  readonly setChoosing: (what: Choosing | undefined) => void;
  readonly change: (part: Partial<ChartChoice>) => void;
  readonly addScript: (name: string, source: string) => void;
  /** With the heights the panes have now. */
  readonly currentChoice: () => ChartChoice;
}

export function ChartToolbar(props: ChartToolbarProps) {
  const { choice, session, isChoosing, setChoosing, change, addScript, currentChoice } = props;
  const close = (): void => setChoosing(undefined);
  return (
    <div class="chart-toolbar" role="toolbar" aria-label="Chart">
      <Button label={`Market: ${choice.symbol}. Choose another`} onClick={() => setChoosing('market')}>
        {choice.symbol}
      </Button>
      <fieldset class="timeframes">
        <legend class="sr-only">Timeframe</legend>
        {TIMEFRAMES.map(({ name, words }, i) => (
          <button
            key={name}
            type="button"
            title={`${words} (key ${i + 1})`}
            aria-pressed={name === choice.timeframe}
            onClick={() => change({ timeframe: name })}
          >
            {name}
          </button>
        ))}
      </fieldset>
      <Button onClick={() => setChoosing('scripts')}>Indicators</Button>
      <Button onClick={() => setChoosing('layouts')}>Layouts</Button>
      <Button disabled={session?.bars === undefined || session.replay.state.isOn} onClick={() => beginReplay(session)}>
        Replay
      </Button>
      <span class="feed" role="status">
        {session !== undefined && <FeedChip state={session.feedState} />}
      </span>
      {isChoosing === 'market' && (
        <MarketDialog current={choice.symbol} onChoose={(symbol) => change({ symbol })} onClose={close} />
      )}
      {isChoosing === 'scripts' && <ScriptsDialog onAdd={addScript} onClose={close} />}
      {isChoosing === 'layouts' && <LayoutsDialog current={currentChoice} onOpen={change} onClose={close} />}
    </div>
  );
}

/** From the middle of what is in view. */
function beginReplay(session: ChartSession | undefined): void {
  const range = session?.chart.api.timeScale().getVisibleLogicalRange();
  if (range != null) session?.replay.begin((range.from + range.to) / 2);
}

function FeedChip({ state: { status, source } }: { readonly state: FeedState }) {
  if (status === 'loading') return <span class="quiet">Loading bars…</span>;
  if (status === 'refused') return <Chip tone="down">No bars</Chip>;
  if (status === 'lost') return <Chip tone="down">Live bars lost, trying again…</Chip>;
  return (
    <span class="calm">
      <Chip tone={source === 'simulated' ? 'warn' : 'up'}>Live · {source} prices</Chip>
    </span>
  );
}
