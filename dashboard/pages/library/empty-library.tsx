// A library without scripts: three examples to begin with, each opened as a script of one's own.

import { useState } from 'preact/hooks';
import { DRAFT_ID, type ScriptLibrary } from '../../server/script-library.ts';
import { refreshAnswers } from '../../server/use-answer.ts';
import { Button } from '../../ui/button.tsx';
import { Panel } from '../../ui/panel.tsx';
import { linkTo } from '../../ui/places.ts';
import { useAction } from '../../ui/use-action.ts';
import { CreateOnce } from '../script/create-once.ts';
import { EXAMPLES, type Example } from './examples.ts';

export function EmptyLibrary({ library }: { readonly library: ScriptLibrary }) {
  const [creation] = useState(() => new CreateOnce('_examples'));
  const { isBusy, refused, run } = useAction(async ({ name, load }: Example) => {
    const { id } = await creation.create(library, name, (await load()).default);
    refreshAnswers();
    location.hash = linkTo('library', id);
  });
  return (
    <Panel title="No scripts yet">
      <p class="empty">
        <a href={linkTo('library', DRAFT_ID)}>Write a new one</a>, or open one of these; it becomes a script of your
        own.
      </p>
      <ul class="starters">
        {EXAMPLES.map((example) => (
          <li key={example.name}>
            <div>
              <strong>{example.name}</strong>
              <p class="quiet">{example.words}</p>
            </div>
            <Button label={`Open ${example.name}`} disabled={isBusy} onClick={() => void run(example)}>
              Open
            </Button>
          </li>
        ))}
      </ul>
      {refused !== undefined && (
        <p role="alert" class="empty down">
          {refused}
        </p>
      )}
    </Panel>
  );
}
