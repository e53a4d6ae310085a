// How Signalbox runs, and what somebody should look at.

import { useEffect, useRef } from 'preact/hooks';
import type { Result } from '../../server/answers.ts';
import { type Condition, type LastSignal, lastSignalCondition, notKnown, well } from '../../server/how-it-runs.ts';
import type { Shown } from '../../server/shared-answer.ts';
import { useAnswer } from '../../server/use-answer.ts';
import { useWellness } from '../../server/use-wellness.ts';
import { Panel } from '../../ui/panel.tsx';
import { linkTo, turnTo } from '../../ui/places.ts';
import { inUtc } from '../../ui/times.ts';
import { Unanswered } from '../../ui/unanswered.tsx';
import './running-panel.css';

const TITLE = 'How it runs';

interface RunningPanelProps {
  readonly lastSignal: LastSignal;
  /** A link has led to it. */
  readonly isWanted: boolean;
}

export function RunningPanel({ lastSignal, isWanted }: RunningPanelProps) {
  const panel = useRef<HTMLDivElement>(null);
  const queue = queueCondition(useAnswer<Result<{ readonly mode: string }>>('/admin/queue-mode'));
  const { conditions: seen, warnings, wellness } = useWellness();
  const isKnown = queue !== undefined && seen !== undefined && lastSignal !== undefined;
  useEffect(() => {
    if (!isWanted || !isKnown) return;
    panel.current?.scrollIntoView({ block: 'nearest' });
    panel.current?.focus();
    // So that the same link leads here again.
    turnTo(linkTo('overview'));
  }, [isWanted, isKnown]);
  if (!isKnown) return <Unanswered title={TITLE} refused={undefined} />;
  const conditions = [lastSignalCondition(lastSignal, Date.now()), queue, ...seen];
  const troubles = wellness?.troubles.length ?? 0;
  return (
    <div class="running" ref={panel} tabIndex={-1}>
      <Panel title={TITLE} aside={troubles > 0 ? `${troubles} to look at` : undefined}>
        <dl class="conditions">
          {conditions.map((condition) => (
            <ConditionWords key={condition.title} condition={condition} />
          ))}
        </dl>
        {warnings.length > 0 && (
          <ul class="running-warnings" aria-label="Warnings">
            {warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        )}
      </Panel>
    </div>
  );
}

function queueCondition({ answer, refused }: Shown<Result<{ readonly mode: string }>>): Condition | undefined {
  const link = linkTo('settings');
  if (refused !== undefined) return notKnown('Queue', refused.message, link);
  return answer && well('Queue', answer.result.mode, link);
}

function ConditionWords({
  condition: { title, words, isUnwell, isWarned = false, link, atMs },
}: {
  readonly condition: Condition;
}) {
  const isMarked = isUnwell || isWarned;
  return (
    <div>
      <dt>
        <a href={link}>{title}</a>
      </dt>
      <dd class={isMarked ? 'unwell' : undefined} title={atMs === undefined ? undefined : inUtc(atMs)}>
        {isMarked && <span aria-hidden="true">! </span>}
        {words}
      </dd>
    </div>
  );
}
