// What the command line needs of the process around it; the composition root hands it in, tests hand in a fake.

import type { AnalysisKeys } from '../keys/analysis-keys.ts';
import type { ScriptKeys } from '../keys/script-keys.ts';
import type { NewStoredAccount, StoredAccountName } from '../keys/stored-accounts.ts';
import type { UsagePeriod } from '../keys/usage.ts';
import type { VenueCredentials } from '../keys/venue-credentials.ts';
import type { BacktestRunner } from '../library/backtest-runner.ts';
import type { ScriptRunner } from '../library/script-runner.ts';
import type { KeyPermissions, PermissionVerdict } from '../trading/key-permissions.ts';
import type { ReplayChanges } from '../trading/replay/changes.ts';
import type { Comparison } from '../trading/replay/comparison.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** The gateway's routes, of a running instance or served in this process over the data folder. */
export interface Connection {
  /** With a key for routes of the script worker, which know nobody else. */
  call(method: Method, path: string, body?: object, key?: string): Promise<Answer>;
  /** Who answers, in words: an address or a folder. */
  readonly where: string;
  /** Without a running instance a change is stored, and in force when one starts. */
  readonly running: boolean;
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly url?: string;
  readonly token?: string;
  readonly dataDir?: string;
}

export interface DoctorCheck {
  readonly name: string;
  readonly ok: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  readonly remedy?: string | undefined;
}

export interface DoctorOptions {
  /** Instead of that of the settings. */
  readonly dataDir?: string | undefined;
  /** Whether it can be reached is looked at too. */
  readonly publicAddress?: string | undefined;
  /** Whether the venues of testnet and live accounts are asked too. */
  readonly live?: boolean;
}

export interface DoctorReport {
  readonly checks: readonly DoctorCheck[];
  /** Secrets are masked already. */
  readonly settings: readonly { readonly name: string; readonly value: string; readonly source: string }[];
}

export interface ScriptLimits {
  /** How many scripts run at once; one when left out. */
  readonly threads?: number;
  readonly memoryMb: number;
  readonly timeoutMs: number;
}

export interface Screen {
  write(text: string): void;
  readonly columns: number;
  /** Does this before Ctrl-C ends the process, until the returned function is called. */
  onInterrupt(work: () => void): () => void;
}

export interface Interrupt {
  readonly signal: AbortSignal;
  forget(): void;
}

/** What commands that run scripts need besides. */
export interface ScriptHost {
  /** A runner of its own for this command line, starting already; whoever opens it closes it. */
  openScripts(limits: ScriptLimits): Promise<CommandScripts>;
  /** All of standard input; a longer one than this is refused. */
  readInput(maxBytes: number): Promise<Uint8Array>;
  /** Hears the first Ctrl-C in place of its ending the process, until it is forgotten; a second one ends it. */
  hearInterrupt(): Interrupt;
  /** How many cores there are. */
  readonly cores: number;
  /** A new name for a run. */
  newRunId(): string;
  /** The wall clock, in ms since 1970. */
  nowMs(): number;
  /** The terminal behind standard error, where a line can be replaced; undefined when nobody looks. */
  readonly screen: Screen | undefined;
  /** How wide the terminal is, or a usual width where there is none. */
  readonly columns: number;
}

export type CommandScripts = ScriptRunner & BacktestRunner;

export interface KeyStoreOptions {
  /** Instead of the data folder of the settings. */
  readonly dataDir?: string;
}

export interface AccountsOptions extends KeyStoreOptions {
  /** Makes the data folder where there is none, as a first start does. */
  readonly makeFolder?: boolean;
}

export interface OpenedAnalysisKeys {
  readonly keys: Pick<AnalysisKeys, 'mint' | 'list' | 'revoke'>;
  /** Whose calls count now. */
  readonly period: UsagePeriod;
  /** Which store it is, in words, without a password. */
  readonly where: string;
  /** Without a running instance a change is in force when one starts. */
  readonly running: boolean;
  close(): Promise<void>;
}

export interface OpenedScriptKeys {
  readonly keys: Pick<ScriptKeys, 'create' | 'lookup' | 'revoke' | 'renew'>;
  readonly where: string;
  readonly running: boolean;
  close(): Promise<void>;
}

