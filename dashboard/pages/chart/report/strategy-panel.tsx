// The panel below the chart: what a strategy on it came to, its trades, and the search for better inputs.

import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ShownScript } from '../../../chart/placed-scripts.ts';
import type { InputValues } from '../../../editor/input-fields.ts';
import type { ScriptRun, ScriptState } from '../../../engine/script-run.ts';
import { Button } from '../../../ui/button.tsx';
import { NARROW, useMedia } from '../../../ui/media.ts';
import { gainOrLoss, signed } from '../../../ui/numbers.ts';
import { Separator } from '../../../ui/separator.tsx';
import { Tabs, tabId } from '../../../ui/tabs.tsx';
import type { ChosenScript } from '../chart-choice.ts';
import type { ChartSession } from '../chart-session.ts';
import { troubleOf } from '../trouble.ts';
import { honestWords } from './honest-words.ts';
import { LEAST_HEIGHT_PX, type PanelMemory, rememberPanel, storedPanel } from './panel-memory.ts';
import { currencyOf, metric } from './report-figures.ts';
import { ReportView } from './report-view.tsx';
import { SearchView } from './search-view.tsx';
import './strategy-panel.css';
import { showTrade } from './trade-in-view.ts';
import { TradesView } from './trades-view.tsx';

export interface StrategyPanelProps {
  readonly session: ChartSession;
  /** Puts other values of inputs on the chart, by title; only those that are not the script's own. */
  readonly onInputs: (id: string, inputs: InputValues) => void;
}

interface Strategy {
  readonly script: ChosenScript;
  readonly run: ScriptRun;
  readonly state: ScriptState;
  readonly shown: ShownScript | undefined;
}

/** Of the height of the window. */
const MOST_SHARE = 0.7;

export function StrategyPanel({ session, onInputs }: StrategyPanelProps) {
  const isNarrow = useMedia(NARROW);
  const [panel, setPanel] = useState(() => storedPanel(isNarrow));
  const [chosen, setChosen] = useState<string>();
  const strategies = useStrategies(session);
  const strategy = strategies.find(({ script }) => script.id === chosen) ?? strategies[0];
  // At once: who closes it and leaves means it.
  useLayoutEffect(() => rememberPanel(panel), [panel]);
  if (strategy === undefined) return null;
  const change = (part: Partial<PanelMemory>): void => setPanel((before) => ({ ...before, ...part }));
  if (!panel.isOpen) return <ClosedPanel strategy={strategy} onOpen={() => change({ isOpen: true })} />;
  return (
    <OpenPanel
      {...{ session, onInputs, strategy, panel, change }}
      choice={
        strategies.length > 1 && (
          <select
            aria-label="Strategy"
            value={strategy.script.id}
            onChange={({ currentTarget }) => setChosen(currentTarget.value)}
          >
            {strategies.map(({ script }) => (
              <option key={script.id} value={script.id}>
                {script.name}
              </option>
            ))}
          </select>
        )
      }
    />
  );
}

/** A script that once was a strategy stays one while it runs again and while it fails: the panel does not come and go. */
function useStrategies(session: ChartSession): readonly Strategy[] {
  const known = useRef(new Set<string>());
  return session.scripts().filter(({ script, shown }) => {
    if (shown !== undefined && shown.strategy === null) known.current.delete(script.id);
    else if (shown !== undefined) known.current.add(script.id);
    return known.current.has(script.id);
  });
}

function ClosedPanel({ strategy, onOpen }: { readonly strategy: Strategy; readonly onOpen: () => void }) {
  const answer = strategy.shown?.strategy;
  const netProfit = answer ? metric(answer.metrics, 'net_profit') : null;
  return (
    <div class="strategy-bar">
      <strong>{strategy.script.name}</strong>
      {answer && (
        <span class={isOld(strategy) ? 'quiet' : gainOrLoss(netProfit)}>
          {signed(netProfit)} {currencyOf(answer)}
          {isOld(strategy) && ', of the last version that ran'}
        </span>
      )}
      <Button isSmall expanded={false} onClick={onOpen}>
        Open the report
      </Button>
    </div>
  );
}

