// The backups that a running instance makes of itself in BACKUP_DIR, by the clock or because its owner says so: one at a time.
//
// Each is made in a process of its own: to copy, check and pack takes seconds of a processor, and signals do not wait for it.

import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Config } from '../config.ts';
import type { BackupFile, BackupsDeps } from '../services/gateway/admin-backups.ts';
import { backupsAmong, madeAtMsOf } from './backup-files.ts';
import { namesIn } from './backup-target.ts';

const PROGRAM = fileURLToPath(new URL('./backup-process.ts', import.meta.url));

export interface InstanceBackupParts {
  readonly folder: string;
  /** Makes one in the folder; resolves to its path. */
  readonly make: () => Promise<string>;
  readonly onMade: () => void;
}

export class InstanceBackups implements BackupsDeps {
  readonly #parts: InstanceBackupParts;
  #underWay: Promise<BackupFile> | undefined;

  constructor(parts: InstanceBackupParts) {
    this.#parts = parts;
  }

  get folder(): string {
    return this.#parts.folder;
  }

  get isRunning(): boolean {
    return this.#underWay !== undefined;
  }

  /** Whoever asks while one is being made gets that one. */
  make(): Promise<BackupFile> {
    this.#underWay ??= this.#makeOne().finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  async #makeOne(): Promise<BackupFile> {
    const { folder, make, onMade } = this.#parts;
    const made = await backupIn(folder, basename(await make()));
    onMade();
    return made;
  }

  /** Newest first. The folder is made with the first one. */
  async list(): Promise<readonly BackupFile[]> {
    const { folder } = this.#parts;
    const names = await namesIn(folder);
    const found = backupsAmong(names).map((name) => backupIn(folder, name).catch(noneIfAbsent(undefined)));
    return (await Promise.all(found)).filter((backup) => backup !== undefined);
  }
}

const noneIfAbsent =
  <T>(none: T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code === 'ENOENT') return none;
    throw error;
  };

async function backupIn(folder: string, name: string): Promise<BackupFile> {
  const path = join(folder, name);
  const { size } = await stat(path);
  return { path, bytes: size, madeAtMs: madeAtMsOf(name), isEncrypted: name.endsWith('.sealed') };
}

/** The passphrase comes by the settings, which the process reads itself. */
export const backupInProcess =
  ({ dataDir }: Pick<Config, 'dataDir'>, folder: string) =>
  async (): Promise<string> => {
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, [
      '--disable-warning=ExperimentalWarning',
      PROGRAM,
      dataDir,
      folder,
    ]).catch((error: Error & { readonly stderr?: string }) => {
      throw new Error(error.stderr?.trim() || error.message);
    });
    return stdout;
  };
