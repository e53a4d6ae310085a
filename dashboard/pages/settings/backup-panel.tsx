// How to keep a copy: the lines that copy this data folder while Signalbox runs.

import type { Result } from '../../server/answers.ts';
import type { Setting } from '../../server/setup-answers.ts';
import { useAnswer } from '../../server/use-answer.ts';
import { CopyBlock } from '../../ui/copy.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Unanswered } from '../../ui/unanswered.tsx';

export function BackupPanel() {
  const { answer, refused } = useAnswer<Result<readonly Setting[]>>('/admin/settings', 30_000);
  const folder = answer?.result.find(({ name }) => name === 'DATA_DIR')?.value;
  if (answer === undefined) return <Unanswered title="Backup" refused={refused} />;
  if (folder === undefined) return null;
  const lines = `umask 077; mkdir -p backup
for name in signalbox settings scripts; do
  sqlite3 "${folder}/$name.db" "VACUUM INTO 'backup/$name.db'"
done`;
  return (
    <Panel title="Backup" aside={<code>{folder}</code>}>
      <div class="inside">
        <p class="lead">
          Everything is in the data folder. Let SQLite copy it, Signalbox may go on meanwhile; a plain copy of a running
          database may be torn. Keep <code>master.key</code> and the wallet's key file apart from it.
        </p>
        <CopyBlock label="the lines that back up" text={lines} />
      </div>
    </Panel>
  );
}
