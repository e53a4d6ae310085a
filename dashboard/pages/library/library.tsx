// The user's scripts: a list with folders and search, and beside it the one that is open.

import { DRAFT_ID, SCRIPTS, ScriptLibrary, type ScriptSummary } from '../../server/script-library.ts';
import { useAnswer } from '../../server/use-answer.ts';
import type { Place } from '../../ui/places.ts';
import { words } from '../../ui/words.ts';
import { AskForKey, isKeyRefused, ScriptKeyGate } from '../script-key/script-key-gate.tsx';
import { DraftEditor } from './draft-editor.tsx';
import { EmptyLibrary } from './empty-library.tsx';
import './library.css';
import { Unanswered } from '../../ui/unanswered.tsx';
import { ScriptEditor } from './script-editor.tsx';
import { ScriptList } from './script-list.tsx';
import { Versions } from './versions.tsx';

const EVERY_MS = 10_000;

export const Library = ({ place }: { readonly place: Place }) => (
  <ScriptKeyGate what="your scripts">{(key) => <OpenLibrary key={key} scriptKey={key} place={place} />}</ScriptKeyGate>
);

interface OpenLibraryProps {
  readonly scriptKey: string;
  readonly place: Place;
}

function OpenLibrary({ scriptKey, place }: OpenLibraryProps) {
  const { answer, refused } = useAnswer<{ scripts: readonly ScriptSummary[] }>(SCRIPTS, EVERY_MS, scriptKey);
  const [id, part] = place.rest;
  if (isKeyRefused(refused)) return <AskForKey what="your scripts" refused={refused} />;
  if (answer === undefined) return <Unanswered refused={refused} />;
  return (
    <div class={words('library', id !== undefined && 'opened')}>
      <ScriptList scripts={answer.scripts} current={id} />
      <div class="open-script">
        <Opened scriptKey={scriptKey} scripts={answer.scripts} id={id} part={part} />
      </div>
    </div>
  );
}

interface OpenedProps {
  readonly scriptKey: string;
  readonly scripts: readonly ScriptSummary[];
  readonly id: string | undefined;
  readonly part: string | undefined;
}

function Opened({ scriptKey, scripts, id, part }: OpenedProps) {
  const library = new ScriptLibrary(scriptKey);
  if (id === DRAFT_ID) return <DraftEditor library={library} scriptKey={scriptKey} />;
  if (id === undefined)
    return scripts.length === 0 ? (
      <EmptyLibrary library={library} />
    ) : (
      <p class="choose quiet">Choose a script, or begin a new one.</p>
    );
  const summary = scripts.find((script) => script.id === id);
  if (part === 'versions') return <Versions key={id} library={library} id={id} />;
  return <ScriptEditor key={id} library={library} scriptKey={scriptKey} id={id} latest={summary?.revision} />;
}
