// Limits, pauses and kill switches: of every key, strategy, account and market that has one, and of any other by its name.

import { useEffect, useState } from 'preact/hooks';
import type { Result } from '../../server/answers.ts';
import { stopWords, useKillSwitch } from '../../server/kill-switch.ts';
import type { Restriction } from '../../server/setup-answers.ts';
import { useAnswer } from '../../server/use-answer.ts';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { Panel } from '../../ui/panel.tsx';
import type { Place } from '../../ui/places.ts';
import { RefusedWords } from '../../ui/refused.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Unanswered } from '../../ui/unanswered.tsx';
import { When } from '../../ui/when.tsx';
import { everyLimitWords, KINDS, kindWords, restrictionOf, type Subject, subjectWords } from './limit-words.ts';
import './limits.css';
import { RESTRICTIONS } from './restriction-changes.ts';
import { SubjectChooser } from './subject-chooser.tsx';
import { askableOf, type SubjectAsking, SubjectQuestion } from './subject-question.tsx';

interface Asking {
  readonly what: SubjectAsking;
  readonly subject: Subject;
  readonly of: Restriction | undefined;
}
type Ask = (what: SubjectAsking, subject: Subject) => void;

export function Limits({ place: { rest } }: { readonly place: Place }) {
  const { answer, refused } = useAnswer<Result<readonly Restriction[]>>(RESTRICTIONS);
  const [subject, setSubject] = useSubject(rest);
  const [asking, setAsking] = useState<Asking>();
  const [said, setSaid] = useState<readonly string[]>([]);
  if (answer === undefined) return <Unanswered title={TITLE} refused={refused} />;
  const rows = answer.result;
  const ask: Ask = (what, about) => {
    setSaid([]);
    setAsking({ what, subject: about, of: restrictionOf(rows, about) });
  };
  return (
    <div class="limits">
      <Everything />
      <OnePanel subject={subject} of={restrictionOf(rows, subject)} onChoose={setSubject} ask={ask} />
      <Panel title={TITLE} aside="in force with the next signal">
        <RefusedWords words={refused && `Not known how it stands now: ${refused.message}`} />
        {said.length > 0 && (
          <ul class="said" role="status">
            {said.map((words) => (
              <li key={words}>{words}</li>
            ))}
          </ul>
        )}
        {rows.length === 0 ? (
          <p class="empty">
            Nothing is limited, paused or stopped by itself: no limit of yours stands in the way of a large order.
            Choose above whom to limit; an account is a good beginning.
          </p>
        ) : (
          <Table label={TITLE} columns={columnsOf(ask)} rows={rows} keyOf={subjectWords} />
        )}
      </Panel>
      {asking !== undefined && <SubjectQuestion {...asking} onChanged={setSaid} onClose={() => setAsking(undefined)} />}
    </div>
  );
}

const TITLE = 'Limits, pauses and switches';

/** The one that a link names, until another is chosen. */
function useSubject([kind, name]: readonly string[]): readonly [Subject, (subject: Subject) => void] {
  const named = KINDS.find(([each]) => each === kind)?.[0];
  const [subject, setSubject] = useState<Subject>({ kind: named ?? 'key', name: name ?? '' });
  useEffect(() => {
    if (named !== undefined) setSubject({ kind: named, name: name ?? '' });
  }, [named, name]);
  return [subject, setSubject];
}

/** The switch over everything is thrown and lifted above every page. */
function Everything() {
  const { switches } = useKillSwitch();
  const words = switches && stopWords(switches, Date.now());
  if (words === undefined) return null;
  return (
    <p class="everything" role="note">
      <strong>{words}.</strong> That switch is over everything, and is lifted by the button above. Those below stay as
      they are.
    </p>
  );
}

interface OnePanelProps {
  readonly subject: Subject;
  readonly of: Restriction | undefined;
  readonly onChoose: (subject: Subject) => void;
  readonly ask: Ask;
}

function OnePanel({ subject, of, onChoose, ask }: OnePanelProps) {
  const about = { ...subject, name: subject.name.trim() };
  return (
    <Panel title="Limit, pause or stop one" aside="a key, a strategy, an account or a market">
      <div class="one">
        <SubjectChooser subject={subject} onChoose={onChoose} />
        <span class="row-buttons">
          {askableOf(of).map(([what, words]) => (
            <Button
              key={what}
              kind={what === 'stop' ? 'danger' : 'quiet'}
              disabled={about.name === ''}
              onClick={() => ask(what, about)}
            >
              {words}…
            </Button>
          ))}
        </span>
      </div>
    </Panel>
  );
}

const columnsOf = (ask: Ask): readonly Column<Restriction>[] => [
  {
    title: 'Whose',
    cell: ({ kind, name }) => (
      <span>
        <span class="quiet">{kindWords(kind)}</span> <strong>{name}</strong>
      </span>
    ),
  },
  { title: 'State', cell: (row) => <StateOf of={row} /> },
  { title: 'Limits', cell: ({ limits }) => <span class="quiet">{everyLimitWords(limits)}</span> },
  {
    title: 'Change it',
    isNumber: true,
    cell: (row) => (
      <span class="row-buttons">
        {askableOf(row).map(([what, words]) => (
          <Button key={what} isSmall label={`${words} ${subjectWords(row)}`} onClick={() => ask(what, row)}>
            {words}…
          </Button>
        ))}
      </span>
    ),
  },
];

function StateOf({ of: { killSwitch, paused, pausedAt, pauseReason } }: { readonly of: Restriction }) {
  if (killSwitch === null && !paused) return <span class="quiet">trades</span>;
  return (
    <ul class="states">
      {killSwitch !== null && (
        <li>
          <Chip tone="down">{killSwitch.scope === 'entries' ? 'entries stopped' : 'stopped'}</Chip>{' '}
          {killSwitch.reason || 'no reason was given'}
          {killSwitch.flatten && ', its positions are closed'}
        </li>
      )}
      {paused && (
        <li>
          <Chip tone="warn">paused</Chip> {pauseReason ?? 'no reason was given'}
          {pausedAt !== null && (
            <>
              , since <When atMs={pausedAt} nowMs={Date.now()} />
            </>
          )}
        </li>
      )}
    </ul>
  );
}
