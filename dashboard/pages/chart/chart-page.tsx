// The chart: a market over time, what scripts say about it, and what the account holds there; beside it the script under work.

import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { LevelDrag } from '../../chart/level-drag.ts';
import type { Position, Result } from '../../server/answers.ts';
import { useAnswer } from '../../server/use-answer.ts';
import { lazy } from '../../ui/lazy.tsx';
import type { Place } from '../../ui/places.ts';
import { Separator } from '../../ui/separator.tsx';
import { BEGINNING } from '../script/script-text.ts';
import { type AccountLevel, levelsOf, roundedTo } from './account-levels.ts';
import type { ChartChoice } from './chart-choice.ts';
import { useChartKeys } from './chart-keys.ts';
import './chart-page.css';
import { ChartSession } from './chart-session.ts';
import { ChartToolbar, type Choosing } from './chart-toolbar.tsx';
import { Legends } from './legends.tsx';
import { LevelQuestion, type MovedLevel } from './level-question.tsx';
import { LevelsBar } from './levels-bar.tsx';
import { LossQuestion } from './loss-question.tsx';
import { MadeUpPrices } from './made-up-prices.tsx';
import { PaneLines } from './pane-lines.tsx';
import { ReplayBar } from './replay-bar.tsx';
import { StrategyPanel } from './report/strategy-panel.tsx';
import { WIDTH_PX } from './script-panel/panel-room.ts';
import type { ScriptPanelProps } from './script-panel/script-panel.tsx';
import { type OpenedPanel, useScriptPanel } from './script-panel/use-script-panel.ts';
import { type ChosenChart, useChartChoice } from './use-chart-choice.ts';

/** The editor is as large as the chart itself: it comes when it is wanted. */
const ScriptPanel = lazy(
  async (): Promise<ComponentType<ScriptPanelProps>> => (await import('./script-panel/script-panel.tsx')).ScriptPanel,
);

export function ChartPage({ place }: { readonly place: Place }) {
  const chosen = useChartChoice(place);
  const { choice, change, loss } = chosen;
  const [session, canvas] = useSession(choice);
  const [isChoosing, setChoosing] = useState<Choosing>();
  const panel = useScriptPanel(chosen, place);
  useEffect(() => {
    session?.setMarket(choice);
    session?.setScripts(choice.scripts);
  }, [session, choice]);
  useEffect(() => session?.chart.stretch(choice.stretches), [session, choice.stretches]);
  if (session !== undefined) session.openId = panel.room.isOpen ? panel.script?.id : undefined;
  useChartKeys({
    onTimeframe: (timeframe) => change({ timeframe }),
    onMarket: () => setChoosing('market'),
    onPanel: panel.toggle,
  });
  const keepPanes = (): void => session && change({ stretches: session.chart.stretches() });
  return (
    <section class="chart-page" aria-label={`Chart of ${choice.symbol}`}>
      <div class="chart-column">
        <ChartToolbar {...{ chosen, session, panel, isChoosing, setChoosing }} />
        <MadeUpPrices source={session?.feedState.source} />
        {session?.replay.state.isOn && <ReplayBar replay={session.replay} bars={session.bars} />}
        <AccountLevels session={session} symbol={choice.symbol} />
        {/* biome-ignore lint/a11y/noStaticElementInteractions: what is moved in it is kept when pointer or key are let go */}
        <div class="chart-area" onPointerUp={keepPanes} onKeyUp={keepPanes}>
          <div ref={canvas} class="chart-place" />
          {session !== undefined && <PaneLines session={session} />}
          {session !== undefined && <Legends {...{ session, choice, onOpen: panel.open, onRemove: chosen.remove }} />}
          <Message words={session?.feedState.reason ?? panel.refused} />
        </div>
        {session !== undefined && (
          <StrategyPanel session={session} onInputs={(id, inputs) => chosen.edit(id, { inputs })} />
        )}
        <Footer />
      </div>
      {panel.room.isOpen && (
        <ResizablePanel {...{ chosen, panel, session, onIndicators: () => setChoosing('scripts') }} />
      )}
      {loss !== undefined && <LossQuestion loss={loss} />}
    </section>
  );
}

