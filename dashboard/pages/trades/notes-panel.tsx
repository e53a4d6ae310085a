// What the owner has written beside a trade, and its tags: changed in place, and seen by every other tab within seconds.

import { useState } from 'preact/hooks';
import type { TradeDetail } from '../../server/answers.ts';
import { ask } from '../../server/ask.ts';
import { refreshAnswers } from '../../server/use-answer.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { RefusedWords } from '../../ui/refused.tsx';
import { type Action, useAction } from '../../ui/use-action.ts';
import './notes-panel.css';

type Noted = Pick<TradeDetail, 'requestId' | 'note' | 'tags'>;
type Change = { readonly note?: string; readonly tags?: readonly string[] };

/** As the server has them. */
const [MAX_NOTE_CHARS, MAX_TAG_CHARS, MAX_TAGS] = [2000, 32, 10];

export function NotesPanel({ trade }: { readonly trade: Noted }) {
  const [isWriting, setWriting] = useState(false);
  const change = useAction(async (changed: Change) => {
    await ask(`/trades/${encodeURIComponent(trade.requestId)}`, { method: 'PATCH', body: changed });
    refreshAnswers();
    if (changed.note !== undefined) setWriting(false);
  });
  return (
    <Panel
      title="Your notes"
      aside={
        !isWriting && (
          <Button isSmall onClick={() => setWriting(true)}>
            {trade.note === null ? 'Write a note' : 'Edit the note'}
          </Button>
        )
      }
    >
      <div class="notes">
        {isWriting ? (
          <NoteForm trade={trade} change={change} onLeave={() => setWriting(false)} />
        ) : (
          trade.note !== null && <p class="note">{trade.note}</p>
        )}
        <Tags stored={trade.tags} change={change} />
        <RefusedWords words={change.refused} />
      </div>
    </Panel>
  );
}

interface NoteFormProps {
  readonly trade: Noted;
  readonly change: Action<[Change]>;
  readonly onLeave: () => void;
}

function NoteForm({ trade, change, onLeave }: NoteFormProps) {
  // What was there when the writing began: another tab may have changed it since.
  const [before] = useState(trade.note);
  const [text, setText] = useState(before ?? '');
  const save = (event: Event): void => {
    event.preventDefault();
    void change.run({ note: text });
  };
  return (
    <form onSubmit={save}>
      <Field label="Note">
        {(tied) => (
          <textarea
            {...tied}
            rows={4}
            maxLength={MAX_NOTE_CHARS}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        )}
      </Field>
      {trade.note !== before && (
        <p role="alert">
          It was changed elsewhere meanwhile, to: <em>{trade.note ?? 'nothing'}</em>. Saving puts yours in its place.
        </p>
      )}
      <span class="buttons">
        <Button isSmall onClick={onLeave}>
          Leave it
        </Button>
        <Button isSmall kind="filled" type="submit" disabled={change.isBusy}>
          Save the note
        </Button>
      </span>
    </form>
  );
}

function Tags({ stored, change }: { readonly stored: readonly string[]; readonly change: Action<[Change]> }) {
  const [typed, setTyped] = useState('');
  // What was sent counts until the trade is read again, or the next tag would take the last one away.
  const [sent, setSent] = useState({ before: stored, tags: stored });
  const tags = sent.before === stored ? sent.tags : stored;
  const put = async (wanted: readonly string[]): Promise<boolean> => {
    const isDone = await change.run({ tags: wanted });
    if (isDone) setSent({ before: stored, tags: wanted });
    return isDone;
  };
  const add = async (event: Event): Promise<void> => {
    event.preventDefault();
    const tag = typed.trim().toLowerCase();
    if (tag === '') return;
    // What was typed while it was sent is the next one.
    if (tags.includes(tag) || (await put([...tags, tag]))) setTyped((now) => (now === typed ? '' : now));
  };
  return (
    <div class="tags">
      <ul aria-label="Tags">
        {tags.map((each) => (
          <li key={each} class="chip plain">
            <a href={tagLink(each)}>{each}</a>
            <button
              type="button"
              aria-label={`Take the tag ${each} away`}
              disabled={change.isBusy}
              onClick={() => void put(tags.filter((other) => other !== each))}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
      {tags.length < MAX_TAGS && (
        <form onSubmit={add}>
          <input
            aria-label="New tag"
            placeholder="Add a tag, then Enter"
            maxLength={MAX_TAG_CHARS}
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        </form>
      )}
    </div>
  );
}

export const tagLink = (tag: string): string => `#/trades?${new URLSearchParams({ tag })}`;
