// Who gets in: the password, the codes of an authenticator app, and the browsers that are logged in.

import { useState } from 'preact/hooks';
import type { Result } from '../../server/answers.ts';
import { ask, NO_ANSWER } from '../../server/ask.ts';
import { type Entry, useEntry } from '../../server/session.ts';
import { refreshAnswers, useAnswer } from '../../server/use-answer.ts';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { Panel } from '../../ui/panel.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { RefusedWords } from '../../ui/refused.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useAction } from '../../ui/use-action.ts';
import { When } from '../../ui/when.tsx';
import './access.css';
import { Unanswered } from '../../ui/unanswered.tsx';
import { Codes } from './codes.tsx';

export function Access() {
  const entry = useEntry();
  if (entry === undefined || entry === 'lost') return <Unanswered refused={entry && { message: NO_ANSWER }} />;
  return (
    <div class="access">
      <Password entry={entry} />
      {entry.passwordSet && <Codes entry={entry} />}
      <Sessions entry={entry} />
    </div>
  );
}

function Password({ entry: { passwordSet } }: { readonly entry: Entry }) {
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const [isDone, setDone] = useState(false);
  const { isBusy, refused, run } = useAction((work: () => Promise<unknown>) => work());
  const submit = (event: Event): void => {
    event.preventDefault();
    setDone(false);
    void run(async () => {
      await ask('/session/password', { method: 'PUT', body: { password, ...(passwordSet && { current }) } });
      setCurrent('');
      setPassword('');
      setDone(true);
      refreshAnswers();
    });
  };
  return (
    <Panel title="Password" aside={passwordSet ? 'set' : 'not set: open on this machine only'}>
      <form class="access-form" onSubmit={submit}>
        {passwordSet && <PasswordField label="Present password" value={current} onInput={setCurrent} />}
        <PasswordField
          label={passwordSet ? 'New password' : 'Password'}
          hint="All other browsers are logged out when it changes."
          isNew
          value={password}
          onInput={setPassword}
        />
        <Button type="submit" disabled={isBusy}>
          {passwordSet ? 'Change it' : 'Set it'}
        </Button>
        <RefusedWords words={refused} />
        {isDone && <p role="status">The password is set.</p>}
      </form>
    </Panel>
  );
}

interface Session {
  readonly sessionId: string;
  readonly current: boolean;
  readonly lastUsedAt: number;
  readonly endsAt: number;
  readonly address: string;
  readonly userAgent: string;
}

function Sessions({ entry }: { readonly entry: Entry }) {
  const { answer, refused: unanswered } = useAnswer<Result<readonly Session[]>>('/sessions');
  const { refused, run } = useAction((work: () => Promise<unknown>) => work());
  if (answer === undefined) return <Unanswered title="Logged in" refused={unanswered} />;
  const sessions = answer.result;
  const end = (path: string): void =>
    void run(async () => {
      await ask(path, { method: 'DELETE' });
      refreshAnswers();
    });
  const columns: readonly Column<Session>[] = [
    { title: 'Browser', cell: ({ userAgent, current }) => <BrowserName userAgent={userAgent} isCurrent={current} /> },
    { title: 'Address', cell: ({ address }) => <span class="mono">{address}</span> },
    { title: 'Last used', cell: ({ lastUsedAt }) => <When atMs={lastUsedAt} nowMs={Date.now()} /> },
    { title: 'Ends', isExtra: true, cell: ({ endsAt }) => <When atMs={endsAt} nowMs={Date.now()} /> },
    {
      title: 'End it',
      isNumber: true,
      cell: ({ sessionId, address }) => (
        <Button isSmall label={`Log out ${address}`} onClick={() => end(`/sessions/${sessionId}`)}>
          Log out
        </Button>
      ),
    },
  ];
  return (
    <Panel
      title="Logged in"
      aside={
        entry.entry === 'session' && (
          <Button isSmall onClick={() => end('/session')}>
            Log out here
          </Button>
        )
      }
    >
      {sessions.length === 0 ? (
        <p class="empty">Nobody is logged in. On this machine the dashboard opens without a login.</p>
      ) : (
        <Table label="Logged in" columns={columns} rows={sessions} keyOf={({ sessionId }) => sessionId} />
      )}
      {sessions.length > 1 && (
        <p class="access-form">
          <Button onClick={() => end('/sessions')}>Log out all others</Button>
        </p>
      )}
      <RefusedWords words={refused} />
    </Panel>
  );
}

const NAMES = ['Edg', 'OPR', 'Firefox', 'Chrome', 'Safari'] as const;
const SHOWN: Readonly<Partial<Record<string, string>>> = { Edg: 'Edge', OPR: 'Opera' };

function BrowserName({ userAgent, isCurrent }: { readonly userAgent: string; readonly isCurrent: boolean }) {
  const name = NAMES.find((each) => userAgent.includes(`${each}/`));
  const system = /\(([^;)]+)/.exec(userAgent)?.[1];
  return (
    <span title={userAgent}>
      {name === undefined
        ? userAgent.slice(0, 40) || 'unknown'
        : `${SHOWN[name] ?? name}${system ? `, ${system}` : ''}`}{' '}
      {isCurrent && <Chip tone="accent">this one</Chip>}
    </span>
  );
}
