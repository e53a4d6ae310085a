// Which Signalbox this is: release, environment, money, and where everything is written down.

import type { Health, Readiness } from '../../server/answers.ts';
import { useAnswer } from '../../server/use-answer.ts';
import { Chip } from '../../ui/chip.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Unanswered } from '../../ui/unanswered.tsx';

export function InstancePanel() {
  const { answer: health, refused } = useAnswer<Health>('/health', 3_000);
  const { answer: ready } = useAnswer<Readiness>('/ready');
  if (health === undefined) return <Unanswered title="This Signalbox" refused={refused} />;
  const parts = Object.entries(ready?.checks ?? {});
  const unwell = parts.filter(([, outcome]) => !['ok', 'off'].includes(outcome));
  return (
    <Panel title="This Signalbox">
      <Facts
        facts={[
          ['Release', health.release],
          ['Environment', health.environment],
          [
            'Exchanges',
            Object.entries(health.venues)
              .map(([name, mode]) => `${name} ${mode}`)
              .join(', '),
          ],
          ['Prices', health.prices],
          [
            'Parts',
            unwell.length === 0
              ? `all ${parts.length} are well`
              : unwell.map(([name, outcome]) => (
                  <Chip key={name} tone="down">
                    {name}: {outcome}
                  </Chip>
                )),
          ],
          [
            'Every endpoint',
            <a key="docs" href="/docs">
              /docs
            </a>,
          ],
          [
            'Guides',
            <a key="guides" href="#/guides">
              All of them
            </a>,
          ],
        ]}
      />
      {(ready?.warnings.length ?? 0) > 0 && (
        <ul class="warnings" aria-label="Warnings">
          {ready?.warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
