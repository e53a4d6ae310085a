// A bad disk for a real process: makes the n-th step of its files fail (a write, a sync…), and syncs as slow as wished.
//
//   const faults = await prepareDiskFaults(dataDir);
//   const running = await startProcess({ dataDir, env: faults.env });
//   faults.delaySyncs(15);                                              // a disk whose every sync takes 15 ms longer
//   faults.fail({ step: 3, kinds: ['sync'], error: 'EIO', forGood: true }); // from now on; takes effect at once
//   faults.heal();
//
// The faults come from disk-faults.c, a small library that is built with the machine's C compiler, once, and loaded into
// the process by the environment. Both sides have a small file mapped, so a fault can be armed while the process runs.
// Several processes (a server and what it starts) share one count of steps.

import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { constants } from 'node:os';
import { buildLibrary } from '../preload/build-library.ts';

const SOURCE = new URL('./disk-faults.c', import.meta.url);

/** The same layout as in disk-faults.c: numbers of 32 bits, then the end of a path. */
const FIELDS = ['syncDelayMs', 'kinds', 'failAt', 'forGood', 'error', 'steps', 'faults'] as const;
type Field = (typeof FIELDS)[number];
const FILE_AT = 32;
const FILE_BYTES = 96;

const KINDS = { write: 1, sync: 2, truncate: 4, create: 8, rename: 16, remove: 32 } as const;
export type DiskStep = keyof typeof KINDS;
export const EVERY_STEP = Object.keys(KINDS) as readonly DiskStep[];

export interface DiskFault {
  /** The first step from now on that fails; 0 counts the steps and fails none. */
  readonly step: number;
  readonly kinds?: readonly DiskStep[];
  readonly error?: 'EIO' | 'ENOSPC';
  /** Every step after it fails too. */
  readonly forGood?: boolean;
  /** Only files whose path ends like this, such as `signalbox.db-wal`. */
  readonly file?: string;
}

export interface DiskFaults {
  /** For the process whose disk it is. */
  readonly env: Readonly<Record<string, string>>;
  /** Every sync of a file in the folder takes so much longer. */
  delaySyncs(ms: number): void;
  /** Starts counting anew. */
  fail(fault: DiskFault): void;
  /** No faults and no delay from now on. */
  heal(): void;
  /** Steps taken since `fail`, those that failed among them. */
  steps(): number;
  faults(): number;
  close(): void;
}

/** For the files in this folder, which must be there already: its real path is what the library compares with. */
export async function prepareDiskFaults(folder: string): Promise<DiskFaults> {
  const library = await buildLibrary(SOURCE);
  const path = `${folder}.disk-faults`;
  const fd = openSync(path, 'w+');
  writeSync(fd, Buffer.alloc(FILE_AT + FILE_BYTES), 0, FILE_AT + FILE_BYTES, 0);

  const set = (field: Field, value: number): void => {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32LE(value);
    writeSync(fd, bytes, 0, 4, FIELDS.indexOf(field) * 4);
  };
  const get = (field: Field): number => {
    const bytes = Buffer.alloc(4);
    readSync(fd, bytes, 0, 4, FIELDS.indexOf(field) * 4);
    return bytes.readInt32LE();
  };
  const disarm = (): void => {
    for (const field of ['kinds', 'failAt', 'forGood', 'steps', 'faults'] as const) set(field, 0);
  };

  return {
    env: { LD_PRELOAD: library, DISK_FAULTS_CONTROL: path, DISK_FAULTS_FOLDER: folder },
    delaySyncs: (ms) => set('syncDelayMs', ms),
    fail({ step, kinds = EVERY_STEP, error = 'EIO', forGood = false, file = '' }) {
      disarm();
      const name = Buffer.alloc(FILE_BYTES);
      name.write(file);
      writeSync(fd, name, 0, FILE_BYTES, FILE_AT);
      set('error', constants.errno[error]);
      set('forGood', forGood ? 1 : 0);
      set('failAt', step);
      // Last: with it counting begins.
      set(
        'kinds',
        kinds.reduce((sum, kind) => sum | KINDS[kind], 0),
      );
    },
    heal() {
      set('syncDelayMs', 0);
      set('kinds', 0);
    },
    steps: () => get('steps'),
    faults: () => get('faults'),
    close: () => closeSync(fd),
  };
}
