// What a script wrote with log.info(), log.warning() and log.error(), the newest first.

import type { BarColumns, RunResult } from '../../../../src/pine/index.ts';
import { barTime, isByDay } from '../../../chart/bar-times.ts';
import './script-log.css';

export interface ScriptLogProps {
  /** Undefined while it has not run. */
  readonly result: RunResult | undefined;
  /** Those it ran over. */
  readonly bars: BarColumns | undefined;
}

/** More nobody reads, and each is an element of the page. */
const MOST_SHOWN = 200;

export function ScriptLog({ result, bars }: ScriptLogProps) {
  if (result === undefined) return <p class="quiet">It is known once the script runs.</p>;
  const { logs } = result;
  if (logs.length === 0)
    return (
      <p class="quiet">
        Nothing was written. <code>log.info("close {'{0}'}", close)</code> in the code writes a line here.
      </p>
    );
  const isDay = isByDay(bars);
  const left = logs.length - MOST_SHOWN + result.meta.droppedLogs;
  return (
    <>
      <ol class="script-log">
        {logs
          .slice(-MOST_SHOWN)
          .reverse()
          .map(({ level, message, barIndex, line }, index) => (
            <li key={`${barIndex} ${line} ${index}`} class={level}>
              <span class="quiet mono">
                {bars?.time[barIndex] === undefined ? '' : barTime(bars.time[barIndex], isDay)} line {line}
              </span>
              <span>
                {level !== 'info' && <strong>{level}: </strong>}
                {message}
              </span>
            </li>
          ))}
      </ol>
      {left > 0 && <p class="quiet">And {left.toLocaleString('en-US')} before them.</p>}
    </>
  );
}
