// Names and values over the panes: the bar under the crosshair, what each script says of it, and what went wrong.

import { compact, decimalsOfPrices, legible, valueText } from '../../../src/chart/painting.ts';
import { barTime, isByDay } from '../../chart/bar-times.ts';
import type { ShownScript } from '../../chart/placed-scripts.ts';
import type { ScriptState } from '../../engine/script-run.ts';
import { fixed, gainOrLoss, percent, signed } from '../../ui/numbers.ts';
import { Working } from '../../ui/working.tsx';
import type { ChartChoice } from './chart-choice.ts';
import type { ChartSession } from './chart-session.ts';
import './legends.css';
import { troubleOf } from './trouble.ts';

interface LegendsProps {
  readonly session: ChartSession;
  readonly choice: ChartChoice;
  readonly onOpen: (id: string) => void;
  readonly onRemove: (id: string) => void;
}

export function Legends({ session, choice, onOpen, onRemove }: LegendsProps) {
  const panes = session.chart.panes();
  const ownPanes = new Set(panes.map(({ id }) => id));
  return (
    <>
      {panes.map(({ id, top }) => (
        <div key={id} class="legend" ref={(element) => element?.style.setProperty('top', `${top}px`)}>
          {id === 'price' && <BarLine session={session} choice={choice} />}
          {session
            .scripts()
            .filter(({ script }) => (id === 'price' ? !ownPanes.has(script.id) : script.id === id))
            .map(({ script, state, shown }) => (
              <p key={script.id} class="script-line">
                <button type="button" class="name" title="Open its code and inputs" onClick={() => onOpen(script.id)}>
                  {script.name}
                </button>
                <button type="button" aria-label={`Remove ${script.name}`} onClick={() => onRemove(script.id)}>
                  ×
                </button>
                {shown !== undefined && <Values session={session} id={script.id} shown={shown} />}
                {state.status === 'running' && session.bars !== undefined && (
                  <Working
                    words={`Running ${script.name}`}
                    share={state.share}
                    onStop={() => session.cancelRun(script.id)}
                  />
                )}
                <Trouble state={state} />
              </p>
            ))}
        </div>
      ))}
    </>
  );
}

/** Of the bar under the crosshair, or of the newest. */
function BarLine({ session, choice }: Pick<LegendsProps, 'session' | 'choice'>) {
  const { bars } = session;
  const index = session.pointed ?? (bars?.count ?? 0) - 1;
  if (bars === undefined || index < 0 || index >= bars.count) return null;
  const decimals = decimalsOfPrices(bars.close, bars.count);
  const [open, close] = [bars.open[index]!, bars.close[index]!];
  const before = index > 0 ? bars.close[index - 1]! : open;
  const change = close - before;
  const letters = { O: open, H: bars.high[index]!, L: bars.low[index]!, C: close };
  return (
    <p class="bar-line">
      <strong>
        {choice.symbol} {choice.timeframe}
      </strong>
      <span class="quiet time">{barTime(bars.time[index]!, isByDay(bars))}</span>
      {Object.entries(letters).map(([letter, value]) => (
        <span key={letter}>
          <span class="quiet">{letter}</span> {fixed(value, decimals)}
        </span>
      ))}
      <span class={gainOrLoss(change)}>
        {signed(change, decimals)} ({percent(change / before)})
      </span>
      <span>
        <span class="quiet">Vol</span> {compact(bars.volume[index]!)}
      </span>
    </p>
  );
}

interface ValuesProps {
  readonly session: ChartSession;
  readonly id: string;
  readonly shown: ShownScript;
}

function Values({ session, id, shown }: ValuesProps) {
  const { precision } = shown.result.meta;
  const contents = session.chart.contentsOf(id);
  const outputs = contents === undefined ? [] : [...contents.all.values()].filter(({ isInLegend }) => isInLegend);
  const newest = (session.bars?.count ?? 0) - 1;
  const pointed = session.pointed ?? newest;
  const hasValue = (at: number): boolean => outputs.some(({ series }) => !Number.isNaN(series[0]?.[at] ?? Number.NaN));
  // A strategy runs when a bar has ended: of the one that forms it has nothing to say yet.
  const isWaiting = shown.strategy !== null && pointed === newest && !hasValue(newest);
  const index = isWaiting ? newest - 1 : pointed;
  return (
    <>
      {outputs.map((output) => {
        const color = legible(output.colorOf('color', index), session.chart.theme.painting);
        return (
          <span
            key={output.title}
            title={isWaiting ? `${output.title}, of the last bar that ended` : output.title}
            ref={(element) => element?.style.setProperty('color', `#${color.toString(16).padStart(8, '0')}`)}
          >
            {valueText(output.series[0]?.[index] ?? Number.NaN, precision)}
          </span>
        );
      })}
    </>
  );
}

function Trouble({ state }: { readonly state: ScriptState }) {
  const words = troubleOf(state);
  if (words === undefined) return null;
  return (
    <span class="trouble" role="alert">
      {words}
    </span>
  );
}
