// The chart: a market over time, what scripts say about it, and what the account holds there.

import { useEffect, useRef, useState } from 'preact/hooks';
import { LevelDrag } from '../../chart/level-drag.ts';
import type { Position, Result } from '../../server/answers.ts';
import { useAnswer } from '../../server/use-answer.ts';
import type { Place } from '../../ui/places.ts';
import { type ChartChoice, type ChosenScript, rememberChoice, storedChoice } from './chart-choice.ts';
import './chart-page.css';
import { type AccountLevel, levelsOf, roundedTo } from './account-levels.ts';
import { useChartKeys } from './chart-keys.ts';
import { ChartSession } from './chart-session.ts';
import { ChartToolbar } from './chart-toolbar.tsx';
import { Legends } from './legends.tsx';
import { LevelQuestion, type MovedLevel } from './level-question.tsx';
import { LevelsBar } from './levels-bar.tsx';
import { ReplayBar } from './replay-bar.tsx';

/** A link may name a market: #/chart/ETHUSDT/4h. */
function firstChoice({ rest: [symbol, timeframe] }: Place): ChartChoice {
  const stored = storedChoice();
  return { ...stored, ...(symbol !== undefined && { symbol }), ...(timeframe !== undefined && { timeframe }) };
}

export function ChartPage({ place }: { readonly place: Place }) {
  const [choice, setChoice] = useState(() => firstChoice(place));
  const [session, canvas] = useSession(choice);
  const [isChoosing, setChoosing] = useState<'market' | 'scripts' | 'layouts'>();
  const [moved, setMoved] = useState<MovedLevel>();
  const { answer: positions } = useAnswer<Result<readonly Position[]>>('/positions', 2_000);
  const held = (positions?.result ?? []).filter(({ market }) => market === choice.symbol);
  const levels = levelsOf(held);
  useLevels(session, levels, (level, price) => setMoved({ level, price: roundedTo(price, session?.tickSize) }));
  useEffect(() => {
    session?.setMarket(choice);
    session?.setScripts(choice.scripts);
    rememberChoice(choice);
  }, [session, choice]);
  const change = (part: Partial<ChartChoice>): void => setChoice((before) => ({ ...before, ...part }));
  const addScript = (name: string, source: string): void => {
    const script: ChosenScript = { id: crypto.randomUUID(), name, source };
    setChoice((before) => ({ ...before, scripts: [...before.scripts, script] }));
  };
  useChartKeys({ onTimeframe: (timeframe) => change({ timeframe }), onMarket: () => setChoosing('market') });
  const endMove = (): void => {
    session?.chart.levels.set(levels);
    setMoved(undefined);
  };
  return (
    <section class="chart-page" aria-label={`Chart of ${choice.symbol}`}>
      <ChartToolbar
        {...{ choice, session, isChoosing, setChoosing, change, addScript }}
        currentChoice={() => ({ ...choice, stretches: session?.chart.stretches() ?? choice.stretches })}
      />
      {session?.replay.state.isOn && <ReplayBar replay={session.replay} bars={session.bars} />}
      <LevelsBar levels={levels} positions={held} onMove={(level) => setMoved({ level, price: level.price })} />
      <div class="chart-area">
        <div
          ref={canvas}
          class="chart-place"
          onPointerUp={() => session && change({ stretches: session.chart.stretches() })}
        />
        {session !== undefined && (
          <Legends
            session={session}
            choice={choice}
            onRemove={(id) => change({ scripts: choice.scripts.filter((script) => script.id !== id) })}
          />
        )}
        {session?.feedState.reason !== undefined && (
          <p class="chart-message" role="alert">
            {session.feedState.reason}
          </p>
        )}
      </div>
      <footer class="chart-footer">
        <a href="https://www.tradingview.com/" target="_blank" rel="noopener noreferrer">
          Charts by TradingView Lightweight Charts™
        </a>
      </footer>
      {moved !== undefined && <LevelQuestion moved={moved} tickSize={session?.tickSize} onClose={endMove} />}
    </section>
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
  onDropped: (level: AccountLevel, price: number) => void,
): void {
  const now = useRef({ levels, onDropped });
  now.current = { levels, onDropped };
  const key = JSON.stringify(levels);
  useEffect(() => session?.chart.levels.set(levels), [session, key]);
  useEffect(() => {
    if (session === undefined) return undefined;
    const drag = new LevelDrag(session.place, session.chart, {
      levels: () => now.current.levels,
      onDropped: (level, price) => now.current.onDropped(level as AccountLevel, price),
    });
    return () => drag.close();
  }, [session]);
}
