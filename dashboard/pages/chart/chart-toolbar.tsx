// What the chart shows: its market, its timeframe, its scripts, and layouts of all that.

import { Button } from '../../ui/button.tsx';
import { OrderTicket } from '../ticket/order-ticket.tsx';
import { ticketOn } from '../ticket/ticket.ts';
import type { ChartSession } from './chart-session.ts';
import './chart-toolbar.css';
import { Feed } from './feed.tsx';
import { LayoutsDialog } from './layouts-dialog.tsx';
import { MarketDialog } from './market-dialog.tsx';
import type { OpenedPanel } from './script-panel/use-script-panel.ts';
import { ScriptsDialog } from './scripts-dialog.tsx';
import { TemplatesDialog } from './templates-dialog.tsx';
import { TIMEFRAMES } from './timeframes.ts';
import type { ChosenChart } from './use-chart-choice.ts';

export type Choosing = 'market' | 'scripts' | 'templates' | 'layouts' | 'order';

export interface ChartToolbarProps {
  readonly chosen: ChosenChart;
  readonly session: ChartSession | undefined;
  readonly isChoosing: Choosing | undefined;
  readonly setChoosing: (what: Choosing | undefined) => void;
  readonly panel: OpenedPanel;
}

export function ChartToolbar(props: ChartToolbarProps) {
  const { chosen, session, panel, setChoosing } = props;
  const { choice, change } = chosen;
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
      <Button onClick={() => setChoosing('templates')}>Templates</Button>
      <Button onClick={() => setChoosing('layouts')}>Layouts</Button>
      <Button disabled={session?.bars === undefined || session.replay.state.isOn} onClick={() => beginReplay(session)}>
        Replay
      </Button>
      {session !== undefined && <Feed state={session.feedState} onStop={() => session.stopLoading()} />}
      <Button onClick={() => setChoosing('order')}>Order…</Button>
      <Button expanded={panel.room.isOpen} title="Ctrl B or ⌘B" onClick={panel.toggle}>
        Script
      </Button>
      <Dialogs {...props} />
    </div>
  );
}

function Dialogs({ chosen, session, panel, isChoosing, setChoosing }: ChartToolbarProps) {
  const { choice, change, put } = chosen;
  const onClose = (): void => setChoosing(undefined);
  if (isChoosing === 'market')
    return <MarketDialog current={choice.symbol} onChoose={(symbol) => change({ symbol })} onClose={onClose} />;
  if (isChoosing === 'scripts') return <ScriptsDialog onAdd={panel.add} onClose={onClose} />;
  if (isChoosing === 'templates') return <TemplatesDialog scripts={choice.scripts} onPut={put} onClose={onClose} />;
  if (isChoosing === 'order') return <OrderTicket start={ticketOn(choice.symbol)} onClose={onClose} />;
  if (isChoosing !== 'layouts') return null;
  // With the heights the panes have now.
  const current = () => ({ ...choice, stretches: session?.chart.stretches() ?? choice.stretches });
  return <LayoutsDialog current={current} onOpen={change} onClose={onClose} />;
}

/** From the middle of what is in view. */
function beginReplay(session: ChartSession | undefined): void {
  const range = session?.chart.api.timeScale().getVisibleLogicalRange();
  if (range != null) session?.replay.begin((range.from + range.to) / 2);
}
