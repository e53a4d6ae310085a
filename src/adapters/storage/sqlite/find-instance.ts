// Tells whether a folder is the data folder of an instance, without making or changing anything in it.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ALWAYS_THERE } from './folder-databases.ts';

/** Also of an instance that is starting just now, and of one that runs without the gateway. */
const MARKS = [...ALWAYS_THERE, 'instance.lock', 'instance.json'];

/** Whether `signalbox start` has ever been here. */
export const isDataFolder = (dataDir: string): boolean => MARKS.some((name) => existsSync(join(dataDir, name)));

/** Whether a command can work on the folder while nothing runs: to open a database that is not there would make it. */
export const hasDatabases = (dataDir: string): boolean => ALWAYS_THERE.every((name) => existsSync(join(dataDir, name)));