/** The stores of the key-authenticated services, beside a running instance or without one; whoever opens one closes it. */
export interface KeyHost {
  openAnalysisKeys(options: KeyStoreOptions): Promise<OpenedAnalysisKeys>;
  /** Undefined where the keys are in no store outside the server: API_KEYS is memory or none. */
  openScriptKeys(options: KeyStoreOptions): Promise<OpenedScriptKeys | undefined>;
}

export interface ListedAccount {
  readonly exchange: string;
  readonly account: string;
  readonly mode: string;
  readonly credentialsFrom: 'environment' | 'stored' | 'none';
  /** The first characters of the API key; empty where there is none. */
  readonly keyStart: string;
  /** Why it is not traded, with the remedy; empty where it is. */
  readonly off: string;
  /** Whether a live account still waits for `accounts confirm` before it opens anything. */
  readonly isUnconfirmed: boolean;
}

/** An API key of the environment, for the account main of its exchange. */
export interface EnvironmentKey {
  readonly exchange: string;
  /** Of the exchange. */
  readonly mode: string;
  /** Tells one key from another, and nothing about it. */
  readonly fingerprint: string;
}

export interface AccountList {
  readonly accounts: readonly ListedAccount[];
  /** What would stop the next start. */
  readonly faults: readonly string[];
  readonly environment: readonly EnvironmentKey[];
}

export interface TestedAccount extends PermissionVerdict {
  readonly clockOffsetMs: number;
  /** In USDT, as the signed read told it. */
  readonly balance: string;
  readonly positionMode: string;
  readonly permissions: KeyPermissions;
}

/** The accounts of the running instance, or those of the settings where none runs. Whatever cannot be done rejects with the remedy. */
export interface OpenedAccounts {
  list(): Promise<AccountList>;
  /** `sealedWith`: which master key it was, in words; `waits`: why it is not traded yet, empty where it is after a start. */
  add(
    account: NewStoredAccount,
    credentials: VenueCredentials,
  ): Promise<{ readonly sealedWith: string; readonly keyStart: string; readonly waits: string }>;
  /** Connects to the venue. */
  test(name: StoredAccountName): Promise<TestedAccount>;
  /** A live account that may be confirmed, as it is listed. */
  live(name: StoredAccountName): Promise<ListedAccount>;
  /** From now on it may open positions with real money. */
  confirm(name: StoredAccountName): Promise<void>;
  /** With `force` also an account that has not settled everything. */
  remove(name: StoredAccountName, options: { readonly force: boolean }): Promise<void>;
  readonly where: string;
  readonly running: boolean;
  close(): Promise<void>;
}

export interface AccountHost {
  /** Whoever opens them closes them. */
  openAccounts(options: AccountsOptions): Promise<OpenedAccounts>;
}

/** The owner's password, in the data folder; an instance that runs on it goes by what is there at once. */
export interface OpenedAccess {
  isPasswordSet(): Promise<boolean>;
  /** Ends every session. Rejects with the remedy. */
  setPassword(password: string): Promise<void>;
  /** With it every session and the codes end. False where there was none. */
  removePassword(): Promise<boolean>;
  /** From now on the password alone lets in. False where no codes were asked for. */
  removeTotp(): Promise<boolean>;
  readonly where: string;
  close(): Promise<void>;
}

export interface AccessHost {
  /** Whoever opens it closes it. */
  openAccess(options: KeyStoreOptions): Promise<OpenedAccess>;
}

/** What the commands about the signing key need. */
export interface WalletHost {
  /** Seals the key in a new file: the one named, else that of the settings. */
  importWalletKey(sealed: {
    readonly privateKey: `0x${string}`;
    readonly password: string;
    readonly file: string | undefined;
  }): Promise<{ readonly address: string; readonly file: string }>;
  /** The account of the file named, else of the settings, and which of them it was. */
  walletAddress(file: string | undefined): Promise<{ readonly address: string; readonly where: string }>;
}

export interface ReplayOptions {
  /** Instead of the data folder of the settings. */
  readonly dataDir?: string | undefined;
  readonly fromMs: number;
  /** Now if left out. */
  readonly toMs?: number | undefined;
  readonly changes: Omit<ReplayChanges, 'limits'>;
  /** Other limits, as they are written: `strategy:ema.entriesPerDay=3`. */
  readonly set: readonly string[];
  readonly onProgress?: (done: number, of: number) => void;
}

export interface ReplayReport {
  readonly comparison: Comparison;
  /** Refused signals of which too little was kept to send them again. */
  readonly unreadable: number;
  /** Changes of stops by hand that could not be made again. */
  readonly stopsLeftOut: number;
  /** What went wrong in the replay itself. */
  readonly troubles: readonly string[];
}

