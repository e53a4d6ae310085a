// /admin/backup and /admin/backups: the owner has a backup of the running instance made now, and sees those that there are.

import { z } from 'zod';
import { errorText } from '../../errors/error-text.ts';
import type { App } from '../../http/app.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import { type InternalGate, internalGates } from '../../http/internal-auth.ts';
import { mountEndpoints } from '../../http/mount-endpoints.ts';
import { answer, TAGS } from './admin-answers.ts';
import { NO_QUERY, readQuery } from './read-query.ts';
import { ok, refused } from './responses.ts';
import { described } from './schemas.ts';

export interface BackupFile {
  readonly path: string;
  readonly bytes: number;
  readonly madeAtMs: number;
  readonly isEncrypted: boolean;
}

/** Where BACKUP_DIR is set. */
export interface BackupsDeps {
  readonly folder: string;
  /** One that the clock has begun counts too. */
  readonly isRunning: boolean;
  make(): Promise<BackupFile>;
  /** Newest first. */
  list(): Promise<readonly BackupFile[]>;
}

export const backupSchema = z.object({
  file: described(z.string(), 'On the machine of this instance'),
  bytes: z.number().int(),
  madeAt: z.number().int(),
  isEncrypted: described(z.boolean(), 'Whether SIGNALBOX_BACKUP_PASSPHRASE was set'),
});

export const backupsSchema = z.object({
  folder: described(z.string().nullable(), 'BACKUP_DIR; null where it is not set'),
  isRunning: described(z.boolean(), 'Whether one is being made now, by the clock or by its owner'),
  backups: described(z.array(backupSchema), 'Newest first'),
});

const FAILED = refused('BACKUP_FAILED: in words, with the remedy');

/** Without a folder the doors say so. */
export const mountBackups = (app: App, backups: BackupsDeps | undefined, gate: InternalGate): void =>
  mountEndpoints(app, backupEndpoints(backups), internalGates(gate));

const backupEndpoints = (backups: BackupsDeps | undefined): readonly Endpoint[] => [
  {
    method: 'post',
    path: '/admin/backup',
    summary: 'Make a backup of this instance now, in BACKUP_DIR',
    description:
      'Answers when the file is written and was read back, which takes seconds, or minutes for large databases. Nobody who hangs up ends it. It removes no older one.',
    tags: TAGS,
    responses: {
      ...ok('It is made', backupSchema),
      400: refused('INVALID_QUERY'),
      409: refused('BACKUP_RUNNING, NO_BACKUP_FOLDER'),
      500: FAILED,
    },
    async handler(c) {
      readQuery(c, NO_QUERY);
      if (backups === undefined) throw new Refusal('NO_BACKUP_FOLDER');
      if (backups.isRunning) throw new Refusal('BACKUP_RUNNING');
      return answer(c, view(await orFailed('no backup was made', backups.make())));
    },
  },
  {
    method: 'get',
    path: '/admin/backups',
    summary: 'The backups in BACKUP_DIR',
    tags: TAGS,
    responses: { ...ok('What there is', backupsSchema), 400: refused('INVALID_QUERY'), 500: FAILED },
    async handler(c) {
      readQuery(c, NO_QUERY);
      if (backups === undefined) return answer(c, { folder: null, isRunning: false, backups: [] });
      const { folder, isRunning } = backups;
      const found = await orFailed('the backups cannot be listed', backups.list());
      return answer(c, { folder, isRunning, backups: found.map(view) });
    },
  },
];

async function orFailed<T>(what: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new Refusal('BACKUP_FAILED', `${what}: ${errorText(error)}`, { cause: error });
  }
}

const view = ({ path, bytes, madeAtMs, isEncrypted }: BackupFile) => ({
  file: path,
  bytes,
  madeAt: madeAtMs,
  isEncrypted,
});