interface OpenPanelProps extends StrategyPanelProps {
  readonly strategy: Strategy;
  readonly panel: PanelMemory;
  readonly change: (part: Partial<PanelMemory>) => void;
  readonly choice: preact.ComponentChildren;
}

function OpenPanel({ session, onInputs, strategy, panel, change, choice }: OpenPanelProps) {
  const id = useId();
  const place = useRef<HTMLElement>(null);
  const { tab, heightPx } = panel;
  useEffect(() => place.current?.style.setProperty('--panel-height', `${heightPx}px`), [heightPx]);
  const { script, shown } = strategy;
  const answer = shown?.strategy;
  const { ground } = strategy.run;
  return (
    <section ref={place} class="strategy-panel" aria-label="Strategy report">
      <Separator
        label="Height of the report"
        orientation="horizontal"
        value={heightPx}
        min={LEAST_HEIGHT_PX}
        max={Math.max(LEAST_HEIGHT_PX, Math.round(innerHeight * MOST_SHARE))}
        onChange={(height) => change({ heightPx: height })}
      />
      <header>
        {choice || <strong class="name">{script.name}</strong>}
        <Tabs
          label="Of the strategy"
          tabs={[
            ['report', 'Report'],
            ['trades', answer ? `Trades ${answer.trades.length}` : 'Trades'],
            ['search', 'Search'],
          ]}
          chosen={tab}
          onChoose={(next) => change({ tab: next })}
          panelId={id}
        />
        <Button isSmall label="Close the report" onClick={() => change({ isOpen: false })}>
          ×
        </Button>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard */}
      <div id={id} class="tab-panel" role="tabpanel" aria-labelledby={tabId(id, tab)} tabIndex={0} data-scrolls>
        <Trouble state={strategy.state} isOldShown={answer != null && tab !== 'search'} />
        {tab !== 'search' && (
          <div class={isOld(strategy) ? 'of-old' : undefined}>
            <Outcome session={session} strategy={strategy} tab={tab} />
          </div>
        )}
        {/* Hidden and not gone, so that a search goes on while its report is looked at. */}
        <div hidden={tab !== 'search'}>
          <SearchView
            key={`${script.id} ${ground?.symbol.ticker} ${ground?.timeframe}`}
            isShown={tab === 'search'}
            source={session.feedState.source}
            run={strategy.run}
            result={shown?.result}
            onInputs={(inputs) => onInputs(script.id, inputs)}
          />
        </div>
      </div>
    </section>
  );
}

/** Whether what is shown is of an earlier version, because the present one does not run. */
const isOld = ({ state, shown }: Strategy): boolean => shown !== undefined && troubleOf(state) !== undefined;

interface TroubleProps {
  readonly state: ScriptState;
  readonly isOldShown: boolean;
}

function Trouble({ state, isOldShown }: TroubleProps) {
  const words = troubleOf(state);
  return words === undefined ? null : (
    <div class="trouble" role="alert">
      <p>It does not run: {words}</p>
      {isOldShown && <p>What stands below is of the last version that ran.</p>}
    </div>
  );
}

interface OutcomeProps {
  readonly session: ChartSession;
  readonly strategy: Strategy;
  readonly tab: 'report' | 'trades';
}

/** Drawn anew only when the strategy has run again: the page around it changes with every move of the crosshair. */
function Outcome({ session, strategy: { shown, run, script }, tab }: OutcomeProps) {
  const { source } = session.feedState;
  return useMemo(() => {
    const answer = shown?.strategy;
    const bars = run.ground?.bars;
    if (shown === undefined || !answer || bars === undefined) return null;
    const isReplay = session.replay.state.isOn;
    const honest = honestWords({ bars, result: shown.result, trades: answer.trades.length, source, isReplay });
    if (tab === 'report') return <ReportView strategy={answer} honest={honest} />;
    return (
      <TradesView
        strategy={answer}
        bars={bars}
        name={script.name}
        csv={() => run.tradesCsv()}
        onShow={(trade) => session.bars && showTrade(session.chart, session.bars, trade)}
      />
    );
  }, [shown?.run, shown?.strategy, source, tab, run, script.name]);
}
