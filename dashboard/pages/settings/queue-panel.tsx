// The queue mode: what a sender is answered, and what happens while an exchange is away.

import { useState } from 'preact/hooks';
import type { Result } from '../../server/answers.ts';
import { ask } from '../../server/ask.ts';
import { refreshAnswers, useAnswer } from '../../server/use-answer.ts';
import { Panel } from '../../ui/panel.tsx';
import { RefusedWords } from '../../ui/refused.tsx';
import { isSetByEnvironment, SetByEnvironment } from '../../ui/set-by-environment.tsx';
import { Unanswered } from '../../ui/unanswered.tsx';
import { useAction } from '../../ui/use-action.ts';

const PATH = '/admin/queue-mode';
const MODES = [
  ['failover', 'Answer after the trade; while the exchange is away the signal waits and is tried again.'],
  ['direct', 'Answer after the trade; while the exchange is away the signal is refused.'],
  ['async', 'Answer as soon as the signal is on disk, and trade then.'],
] as const;

interface QueueMode extends Result<{ readonly mode: string }> {
  readonly source: string;
}

export function QueuePanel() {
  const { answer, refused: unanswered } = useAnswer<QueueMode>(PATH);
  /** Chosen, and not yet in the answer. */
  const [wanted, setWanted] = useState<string>();
  const { isBusy, refused, run } = useAction(async (mode: string) => {
    setWanted(mode);
    try {
      await ask(PATH, { method: 'PUT', body: { mode } });
      refreshAnswers();
    } catch (error) {
      setWanted(undefined);
      throw error;
    }
  });
  if (answer === undefined) return <Unanswered title="Queue mode" refused={unanswered} />;
  const shown = wanted ?? answer.result.mode;
  return (
    <Panel title="Queue mode">
      <fieldset class="choices" disabled={isBusy || isSetByEnvironment(answer.source)}>
        <legend class="sr-only">Queue mode</legend>
        {MODES.map(([mode, words]) => (
          <label key={mode}>
            <input type="radio" name="queue-mode" checked={shown === mode} onChange={() => run(mode)} />
            <span>
              <strong>{mode}</strong>
              <small>{words}</small>
            </span>
          </label>
        ))}
      </fieldset>
      <RefusedWords words={refused} />
      {isSetByEnvironment(answer.source) && <SetByEnvironment setting="QUEUE_MODE" source={answer.source} />}
    </Panel>
  );
}
