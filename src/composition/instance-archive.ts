// The archive of a data folder as its owner runs it: one run at a time, beside signals or in a command of its own.

import { archiveFilesIn, archiveFolder, openArchiveFiles } from '../adapters/storage/sqlite/archive/archive-files.ts';
import { errorText } from '../errors/error-text.ts';
import type { ArchiveDeps, ArchiveRunState } from '../services/gateway/admin-archive.ts';
import { foregroundTimers } from '../timing/timers.ts';
import { type ArchivableJournal, type ArchiveProgress, archiveJournal } from '../trading/books/journal-archive.ts';

interface InstanceArchiveParts {
  readonly dataDir: string;
  readonly database: ArchiveDeps['database'];
  readonly journal: ArchivableJournal;
  readonly nowMs: () => number;
}

interface Run {
  readonly beforeMs: number;
  readonly progress: ArchiveProgress;
  readonly ended: Promise<void>;
  isRunning: boolean;
  fault: string | undefined;
}

export class InstanceArchive implements ArchiveDeps {
  readonly folder: string;
  readonly database: ArchiveDeps['database'];
  readonly nowMs: () => number;
  readonly #journal: ArchivableJournal;
  readonly #stopping = new AbortController();
  #run: Run | undefined;

  constructor({ dataDir, database, journal, nowMs }: InstanceArchiveParts) {
    this.folder = archiveFolder(dataDir);
    this.database = database;
    this.#journal = journal;
    this.nowMs = nowMs;
  }

  lastRun(): ArchiveRunState | undefined {
    if (this.#run === undefined) return undefined;
    const { beforeMs, isRunning, fault, progress } = this.#run;
    const { trades, rows, months } = progress;
    return { beforeMs, isRunning, fault, trades, rows, months: [...months].sort() };
  }

  begin(beforeMs: number): void {
    const progress: ArchiveProgress = { trades: 0, rows: 0, months: new Set() };
    const run: Run = {
      beforeMs,
      progress,
      isRunning: true,
      fault: undefined,
      ended: this.#archive(beforeMs, progress),
    };
    this.#run = run;
    run.ended
      .catch((error: unknown) => {
        run.fault = errorText(error);
      })
      .finally(() => {
        run.isRunning = false;
      });
  }

  completeFromMs(): Promise<number> {
    return this.#journal.completeFromMs();
  }

  files() {
    return archiveFilesIn(this.folder);
  }

  /** Ends a run between two steps; the next one goes on. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('Signalbox stops; run the archive again to go on'));
    await this.#run?.ended.catch(() => undefined);
  }

  async #archive(beforeMs: number, progress: ArchiveProgress): Promise<void> {
    const files = openArchiveFiles(this.folder);
    try {
      const parts = { journal: this.#journal, files, timers: foregroundTimers };
      await archiveJournal(parts, { beforeMs, progress, signal: this.#stopping.signal });
    } finally {
      await files.close();
    }
  }
}
