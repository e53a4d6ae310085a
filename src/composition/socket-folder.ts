// The folder of the socket between our two processes. Whoever listens there is handed the keys of clients, and whoever
// reaches it is believed who the client is: so nobody else may enter it, and a folder that is not ours any more is not used.
//
// Of what lies in a folder only our own socket is ever removed: nobody knows what else a data folder holds.

import { chmodSync, lstatSync, mkdirSync, mkdtempSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What Linux allows for the path of a socket. */
const MAX_PATH_BYTES = 107;
const ONLY_OWNER = 0o700;
const OTHERS = 0o077;

export class SocketFolder {
  readonly #dataDir: string;
  #folder: string | undefined;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  /** Readies it for a process that is to listen: the one before may have left its socket. Returns where to listen. */
  make(): string {
    this.remove();
    const folder = this.#inDataFolder() ?? mkdtempSync(join(tmpdir(), 'signalbox-'));
    this.#folder = folder;
    return socketIn(folder);
  }

  /** Where somebody listens; undefined where nobody does, or where the folder was removed or is open to others. */
  socketPath(): string | undefined {
    if (this.#folder === undefined) return undefined;
    try {
      const path = socketIn(this.#folder);
      const isClosed = (lstatSync(this.#folder).mode & OTHERS) === 0;
      return isClosed && isOurFolder(this.#folder) && lstatSync(path).isSocket() ? path : undefined;
    } catch {
      return undefined;
    }
  }

  remove(): void {
    if (this.#folder === undefined) return;
    try {
      rmSync(socketIn(this.#folder), { force: true });
      rmdirSync(this.#folder);
    } catch {
      // It is gone already, or something of somebody else lies in it.
    }
  }

  /** Nobody tidies up there, and a process that was killed leaves nothing behind for ever. Undefined where it cannot be. */
  #inDataFolder(): string | undefined {
    const folder = join(this.#dataDir, 'script-process');
    if (Buffer.byteLength(socketIn(folder)) > MAX_PATH_BYTES) return undefined;
    try {
      mkdirSync(folder, { mode: ONLY_OWNER, recursive: true });
      if (!isOurFolder(folder)) return undefined;
      chmodSync(folder, ONLY_OWNER);
      rmSync(socketIn(folder), { force: true });
      return folder;
    } catch {
      return undefined;
    }
  }
}

/** Not one that another user has made, and no link to elsewhere. */
function isOurFolder(folder: string): boolean {
  const found = lstatSync(folder);
  return found.isDirectory() && found.uid === process.geteuid?.();
}

const socketIn = (folder: string): string => join(folder, 'scripts.sock');
