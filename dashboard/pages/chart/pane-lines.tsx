// The lines between the panes of the chart: dragged, or moved with the arrow keys, they give the pane below more or less room.

import { Separator } from '../../ui/separator.tsx';
import type { ChartSession } from './chart-session.ts';

/** Room for the line with the values, and a curve below it. */
const LEAST_PX = 48;

export function PaneLines({ session }: { readonly session: ChartSession }) {
  const { chart } = session;
  const panes = chart.panes();
  const nameOf = (id: string): string => session.scripts().find(({ script }) => script.id === id)?.script.name ?? '';
  return (
    <>
      {panes.slice(1).map(({ id, top, height }, above) => (
        <div key={id} class="pane-line" ref={(element) => element?.style.setProperty('top', `${top - 1}px`)}>
          <Separator
            label={`Height of ${nameOf(id)}`}
            orientation="horizontal"
            value={height}
            min={LEAST_PX}
            max={Math.max(LEAST_PX, height + panes[above]!.height - LEAST_PX)}
            onChange={(wanted) => chart.resizePane(id, wanted)}
          />
        </div>
      ))}
    </>
  );
}
