// The controls of a replay: one bar more, by itself at a speed, and back to now.

import type { BarColumns } from '../../../src/pine/light.ts';
import { barTime, isByDay } from '../../chart/bar-times.ts';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { type BarReplay, SPEEDS } from './bar-replay.ts';
import './replay-bar.css';

const STEP_BACK_BARS = 10;

export function ReplayBar({ replay, bars }: { readonly replay: BarReplay; readonly bars: BarColumns | undefined }) {
  const { isPlaying, shown, barsPerSecond } = replay.state;
  return (
    <div class="replay-bar" role="toolbar" aria-label="Replay">
      <Chip tone="accent">Replay</Chip>
      <span class="mono">{bars === undefined ? '' : barTime(bars.time[bars.count - 1] ?? 0, isByDay(bars))}</span>
      <Button isSmall onClick={() => replay.begin(shown - STEP_BACK_BARS)}>
        Back {STEP_BACK_BARS} bars
      </Button>
      <Button isSmall onClick={() => replay.step()}>
        Next bar
      </Button>
      <Button isSmall onClick={() => (isPlaying ? replay.pause() : replay.play())}>
        {isPlaying ? 'Pause' : 'Play'}
      </Button>
      <label>
        <span class="sr-only">Speed</span>
        <select value={barsPerSecond} onChange={({ currentTarget }) => replay.setSpeed(Number(currentTarget.value))}>
          {SPEEDS.map((speed) => (
            <option key={speed} value={speed}>
              {speed === 1 ? '1 bar a second' : `${speed} bars a second`}
            </option>
          ))}
        </select>
      </label>
      <Button isSmall onClick={() => replay.end()}>
        Back to now
      </Button>
    </div>
  );
}