interface ResizablePanelProps {
  readonly chosen: ChosenChart;
  readonly panel: OpenedPanel;
  readonly session: ChartSession | undefined;
  readonly onIndicators: () => void;
}

/** The script panel, and the line that makes it wider. */
const ResizablePanel = ({ chosen, panel, session, onIndicators }: ResizablePanelProps) => {
  const { room, script, changeRoom, open, close, add } = panel;
  const { widthPx, inputsPx } = room;
  return (
    <>
      <Separator
        {...{ label: 'Width of the script panel', orientation: 'vertical', value: widthPx, ...WIDTH_PX }}
        onChange={(width) => changeRoom({ widthPx: width })}
      />
      <ScriptPanel
        key={chosen.turn}
        {...{ choice: chosen.choice, script, widthPx, inputsPx, onIndicators }}
        {...{ onOpen: open, onEdit: chosen.edit, onClose: close }}
        state={session?.underWork?.state}
        bars={session?.bars}
        onInputsPx={(height) => changeRoom({ inputsPx: height })}
        onNew={() => add({ name: 'My script', source: BEGINNING }, true)}
      />
    </>
  );
};

const Message = ({ words }: { readonly words: string | undefined }) =>
  words === undefined ? null : (
    <p class="chart-message" role="alert">
      {words}
    </p>
  );

const Footer = () => (
  <footer class="chart-footer">
    <a href="https://www.tradingview.com/" target="_blank" rel="noopener noreferrer">
      Charts by TradingView Lightweight Charts™
    </a>
  </footer>
);

/** What the account holds in this market: numbers above the chart and lines on it, which are moved after a question. */
function AccountLevels({ session, symbol }: { readonly session: ChartSession | undefined; readonly symbol: string }) {
  const [moved, setMoved] = useState<MovedLevel>();
  const { answer: positions } = useAnswer<Result<readonly Position[]>>('/positions', 2_000);
  const held = (positions?.result ?? []).filter(({ market }) => market === symbol);
  const levels = levelsOf(held);
  const tickOf = ({ position }: AccountLevel): number | undefined => session?.tickSizeAt(position.exchange);
  useLevels(session, levels, {
    rounded: (level, price) => roundedTo(price, tickOf(level)),
    onDropped: (level, price) => setMoved({ level, price }),
  });
  const endMove = (): void => {
    session?.chart.levels.set(levels);
    setMoved(undefined);
  };
  return (
    <>
      <LevelsBar levels={levels} positions={held} onMove={(level) => setMoved({ level, price: level.price })} />
      {moved !== undefined && <LevelQuestion moved={moved} tickSize={tickOf(moved.level)} onClose={endMove} />}
    </>
  );
}

/** The chart lives as long as its place on the page; everything beside it is drawn again when it has something new. */
function useSession(choice: ChartChoice) {
  const canvas = useRef<HTMLDivElement>(null);
  const [session, setSession] = useState<ChartSession>();
  const [, setTurn] = useState(0);
  useEffect(() => {
    if (canvas.current === null) return undefined;
    const opened = new ChartSession(canvas.current, choice, { onChange: () => setTurn((turn) => turn + 1) });
    const restyle = (): void => opened.chart.applyTheme();
    const watch = new MutationObserver(restyle);
    watch.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', restyle);
    setSession(opened);
    return () => {
      watch.disconnect();
      dark.removeEventListener('change', restyle);
      opened.close();
    };
  }, []);
  return [session, canvas] as const;
}

function useLevels(
  session: ChartSession | undefined,
  levels: readonly AccountLevel[],
  moving: {
    readonly rounded: (level: AccountLevel, price: number) => number;
    readonly onDropped: (level: AccountLevel, price: number) => void;
  },
): void {
  const now = useRef({ levels, ...moving });
  now.current = { levels, ...moving };
  const key = JSON.stringify(levels);
  useEffect(() => session?.chart.levels.set(levels), [session, key]);
  useEffect(() => {
    if (session === undefined) return undefined;
    const drag = new LevelDrag(session.place, session.chart, {
      levels: () => now.current.levels,
      rounded: (level, price) => now.current.rounded(level as AccountLevel, price),
      onDropped: (level, price) => now.current.onDropped(level as AccountLevel, price),
    });
    return () => drag.close();
  }, [session]);
}
