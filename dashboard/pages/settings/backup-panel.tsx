// How to keep a copy: whether backups are made by the clock, one made now, those that there are, and the line for a shell.

import { useState } from 'preact/hooks';
import type { Result } from '../../server/answers.ts';
import { ask, SLOW_WITHIN_MS } from '../../server/ask.ts';
import type { Backups, MadeBackup, Setting } from '../../server/setup-answers.ts';
import { refreshAnswers, useAnswer } from '../../server/use-answer.ts';
import { Button } from '../../ui/button.tsx';
import { CopyBlock } from '../../ui/copy.tsx';
import { fixed } from '../../ui/numbers.ts';
import { Panel } from '../../ui/panel.tsx';
import { RefusedWords } from '../../ui/refused.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Unanswered } from '../../ui/unanswered.tsx';
import { useAction } from '../../ui/use-action.ts';
import { When } from '../../ui/when.tsx';

const BACKUPS = '/admin/backups';
/** The folder has the others. */
const MOST = 5;
const KIB = 1024;
const MIB = 1024 * KIB;

export function BackupPanel() {
  const { answer, refused } = useAnswer<Result<readonly Setting[]>>('/admin/settings', 30_000);
  const { answer: found, refused: unlisted } = useAnswer<Result<Backups>>(BACKUPS);
  const [made, setMade] = useState<MadeBackup>();
  const now = useAction(async () => {
    setMade(undefined);
    try {
      const question = { method: 'POST', withinMs: SLOW_WITHIN_MS } as const;
      setMade((await ask<Result<MadeBackup>>('/admin/backup', question)).result);
    } finally {
      refreshAnswers(BACKUPS);
    }
  });
  const settingOf = (wanted: string) => answer?.result.find(({ name }) => name === wanted)?.value;
  const dataDir = settingOf('DATA_DIR');
  if (answer === undefined) return <Unanswered title="Backup" refused={refused} />;
  if (dataDir === undefined) return null;
  const folder = settingOf('BACKUP_DIR');
  const isBusy = now.isBusy || found?.result.isRunning === true;
  const line = `npx signalbox backup --data-dir "${dataDir}" --encrypt`;
  if (!folder) return <ByHand dataDir={dataDir} line={line} />;
  return (
    <Panel
      title="Backup"
      aside={
        <Button isSmall disabled={isBusy} onClick={now.run}>
          {isBusy ? 'Backing up…' : 'Back up now'}
        </Button>
      }
    >
      <div class="inside">
        <p class="lead">
          <Kept every={settingOf('BACKUP_EVERY')} folder={folder} />{' '}
          {settingOf('SIGNALBOX_BACKUP_PASSPHRASE') ? (
            'They are encrypted: without the passphrase they are lost.'
          ) : (
            <>
              They are not encrypted: set <code>SIGNALBOX_BACKUP_PASSPHRASE</code>, or say this line, which asks for
              one.
            </>
          )}
        </p>
        <CopyBlock label="the line that backs up" text={line} />
        <RefusedWords words={now.refused ?? unlisted?.message} />
        {made !== undefined && (
          <p role="status" class="done up">
            The backup is made, and was read back: <code>{made.file}</code>, {sizeOf(made)}.
          </p>
        )}
      </div>
      {found !== undefined && <BackupList backups={found.result.backups} />}
    </Panel>
  );
}

const Kept = ({ every, folder }: { readonly every: string | undefined; readonly folder: string }) =>
  every ? (
    <>
      Signalbox makes a backup of itself every {every}, in <code>{folder}</code>; one that fails is an alarm.
    </>
  ) : (
    <>
      Backups go to <code>{folder}</code>. None are made by the clock: set <code>BACKUP_EVERY</code>.
    </>
  );

const ByHand = ({ dataDir, line }: { readonly dataDir: string; readonly line: string }) => (
  <Panel title="Backup" aside={<code>{dataDir}</code>}>
    <div class="inside">
      <p class="lead">
        No backups are made by the clock: set <code>BACKUP_EVERY</code> and <code>BACKUP_DIR</code>; with a folder there
        is a button here too. This line makes one now, while Signalbox runs, and proves that it can be read. It asks for
        a passphrase: without it the file is lost.
      </p>
      <CopyBlock label="the line that backs up" text={line} />
    </div>
  </Panel>
);

const BackupList = ({ backups }: { readonly backups: readonly MadeBackup[] }) =>
  backups.length === 0 ? (
    <p class="empty">There is no backup yet.</p>
  ) : (
    <>
      <Table label="Backups" columns={COLUMNS} rows={backups.slice(0, MOST)} keyOf={({ file }) => file} />
      {backups.length > MOST && <p class="hint">and {backups.length - MOST} older ones</p>}
    </>
  );

const sizeOf = ({ bytes }: MadeBackup): string =>
  bytes < MIB ? `${fixed(bytes / KIB, 0)} KiB` : `${fixed(bytes / MIB, 1)} MiB`;
const nameOf = ({ file }: MadeBackup): string =>
  file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1);

const COLUMNS: readonly Column<MadeBackup>[] = [
  { title: 'Time', cell: ({ madeAt }) => <When atMs={madeAt} nowMs={Date.now()} /> },
  { title: 'Size', isNumber: true, cell: sizeOf },
  { title: 'File', cell: (backup) => <code class="value">{nameOf(backup)}</code> },
];
