// What a command says that looked for an instance, or for one of its files, and found none. Only `start` and `accounts add` make one.

import { resolve } from 'node:path';

const START = '"signalbox start" makes a new instance';
const WHERE = 'or run the command in the folder whose .env or data folder it has';

export const noInstance = (dataDir: string): Error =>
  new Error(
    `There is no Signalbox instance in ${resolve(dataDir)}, so nothing was done. Name the one you mean with ` +
      `--url http://host:8787 (it runs) or --data-dir FOLDER (its data folder), set SIGNALBOX_URL or DATA_DIR, ${WHERE}. ${START}.`,
  );

export const unknownAddress = (dataDir: string): Error =>
  new Error(
    `A Signalbox runs on ${resolve(dataDir)}, but its note instance.json, which tells its address, is not there (it is ` +
      'starting just now, or somebody removed it), so nothing was done. Name its address with --url http://host:8787.',
  );

export const noKeyStore = (path: string, setting: string): Error =>
  new Error(
    `There is no key store at ${resolve(path)}, so nothing was done. Name the data folder of the instance with ` +
      `--data-dir FOLDER, set ${setting}, ${WHERE}. ${START} with its key stores.`,
  );

export const noScriptKeys = (): Error =>
  new Error(
    `The PostgreSQL of DATABASE_URL has no script keys, so nothing was done. Set DATABASE_URL as the instance has it, ${WHERE}. ` +
      `${START} with its key stores.`,
  );

export const noPlaceForKeyFile = (dataDir: string): Error =>
  new Error(
    `There is no data folder ${resolve(dataDir)}, where the key file would be, so nothing was done. Name the ` +
      `key file with --file, set WALLET_KEYSTORE or DATA_DIR, ${WHERE}. ${START}.`,
  );
