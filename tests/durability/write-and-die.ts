// A process that writes an archive file, a backup or a restored folder, and is killed as soon as it calls that done.

import { join } from 'node:path';
import { openArchiveFiles } from '../../src/adapters/storage/sqlite/archive/archive-files.ts';
import { restoreFolder } from '../../src/adapters/storage/sqlite/backup/restore-folder.ts';
import { writeBackup } from '../../src/adapters/storage/sqlite/backup/write-backup.ts';
import { OWNER, TRADING } from '../../src/adapters/storage/sqlite/database-files.ts';
import type { ArchiveBatch } from '../../src/trading/books/journal-archive.ts';

const [, , what, folder = '', from = ''] = process.argv;

const batchOf = (seq: number): ArchiveBatch => ({
  ...{ of: 'desk_events', seqs: [seq], month: '2025-03', digest: '' },
  tables: [{ table: 'desk_events', rows: [{ seq, at: seq, kind: 'start', trade_seq: 0, facts: null }] }],
});

const WORK: Readonly<Record<string, () => Promise<unknown>>> = {
  async archive() {
    const files = openArchiveFiles(join(folder, 'archive'));
    for (const seq of [1, 2]) await files.write(batchOf(seq));
  },
  backup: () =>
    writeBackup({
      ...{ dataDir: from, to: join(folder, 'backup.tar.gz'), leftOut: [], passphrase: undefined, withBars: false },
      sources: [TRADING, OWNER].map(({ name }) => ({ name, path: join(from, name), isDatabase: true })),
      ...{ version: '1.0.0', nowMs: () => 1 },
    }),
  restore: () =>
    restoreFolder({
      ...{ file: from, to: join(folder, 'restored'), replace: false, passphrase: undefined, allowUnencrypted: true },
      ...{ nowMs: () => 1, prepare: async () => {} },
    }),
};

await WORK[what ?? '']?.();
process.kill(process.pid, 'SIGKILL');
