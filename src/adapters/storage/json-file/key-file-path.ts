// Where the file with the analysis keys is: as set, else in the system's data folder, else in our own.

import { accessSync, constants, mkdirSync } from 'node:fs';
import { dirname, join, parse } from 'node:path';

const FILE_NAME = 'api_keys.json';
const SYSTEM_FOLDER = '/data';

export interface KeyFilePathOptions {
  /** API_KEY_STORE. */
  readonly configured: string | undefined;
  readonly dataDir: string;
  readonly systemFolder?: string;
  /** False for a command, which must not make the system's folder: only a server that starts does. */
  readonly mayMake?: boolean;
}

export interface KeyFilePath {
  readonly path: string;
  /** Tells, once per start, that the usual place could not be used. */
  readonly warning?: string;
}

export function keyFilePath(options: KeyFilePathOptions): KeyFilePath {
  const { configured, dataDir, systemFolder = SYSTEM_FOLDER, mayMake = true } = options;
  if (configured !== undefined) return { path: configured };
  if (canBeWritten(systemFolder, mayMake)) return { path: join(systemFolder, FILE_NAME) };
  const path = join(dataDir, FILE_NAME);
  return { path, warning: `${systemFolder} cannot be written, so API keys are kept in ${path}; set API_KEY_STORE.` };
}

function canBeWritten(folder: string, mayMake: boolean): boolean {
  try {
    if (mayMake) mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Where STORE_BACKEND=sqlite keeps them: as set, else beside the JSON file. */
export function keyDatabasePath(configured: string | undefined, jsonPath: string): string {
  return configured ?? join(dirname(jsonPath), `${parse(jsonPath).name}.db`);
}
