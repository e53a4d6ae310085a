// Keys of the analysis and of the script library: what they have used. Who has the key may look; nothing is kept here.

import { useState } from 'preact/hooks';
import { ask } from '../../server/ask.ts';
import { Button } from '../../ui/button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Field } from '../../ui/field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { RefusedWords } from '../../ui/refused.tsx';
import { useAction } from '../../ui/use-action.ts';
import { type Usage, usageFacts, usagePathOf } from './key-usage.ts';

export function UsagePanel() {
  const [key, setKey] = useState('');
  const [usage, setUsage] = useState<Usage>();
  const { isBusy, refused, run } = useAction(async () => {
    setUsage(undefined);
    const path = usagePathOf(key.trim());
    if (path === undefined) throw new Error('That is neither an analysis key (pyn_…) nor a script key (pn_…).');
    setUsage(await ask<Usage>(path, { headers: { authorization: `Bearer ${key.trim()}` } }));
  });
  const submit = (event: Event): void => {
    event.preventDefault();
    void run();
  };
  return (
    <Panel title="Analysis and script keys" aside="what they have used">
      <form class="inside" onSubmit={submit}>
        <p class="lead">
          These keys belong to those who have them: paste one to see its calls against its quota. It is not kept.
        </p>
        <div class="add-line">
          <Field label="Key, pyn_… or pn_…">
            {(tied) => (
              <input
                {...tied}
                type="password"
                autocomplete="off"
                value={key}
                onInput={(event) => setKey(event.currentTarget.value)}
              />
            )}
          </Field>
          <Button type="submit" disabled={isBusy || key.trim() === ''}>
            Show its usage
          </Button>
        </div>
        <RefusedWords words={refused} />
      </form>
      {usage !== undefined && <Facts facts={usageFacts(usage, Date.now())} />}
    </Panel>
  );
}
