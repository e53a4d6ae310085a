// Backups by the clock: when one is due, which are kept, and what is said of one that failed. The files themselves tell when the
// last one was made, so a restart changes nothing.

import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorText } from '../errors/error-text.ts';
import type { Log } from '../http/log.ts';
import { every } from '../timing/every.ts';
import type { Timers } from '../timing/timers.ts';
import type { RaisedAlarms } from '../trading/notifications/raised-alarms.ts';
import { backupsAmong } from './backup-files.ts';
import { namesIn } from './backup-target.ts';

const LOOK_EVERY_MS = 60_000;
/** After one that failed; the alarm stands meanwhile. */
const TRY_AGAIN_MS = 15 * 60_000;
/** The kind of the alarm about one that failed; it is over as soon as one is made. */
export const BACKUP_ALARM = 'backup';

export interface ScheduledBackupParts {
  readonly everyMs: number;
  readonly folder: string;
  readonly keep: number;
  /** Makes one in the folder, or waits for the one that is being made. */
  readonly make: () => Promise<unknown>;
  readonly alarms: Pick<RaisedAlarms, 'stand' | 'over'>;
  readonly log: Pick<Log, 'info'>;
  readonly nowMs: () => number;
  readonly timers: Timers;
}

export class ScheduledBackups {
  readonly #parts: ScheduledBackupParts;
  #notBeforeMs = 0;
  #underWay: Promise<void> | undefined;
  #end = (): void => {};

  constructor(parts: ScheduledBackupParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#end = every(LOOK_EVERY_MS, () => void this.look(), this.#parts.timers);
  }

  stop(): void {
    this.#end();
  }

  /** Makes one if it is time, and never rejects. Two looks at once make one. */
  look(): Promise<void> {
    this.#underWay ??= this.#lookOnce().finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  async #lookOnce(): Promise<void> {
    const { everyMs, folder, nowMs, make, alarms, log } = this.#parts;
    if (nowMs() < this.#notBeforeMs) return;
    let lastMs: number | undefined;
    try {
      lastMs = await newestIn(folder);
      if (lastMs !== undefined && nowMs() - lastMs < everyMs) return;
      await make();
      await this.#removeOld();
      alarms.over(BACKUP_ALARM);
      log.info({ folder }, 'a backup was made');
    } catch (error) {
      this.#notBeforeMs = nowMs() + TRY_AGAIN_MS;
      const last = lastMs === undefined ? 'there is none yet' : `the last one is of ${new Date(lastMs).toISOString()}`;
      alarms.stand(BACKUP_ALARM, `The backup into ${folder} failed, and ${last}: ${errorText(error)}`);
    }
  }

  async #removeOld(): Promise<void> {
    const { folder, keep } = this.#parts;
    for (const name of backupsAmong(await namesIn(folder)).slice(keep)) await rm(join(folder, name));
  }
}

async function newestIn(folder: string): Promise<number | undefined> {
  const [newest] = backupsAmong(await namesIn(folder));
  return newest === undefined ? undefined : (await stat(join(folder, newest))).mtimeMs;
}
