// The folder of the socket between our two processes. Whoever listens there is handed the keys of clients, and whoever
// reaches it is believed who the client is: so nobody else may enter it, and a folder that is not ours any more is not used.

import { lstatSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
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

  /** Makes it anew, for each process that is to listen: the one before may have left its socket. Returns where to listen. */
  make(): string {
    this.remove();
    const folder = this.#inDataFolder() ?? mkdtempSync(join(tmpdir(), 'signalbox-'));
    this.#folder = folder;
    return socketIn(folder);
  }

  /** Where somebody listens; undefined where nobody does, or where the folder was removed or is another user's. */
  socketPath(): string | undefined {
    if (this.#folder === undefined) return undefined;
    try {
      const folder = lstatSync(this.#folder);
      const isOurs = folder.isDirectory() && folder.uid === process.geteuid?.() && (folder.mode & OTHERS) === 0;
      const path = socketIn(this.#folder);
      return isOurs && lstatSync(path).isSocket() ? path : undefined;
    } catch {
      return undefined;
    }
  }

  remove(): void {
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Nobody tidies up there, and a process that was killed leaves nothing behind for ever. Undefined where it cannot be. */
  #inDataFolder(): string | undefined {
    const folder = join(this.#dataDir, 'run');
    if (Buffer.byteLength(socketIn(folder)) > MAX_PATH_BYTES) return undefined;
    try {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { mode: ONLY_OWNER });
      return folder;
    } catch {
      return undefined;
    }
  }
}

const socketIn = (folder: string): string => join(folder, 'scripts.sock');
