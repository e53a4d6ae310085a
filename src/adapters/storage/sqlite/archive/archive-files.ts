// The archive folder of a data folder: one SQLite file for each month, written by a thread of its own.

import { mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { StorageError } from '../../../../errors/storage-error.ts';
import type { ArchiveBatch, ArchiveFiles } from '../../../../trading/books/journal-archive.ts';
import { diskSync } from '../../durable-file.ts';
import { openDatabase, queries } from '../database.ts';
import type { WriteAnswer } from './archive-thread.ts';

const FOLDER = 'archive';
const NAMED = /^\d{4}-\d{2}\.db$/;

export const archiveFolder = (dataDir: string): string => join(dataDir, FOLDER);

export interface OpenedArchiveFiles extends ArchiveFiles {
  close(): Promise<void>;
}

/** One batch at a time. */
export function openArchiveFiles(folder: string): OpenedArchiveFiles {
  let worker: Worker | undefined;
  let isFolderThere = false;
  return {
    async write(batch) {
      if (!isFolderThere) {
        await mkdir(folder, { recursive: true });
        await diskSync.folder(dirname(folder));
        isFolderThere = true;
      }
      worker ??= new Worker(new URL('./archive-thread.ts', import.meta.url));
      return asked(worker, join(folder, `${batch.month}.db`), batch);
    },
    close: async () => void (await worker?.terminate()),
  };
}

function asked(worker: Worker, path: string, batch: ArchiveBatch): Promise<string> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      worker.off('message', answered);
      worker.off('error', failed);
      worker.off('exit', ended);
    };
    const answered = (answer: WriteAnswer): void => {
      end();
      if ('digest' in answer) resolve(answer.digest);
      else reject(new StorageError(answer.error));
    };
    const failed = (error: Error): void => {
      end();
      reject(new StorageError(`${path} could not be written: ${error.message}`, { cause: error }));
    };
    const ended = (): void => failed(new Error('its thread ended'));
    worker.on('message', answered);
    worker.on('error', failed);
    worker.on('exit', ended);
    worker.postMessage({ path, batch });
  });
}

export interface ArchiveFile {
  readonly path: string;
  readonly bytes: number;
  /** As `2025-03`. */
  readonly month: string;
}

/** Oldest first. */
export async function archiveFilesIn(folder: string): Promise<readonly ArchiveFile[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const found = names
    .filter((name) => NAMED.test(name))
    .sort()
    .map(async (name) => {
      const path = join(folder, name);
      return { path, bytes: (await stat(path)).size, month: name.slice(0, -3) };
    });
  return Promise.all(found);
}

/** The file that has a trade; the newest is looked at first. */
export async function findArchived(folder: string, requestId: string): Promise<string | undefined> {
  for (const { path } of (await archiveFilesIn(folder)).toReversed()) {
    const db = openDatabase({ path, readOnly: true });
    try {
      if (queries(db, path)('SELECT 1 FROM trades WHERE request_id = ?', requestId).length > 0) return path;
    } finally {
      db.close();
    }
  }
  return undefined;
}
