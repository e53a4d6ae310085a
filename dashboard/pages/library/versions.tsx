// The versions of a script: any two of them beside each other, and each can become the current one again.

import { useEffect, useState } from 'preact/hooks';
import { DiffView } from '../../editor/diff-view.tsx';
import type { Refused } from '../../server/ask.ts';
import type { ScriptLibrary, ScriptSummary, StoredScript } from '../../server/script-library.ts';
import { refreshAnswers } from '../../server/use-answer.ts';
import { Button } from '../../ui/button.tsx';
import { linkTo } from '../../ui/places.ts';
import { When } from '../../ui/when.tsx';
import { DangerQuestion } from '../script/questions.tsx';
import { dropUnsaved, isUnsaved } from '../script/unsaved.ts';

export interface VersionsProps {
  readonly library: ScriptLibrary;
  readonly id: string;
}

export function Versions({ library, id }: VersionsProps) {
  const [versions, setVersions] = useState<readonly ScriptSummary[]>();
  const [refused, setRefused] = useState<string>();
  const [chosen, setChosen] = useState<readonly [before: number, after: number]>();
  const [restoring, setRestoring] = useState<ScriptSummary>();
  const load = async (): Promise<void> => {
    try {
      const found = await library.versions(id);
      setVersions(found);
      setChosen([(found[1] ?? found[0])!.revision, found[0]!.revision]);
    } catch (error) {
      setRefused((error as Refused).message);
    }
  };
  useEffect(() => void load(), []);
  const [newest] = versions ?? [];
  if (newest === undefined || versions === undefined || chosen === undefined)
    return refused === undefined ? null : <p role="alert">{refused}</p>;
  const restore = async (): Promise<void> => {
    const { name, content, description, path } = await library.version(id, restoring!.revision);
    const texts = { ...(description !== undefined && { description }), ...(path !== undefined && { path }) };
    await library.save({ id, name, content, ...texts, revision: newest.revision, createdAt: 0, updatedAt: 0 });
    dropUnsaved(id);
    refreshAnswers();
    await load();
  };
  return (
    <section class="versions" aria-label={`Versions of ${newest.name}`}>
      <header>
        <a href={linkTo('library', id)}>← {newest.name}</a>
        <h2>Versions</h2>
        <span class="quiet">The last 50 are kept.</span>
      </header>
      <VersionTable {...{ versions, chosen, onChoose: setChosen, onRestore: setRestoring }} />
      <Compared library={library} id={id} chosen={chosen} />
      {restoring !== undefined && (
        <DangerQuestion
          title={`Restore revision ${restoring.revision}?`}
          words={`It is saved as a new revision; revision ${newest.revision} stays in this list.${
            isUnsaved(id) ? ' What you have written and not saved is dropped.' : ''
          }`}
          {...{ keep: 'Leave it', action: 'Restore it', onDo: restore }}
          onClose={() => setRestoring(undefined)}
        />
      )}
    </section>
  );
}

interface VersionTableProps {
  readonly versions: readonly ScriptSummary[];
  readonly chosen: readonly [before: number, after: number];
  readonly onChoose: (chosen: readonly [number, number]) => void;
  readonly onRestore: (version: ScriptSummary) => void;
}

const VersionTable = ({ versions, chosen: [before, after], onChoose, onRestore }: VersionTableProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard
  <div class="version-table" tabIndex={0}>
    <table aria-label="Versions">
      <thead>
        <tr>
          <th scope="col">From</th>
          <th scope="col">To</th>
          <th scope="col">Revision</th>
          <th scope="col">Saved</th>
          <th scope="col" class="number">
            Bytes
          </th>
          <th scope="col">
            <span class="sr-only">Restore it</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {versions.map((version, index) => (
          <tr key={version.revision}>
            <td>
              <input
                type="radio"
                name="before"
                aria-label={`Compare from revision ${version.revision}`}
                checked={version.revision === before}
                onChange={() => onChoose([version.revision, after])}
              />
            </td>
            <td>
              <input
                type="radio"
                name="after"
                aria-label={`Compare to revision ${version.revision}`}
                checked={version.revision === after}
                onChange={() => onChoose([before, version.revision])}
              />
            </td>
            <td>{index === 0 ? `${version.revision}, current` : version.revision}</td>
            <td>
              <When atMs={version.updatedAt} nowMs={Date.now()} />
            </td>
            <td class="number">{version.contentBytes}</td>
            <td class="number">
              {index > 0 && (
                <Button isSmall label={`Restore revision ${version.revision}`} onClick={() => onRestore(version)}>
                  Restore…
                </Button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

interface ComparedProps extends VersionsProps {
  readonly chosen: readonly [before: number, after: number];
}

function Compared({ library, id, chosen: [before, after] }: ComparedProps) {
  const [texts, setTexts] = useState<readonly [StoredScript, StoredScript]>();
  const [refused, setRefused] = useState<string>();
  useEffect(() => {
    let isWanted = true;
    Promise.all([library.version(id, before), library.version(id, after)]).then(
      (found) => isWanted && setTexts(found),
      (error: Refused) => isWanted && setRefused(error.message),
    );
    return () => {
      isWanted = false;
    };
  }, [before, after]);
  if (texts === undefined) return refused === undefined ? null : <p role="alert">{refused}</p>;
  const [old, young] = texts;
  return (
    <>
      <h3>
        Revision {old.revision} → {young.revision}
        {old.name !== young.name && `, renamed from ${old.name} to ${young.name}`}
      </h3>
      <DiffView
        label={`Revision ${old.revision} and revision ${young.revision}`}
        before={old.content}
        after={young.content}
      />
    </>
  );
}