export interface ReplayHost {
  /** Sends the past of a data folder through the gates again, on accounts of its own; the folder itself is only read. */
  replay(options: ReplayOptions): Promise<ReplayReport>;
}

/** Called where a passphrase is needed and the settings have none. */
export type AskPassphrase = (isNew: boolean) => Promise<string>;

export interface BackupOptions {
  /** Instead of the data folder of the settings. */
  readonly dataDir: string | undefined;
  /** A file, or a folder that gets one; BACKUP_DIR or the working folder if left out. */
  readonly to: string | undefined;
  readonly encrypt: boolean;
  /** The master key and the wallet's key file too, also where it is not encrypted. */
  readonly withKeys: boolean;
  readonly withBars: boolean;
  readonly askPassphrase: AskPassphrase;
}

export interface BackupReport {
  readonly file: string;
  readonly bytes: number;
  readonly isEncrypted: boolean;
  readonly madeAt: string;
  /** What is in it, in words. */
  readonly holds: readonly string[];
  readonly leftOut: readonly string[];
}

export interface RestoreOptions {
  readonly file: string;
  /** The data folder of the settings if left out. */
  readonly to: string | undefined;
  readonly replace: boolean;
  /** Takes a file that is not encrypted although there is a passphrase, or its name says that it is. */
  readonly allowUnencrypted: boolean;
  readonly askPassphrase: AskPassphrase;
}

export interface RestoreReport {
  readonly folder: string;
  /** Where that is which was there before; undefined where nothing was. */
  readonly aside: string | undefined;
  readonly madeAt: string;
  readonly version: string;
  /** The switch was thrown in the folder; only one without any trades and settings has none. */
  readonly isKillSwitchOn: boolean;
  /** What its owner has to do or to know, in words. */
  readonly notes: readonly string[];
}

export interface BackupHost {
  /** Of a data folder, whether an instance runs on it or not; the file has been read back when this resolves. */
  backup(options: BackupOptions): Promise<BackupReport>;
  restore(options: RestoreOptions): Promise<RestoreReport>;
}

export interface MigrateProgress {
  readonly step: 'copied' | 'compared';
  /** In rows. */
  readonly done: number;
  readonly of: number;
}

export interface MigrateOptions {
  /** Of the PostgreSQL, DATABASE_URL if left out; it may hold a password, and is never shown. */
  readonly url: string | undefined;
  /** Instead of the data folder of the settings. */
  readonly dataDir: string | undefined;
  readonly onProgress?: (progress: MigrateProgress) => void;
}

export interface MigrateReport {
  readonly folder: string;
  /** Host, port and database of the PostgreSQL. */
  readonly where: string;
  /** The schemas that were filled. */
  readonly databases: readonly { readonly name: string; readonly rows: number }[];
  /** How many rows an earlier run had copied. */
  readonly rowsFoundThere: number;
  /** What the instance goes on using in the folder, in words. */
  readonly staying: readonly string[];
}

export interface MigrateHost {
  /** Of an instance that does not run. */
  migrate(options: MigrateOptions): Promise<MigrateReport>;
}

export interface CliHost extends BackupHost, MigrateHost, ScriptHost, KeyHost, AccountHost, AccessHost, ReplayHost {
  readonly wallet: WalletHost;
  /** Runs the services until they are told to stop; gives the exit code. */
  start(): Promise<number>;
  /** Takes backtests of searches from Redis until it is told to stop. */
  work(): Promise<number>;
  connect(options: ConnectOptions): Promise<Connection>;
  /** Asks a person for each on the terminal, without showing what is typed; undefined where standard input is no terminal. */
  askSecrets(questions: readonly string[]): Promise<readonly string[] | undefined>;
  /** The first lines of standard input; fewer when it ends earlier. */
  readLines(count: number): Promise<readonly string[]>;
  doctor(options: DoctorOptions): Promise<DoctorReport>;
  /** Writes the text and a line end to standard output. */
  out(text: string): void;
  /** Writes the pieces as they are to standard output, each when the one before it has left; stops when nobody reads. */
  pour(pieces: Iterable<Uint8Array>): Promise<void>;
  /** Writes the text and a line end to standard error. */
  err(text: string): void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether standard output is a terminal that a person looks at. */
  readonly isTty: boolean;
  readonly version: string;
}
