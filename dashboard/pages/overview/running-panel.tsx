// How Signalbox runs, and what somebody should look at.

import type { Result } from '../../server/answers.ts';
import { well } from '../../server/how-it-runs.ts';
import { useAnswer } from '../../server/use-answer.ts';
import { useWellness } from '../../server/use-wellness.ts';
import { Panel } from '../../ui/panel.tsx';
import { ago } from '../../ui/times.ts';
import './running-panel.css';

export function RunningPanel({ lastSignalAtMs }: { readonly lastSignalAtMs: number | undefined }) {
  const { answer: queue } = useAnswer<Result<{ readonly mode: string }>>('/admin/queue-mode');
  const { sights: seen, warnings, wellness } = useWellness();
  if (!queue || !seen) return null;
  const sights = [
    well('Last signal', lastSignalAtMs === undefined ? 'none yet' : ago(lastSignalAtMs, Date.now()), '#/signals'),
    well('Queue', queue.result.mode, '#/settings'),
    ...seen,
  ];
  const troubles = wellness?.troubles.length ?? 0;
  return (
    <Panel title="How it runs" aside={troubles > 0 ? `${troubles} to look at` : undefined}>
      <dl class="sights">
        {sights.map(({ title, words, isUnwell, link }) => (
          <div key={title}>
            <dt>
              <a href={link}>{title}</a>
            </dt>
            <dd class={isUnwell ? 'unwell' : undefined}>
              {isUnwell && <span aria-hidden="true">! </span>}
              {words}
            </dd>
          </div>
        ))}
      </dl>
      {warnings.length > 0 && (
        <ul class="sight-warnings" aria-label="Warnings">
          {warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
