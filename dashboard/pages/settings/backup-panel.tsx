// How to keep a copy: whether backups are made by the clock, and the line that makes one now.

import type { Result } from '../../server/answers.ts';
import type { Setting } from '../../server/setup-answers.ts';
import { useAnswer } from '../../server/use-answer.ts';
import { CopyBlock } from '../../ui/copy.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Unanswered } from '../../ui/unanswered.tsx';

export function BackupPanel() {
  const { answer, refused } = useAnswer<Result<readonly Setting[]>>('/admin/settings', 30_000);
  const settingOf = (wanted: string) => answer?.result.find(({ name }) => name === wanted)?.value;
  const folder = settingOf('DATA_DIR');
  if (answer === undefined) return <Unanswered title="Backup" refused={refused} />;
  if (folder === undefined) return null;
  const [every, into] = [settingOf('BACKUP_EVERY'), settingOf('BACKUP_DIR')];
  return (
    <Panel title="Backup" aside={<code>{folder}</code>}>
      <div class="inside">
        <p class="lead">
          {every ? (
            <>
              Signalbox makes a backup of itself every {every}, in <code>{into}</code>; one that fails is an alarm.
            </>
          ) : (
            <>
              No backups are made by the clock: set <code>BACKUP_EVERY</code> and <code>BACKUP_DIR</code>.
            </>
          )}{' '}
          This line makes one now, while Signalbox runs, and proves that it can be read. It asks for a passphrase:
          without it the file is lost.
        </p>
        <CopyBlock label="the line that backs up" text={`npx signalbox backup --data-dir "${folder}" --encrypt`} />
      </div>
    </Panel>
  );
}
