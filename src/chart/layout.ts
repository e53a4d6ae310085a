// Where everything stands: the head, the panes one below the other, the axes; what has no room is left out.

/** Below these sizes, in pixels, a part would only take room from the bars. */
const HEAD_FROM_HEIGHT = 180;
const TIME_AXIS_FROM_HEIGHT = 110;
const VOLUME_FROM_HEIGHT = 130;
const LEGEND_FROM_HEIGHT = 64;
export const VALUE_AXIS_FROM_WIDTH = 180;

const HEAD_HEIGHT = 24;
const TIME_AXIS_HEIGHT = 19;
const LEGEND_HEIGHT = 16;
const BELOW_SHARE = 0.34;
const VOLUME_SHARE = 0.15;

/** Top and bottom of a strip across the picture. */
export interface Strip {
  readonly top: number;
  readonly bottom: number;
}

export interface Layout {
  /** Null where it is left out. */
  readonly head: Strip | null;
  readonly price: Strip;
  readonly volume: Strip | null;
  readonly below: Strip | null;
  readonly timeAxis: Strip | null;
}

export function layoutOf(height: number, wanted: { readonly volume: boolean; readonly below: boolean }): Layout {
  const top = height >= HEAD_FROM_HEIGHT ? HEAD_HEIGHT : 0;
  const bottom = height >= TIME_AXIS_FROM_HEIGHT ? height - TIME_AXIS_HEIGHT : height;
  const body = bottom - top;
  const belowHeight = wanted.below ? Math.round(body * BELOW_SHARE) : 0;
  const hasVolume = wanted.volume && body >= VOLUME_FROM_HEIGHT;
  const volumeHeight = hasVolume ? Math.round((body - belowHeight) * VOLUME_SHARE) : 0;
  const belowTop = bottom - belowHeight;
  const volumeTop = belowTop - volumeHeight;
  return {
    head: top > 0 ? { top: 0, bottom: top } : null,
    price: { top, bottom: volumeTop },
    volume: hasVolume ? { top: volumeTop, bottom: belowTop } : null,
    below: wanted.below ? { top: belowTop, bottom } : null,
    timeAxis: bottom < height ? { top: bottom, bottom: height } : null,
  };
}

/** The line of names and values at the top of a pane takes its own room, so that nothing is drawn through it. */
export const legendHeightOf = ({ top, bottom }: Strip, hasLegend: boolean): number =>
  hasLegend && bottom - top >= LEGEND_FROM_HEIGHT ? LEGEND_HEIGHT : 0;
