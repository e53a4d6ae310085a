// Power cuts for a real process: its folder becomes what a disk might have kept, and everything that was not synced may be gone.
//
//   const power = await preparePowerCuts(dataDir);
//   const running = await startProcess({ dataDir, env: power.env });
//   await running.kill();
//   power.cut('some', new Random(7));      // then the next process finds the folder as after a power cut
//
// power-cuts.c, built with the machine's C compiler, writes down beside the folder what the disk was told; disk-model.ts works out
// what is left. What a process wrote and did not sync stays at risk when it is killed and another follows it.

import { closeSync, mkdirSync, openSync, readdirSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { buildLibrary } from '../preload/build-library.ts';
import type { Random } from '../random.ts';
import type { Remains } from './disk-file.ts';
import { DiskModel } from './disk-model.ts';
import { readRecords } from './records.ts';

const SOURCE = new URL('./power-cuts.c', import.meta.url);
/** The same layout as in power-cuts.c: the number of the last record, and whether syncs lie. */
const CONTROL_BYTES = 16;
const LYING_AT = 8;

export interface PowerCuts {
  /** For the process whose power it is. */
  readonly env: Readonly<Record<string, string>>;
  /** For a folder that no process uses: leaves of the changes that were not synced what the seed says. */
  cut(remains: Remains, random: Random): void;
  /** To be called when a process has ended: what it wrote is read, and its records are removed. */
  settle(): void;
  /** How many changes and syncs there were so far. */
  steps(): number;
  /** Syncs do nothing from now on, and say that they did. */
  lie(isLying: boolean): void;
  /** After `settle`: files that were changed in a way that is not recorded. None, or a cut proves nothing. */
  unrecorded(random: Random): string[];
  close(): void;
}

/** For the files in this folder, which must be there already: its real path is what the library compares with. */
export async function preparePowerCuts(folder: string): Promise<PowerCuts> {
  const library = await buildLibrary(SOURCE);
  const records = `${folder}.power-cuts`;
  mkdirSync(records);
  const fd = openSync(join(records, 'control'), 'w+');
  writeSync(fd, Buffer.alloc(CONTROL_BYTES), 0, CONTROL_BYTES, 0);
  let model = new DiskModel(folder);
  const settle = (): void => {
    model.add(readRecords(records));
    for (const name of readdirSync(records)) if (name !== 'control') rmSync(join(records, name));
  };
  return {
    env: {
      LD_PRELOAD: library,
      POWER_CUTS_FOLDER: folder,
      POWER_CUTS_RECORDS: records,
      // Files would be written past libc otherwise.
      UV_USE_IO_URING: '0',
    },
    cut(remains, random) {
      settle();
      model.cut(remains, random);
      model = new DiskModel(folder);
    },
    settle,
    steps() {
      const bytes = Buffer.alloc(LYING_AT);
      readSync(fd, bytes, 0, LYING_AT, 0);
      return Number(bytes.readBigUInt64LE());
    },
    lie(isLying) {
      writeSync(fd, Buffer.from([isLying ? 1 : 0]), 0, 1, LYING_AT);
    },
    unrecorded: (random) => model.unrecorded(random),
    close() {
      closeSync(fd);
      rmSync(records, { recursive: true, force: true });
    },
  };
}
