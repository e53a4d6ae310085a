// The real program as the fuzzer of sockets starts it, and what is wrong with it after a batch: gone, restarted, or complaining.

import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { ASKABLE, liveHeapBytes } from '../inspector.ts';
import { freshDataDir, type RunningProcess, runSignalbox, startProcess } from '../process.ts';
import { makeScriptKey } from '../script-key.ts';
import { scriptProcessOf } from '../script-process-of.ts';

export const WEBHOOK_KEY = 'whk_of_the_fuzzer_0123456789';
export const ADMIN_TOKEN = 'an-admin-token-of-the-fuzzer';
/** Nobody listens there: what would ask an exchange is told so at once, and nothing leaves this machine. */
const NOWHERE = 'http://127.0.0.1:1';

const COMPLAINT = /"level":"(error|fatal)"|^\s+at .*\(.*\.[jt]s:\d+/;
/** A signal may ask for a chat message, and there is no bot here: the program writes both into its log. */
const NO_BOT = 'there is no Telegram bot';

export class FuzzedServer {
  readonly #server: RunningProcess;
  readonly #log: number;
  #scriptPid: number | undefined;
  readonly scriptKey: string;
  readonly analysisKey: string;
  #read = 0;

  private constructor(server: RunningProcess, logFile: string, scriptKey: string, analysisKey: string) {
    this.#server = server;
    this.#log = openSync(logFile, 'r');
    this.#scriptPid = scriptProcessOf(server);
    this.scriptKey = scriptKey;
    this.analysisKey = analysisKey;
  }

  static async start(): Promise<FuzzedServer> {
    const dataDir = freshDataDir();
    const logFile = join(dataDir, 'log.jsonl');
    const env = {
      ...ASKABLE,
      LOG_LEVEL: 'warn',
      WEBHOOK_API_KEYS: WEBHOOK_KEY,
      WEBHOOK_RATE_PER_MINUTE: '0',
      ADMIN_TOKEN,
      BINANCE_BASE_URL: NOWHERE,
      BYBIT_BASE_URL: NOWHERE,
      MEXC_BASE_URL: NOWHERE,
    };
    const server = await startProcess({ dataDir, logFile, env });
    const scriptKey = await makeScriptKey(server);
    const { stdout } = await runSignalbox(['keys', 'create', '--analysis'], { DATA_DIR: dataDir });
    return new FuzzedServer(server, logFile, scriptKey, /pyn_[\w-]+/.exec(stdout)?.[0] ?? '');
  }

  get url(): string {
    return this.#server.url;
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  get dataDir(): string {
    return this.#server.dataDir;
  }

  /** Since the last call. Warnings are the program's own business; errors are what nobody from outside may cause. */
  faults(): readonly string[] {
    const { exitCode, signalCode } = this.#server.child;
    if (exitCode !== null || signalCode !== null) return [`the program ended with ${exitCode ?? signalCode}`];
    const lines = this.#newLines();
    const faults = lines
      .filter((line) => COMPLAINT.test(line) && !line.includes(NO_BOT))
      .map((line) => `the program complained: ${line.slice(0, 600)}`);
    const pid = scriptProcessOf(this.#server);
    if (pid !== this.#scriptPid) {
      faults.push(`the script process ${this.#scriptPid} ended, now it is ${pid}:\n${lines.join('\n').slice(-1500)}`);
      this.#scriptPid = pid;
    }
    return faults;
  }

  #newLines(): readonly string[] {
    const lines: Buffer[] = [];
    const room = Buffer.alloc(256 * 1024);
    for (let size = -1; size !== 0; this.#read += size) {
      size = readSync(this.#log, room, 0, room.length, this.#read);
      lines.push(Buffer.from(room.subarray(0, size)));
    }
    return Buffer.concat(lines).toString('utf8').split('\n');
  }

  /** Of the process that trades and of the one that runs scripts. */
  async heapBytes(): Promise<number> {
    const addresses = this.#server.output().match(/Debugger listening on ws:\/\/\S+/g) ?? [];
    // A process that has ended is told of as a fault of its own.
    const heaps = addresses.map((address) => liveHeapBytes({ ...this.#server, output: () => address }).catch(() => 0));
    return (await Promise.all(heaps)).reduce((sum, bytes) => sum + bytes, 0);
  }

  async close(): Promise<readonly string[]> {
    const faults = [...this.faults()];
    const code = await this.#server.stop();
    closeSync(this.#log);
    return code === 0 ? faults : [...faults, `the program stopped with ${code}`];
  }
}
