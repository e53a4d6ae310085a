// What `signalbox doctor` looks at: the runtime, the settings, the mail door, Redis, the data folder, and who runs on it.

import { checkDataDir } from '../adapters/storage/sqlite/check-data-dir.ts';
import { readInstanceNote } from '../adapters/storage/sqlite/instance-lock.ts';
import { connectOverHttp } from '../cli/connect.ts';
import type { Connection, DoctorCheck, DoctorOptions, DoctorReport } from '../cli/host.ts';
import { type Config, ConfigError, maskedSettings } from '../config.ts';
import { errorText } from '../errors/error-text.ts';
import type { SettingsStore } from '../trading/intake/controls.ts';
import { shownControls } from '../trading/intake/controls.ts';
import { TRADINGVIEW_CALL, type TradingviewCall } from '../trading/intake/tradingview-calls.ts';
import { assertKeyFileWhole } from './analysis-key-file.ts';
import { inEntries, openControls } from './controls.ts';
import { KnownAccounts } from './known-accounts.ts';
import type { LiveAdapters } from './live-accounts.ts';
import { checkDatabase } from './postgres-doctor.ts';
import { readConfig } from './read-config.ts';
import { checkRedis } from './redis-doctor.ts';
import { runningAccounts } from './running-accounts.ts';
import { isInstanceRunning } from './running-instance.ts';
import { findDeskOwner, lookAtOwner, lookAtSettings } from './storage.ts';

type ShownSetting = DoctorReport['settings'][number];

export async function doctor(
  { dataDir, publicAddress, live }: DoctorOptions,
  adapters?: LiveAdapters,
): Promise<DoctorReport> {
  const report = await checkHere(dataDir, { live: live === true, ...(adapters && { adapters }) });
  if (publicAddress === undefined) return report;
  const { checkPublicAddress } = await import('./public-address.ts');
  const seen = await checkLastCall(dataDir);
  return { ...report, checks: [...report.checks, ...(await checkPublicAddress(publicAddress)), ...seen] };
}

/** Whether TradingView itself has come: only this tells that its calls find the way from outside. */
async function checkLastCall(dataDir: string | undefined): Promise<readonly DoctorCheck[]> {
  const name = 'public address';
  let stored: ReadonlyMap<string, string>;
  try {
    stored = await lookAtSettings(readConfig(dataDir === undefined ? {} : { DATA_DIR: dataDir }));
  } catch {
    // The checks of the settings and of the data folder have said why.
    return [];
  }
  const text = stored.get(TRADINGVIEW_CALL);
  if (text === undefined) {
    const remedy = 'let an alert fire; behind a proxy set TRUSTED_PROXIES, or its address hides that of TradingView';
    return [{ name, ok: 'warn', detail: 'TradingView has never called, as far as this data folder knows', remedy }];
  }
  const { atMs, address } = JSON.parse(text) as TradingviewCall;
  const at = new Date(atMs).toISOString().slice(0, 19).replace('T', ' ');
  return [{ name, ok: 'ok', detail: `TradingView last called on ${at} UTC, from ${address}` }];
}

async function checkHere(dataDir: string | undefined, accounts: AccountQuestions): Promise<DoctorReport> {
  const checks: DoctorCheck[] = [
    { name: 'runtime', ok: 'ok', detail: `Node ${process.versions.node}, SQLite ${process.versions.sqlite}` },
  ];
  let config: Config;
  try {
    config = readConfig(dataDir === undefined ? {} : { DATA_DIR: dataDir });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const faults = error.faults.map((fault): DoctorCheck => ({ name: 'settings', ok: 'fail', detail: fault }));
    return { checks: [...checks, ...faults], settings: [] };
  }
  checks.push({ name: 'settings', ok: 'ok', detail: 'every value is valid' });
  for (const warning of config.warnings) checks.push({ name: 'settings', ok: 'warn', detail: warning });
  if (config.smtpPort !== undefined) checks.push(checkMail(config));
  checks.push(checkNotices(config), ...(await checkKeyFile(config)), ...(await checkRedis(config)));
  const instance = await askInstance(config);
  const hasServer = config.databaseUrl !== undefined;
  const folder = await checkDataDir(config.dataDir, { isNamed: dataDir !== undefined, hasServer });
  const data = [...folder, ...(await checkDatabase(config))];
  checks.push(...data, ...instance.checks);
  const isReadable = data.every(({ ok }) => ok !== 'fail');
  if (instance.isRunning) checks.push(...(await checkRunningAccounts(config, accounts)));
  else if (isReadable) checks.push(...(await checkAccountsHere(config, accounts)));
  const own = isReadable ? await settingsInForce(config, checks) : maskedSettings(config);
  checks.push(...own.flatMap((row) => differs(row, instance.settings)));
  return { checks, settings: own.map((row) => instance.settings.find(({ name }) => name === row.name) ?? row) };
}

interface AccountQuestions {
  /** Whether venues are asked. */
  readonly live: boolean;
  /** Those of the release if left out. */
  readonly adapters?: LiveAdapters;
}

async function checkAccountsHere(config: Config, { live, adapters }: AccountQuestions) {
  const { storedAccounts: store, settings, restrictions, close } = await lookAtOwner(config);
  try {
    const kept = { store, settings, restrictions };
    return await new KnownAccounts({ config, ...kept, adapters, isTrading: false }).check({ live });
  } finally {
    close();
  }
}

/** By what it has open: the settings of this shell may say the opposite. */
async function checkRunningAccounts(config: Config, { live }: AccountQuestions): Promise<readonly DoctorCheck[]> {
  try {
    return await runningAccounts(config).check({ live });
  } catch (error) {
    const detail = `which accounts the running instance has is not known: ${errorText(error)}`;
    const remedy = 'set INTERNAL_TOKEN here to what the instance has, or look at its log';
    return [{ name: 'accounts', ok: live ? 'fail' : 'warn', detail, remedy }];
  }
}

/** This shell may have another environment than the server: what the running instance says of itself is in force. */
function differs({ name, value, source }: ShownSetting, running: readonly ShownSetting[]): readonly DoctorCheck[] {
  const there = running.find((row) => row.name === name);
  // Without the token the instance tells only how many addresses there are.
  const isSame = there?.value === value || (name === 'IP_ALLOWLIST' && there?.value === inEntries(entriesOf(value)));
  if (there === undefined || isSame) return [];
  return [
    {
      name: 'settings',
      ok: 'warn',
      detail: `${name} is ${inQuotes(there.value)} (${there.source}) in the running instance; from here it would be ${inQuotes(value)} (${source})`,
      remedy: "run doctor with the server's environment and .env: the other settings below are those of this shell",
    },
  ];
}

const inQuotes = (value: string): string => JSON.stringify(value);
const entriesOf = (list: string): number => list.split(',').filter((entry) => entry !== '').length;

/** As they hold, not only as the environment has them: what is stored rules where the environment says nothing. */
async function settingsInForce(config: Config, checks: DoctorCheck[]): Promise<DoctorReport['settings']> {
  const named = maskedSettings(config);
  let stored: ReadonlyMap<string, string>;
  try {
    stored = await lookAtSettings(config);
  } catch {
    // The check of the database has said why.
    return named;
  }
  const shown = shownControls(openControls(config, readOnly(stored)));
  const rules = (name: string): boolean => named.some((row) => row.name === name && row.source !== 'default');
  for (const { name, value, source } of shownControls(openControls({ ...config, settings: [] }, readOnly(stored))))
    if (source === 'stored' && rules(name)) checks.push(overruled(name, value));
  return named.map((row) => shown.find(({ name, source }) => name === row.name && source === 'stored') ?? row);
}

const overruled = (name: string, value: string): DoctorCheck => ({
  name: 'settings',
  ok: 'warn',
  detail: `${name} is set in the environment and rules; the stored value ${JSON.stringify(value)} is not used`,
  remedy: `remove ${name} from the environment and .env to use the stored value`,
});

function readOnly(stored: ReadonlyMap<string, string>): SettingsStore {
  const refuse = (): never => {
    throw new Error('the doctor changes nothing');
  };
  return { get: (name) => stored.get(name), set: refuse, appendAudit: refuse, audit: async () => [] };
}

/** A running instance tells it too; one that does not run would only tell it at its next start. */
async function checkKeyFile(config: Config): Promise<readonly DoctorCheck[]> {
  if (!config.services.includes('analysis')) return [];
  try {
    await assertKeyFileWhole(config);
    return [];
  } catch (error) {
    return [{ name: 'analysis keys', ok: 'fail', detail: errorText(error) }];
  }
}

/** Which ways there are to the owner; how each is doing is a warning of the running instance. */
function checkNotices({ telegram, notices }: Config): DoctorCheck {
  const { discord, ntfy, mail, webhook } = notices;
  const told = Object.entries({ discord, ntfy, mail, webhook }).flatMap(([name, channel]) =>
    channel ? [`${name} (${channel.topics.join(', ')})`] : [],
  );
  const chat = telegram.token !== undefined && telegram.defaultChat !== undefined ? ['telegram'] : [];
  const all = [...chat, ...told];
  const detail = all.length === 0 ? 'nobody is told of outcomes and alarms, only the log' : `told by ${all.join(', ')}`;
  const remedy = 'set a channel, see docs/guides/notices.md';
  return all.length === 0 ? { name: 'notices', ok: 'ok', detail, remedy } : { name: 'notices', ok: 'ok', detail };
}

function checkMail(config: Config): DoctorCheck {
  const where = `${config.smtpHost}:${config.smtpPort === 0 ? 'any free port' : config.smtpPort}`;
  const detail = `taken on ${where} from ${config.smtpAllowedSenders.join(', ')}`;
  if (config.smtpAuthPolicy === 'require')
    return { name: 'mail', ok: 'ok', detail: `${detail}, proven by SPF or DKIM` };
  const remedy = 'let the mail server in front check SPF, DKIM and DMARC, or set SMTP_AUTH_POLICY=require';
  return { name: 'mail', ok: 'warn', detail: `${detail}, and believed as it comes`, remedy };
}

interface AskedInstance {
  readonly checks: readonly DoctorCheck[];
  readonly isRunning: boolean;
  /** What it says is in force; empty where none runs. */
  readonly settings: readonly ShownSetting[];
}

const notRunning = (detail: string): AskedInstance => ({
  checks: [{ name: 'instance', ok: 'ok', detail }],
  isRunning: false,
  settings: [],
});

/** Somebody holds the folder, and cannot be asked. */
const deaf = (detail: string): AskedInstance => ({
  checks: [{ name: 'instance', ok: 'warn', detail, remedy: 'look at its log; if it stays so, restart it' }],
  isRunning: true,
  settings: [],
});

async function askInstance(config: Config): Promise<AskedInstance> {
  const url = readInstanceNote(config.dataDir)?.url;
  if (url === undefined)
    return isInstanceRunning(config.dataDir)
      ? deaf(
          `running on ${config.dataDir}, but it has told no address: it starts, stops, or its instance.json was removed`,
        )
      : notRunning(`not running on this data folder${await whoTrades(config)}`);
  try {
    const connection = connectOverHttp(url, config.internalToken);
    const { status, body } = await connection.call('GET', '/ready');
    const { warnings = [], settings = [] } = body as Partial<Record<'warnings', readonly string[]>> &
      Partial<Pick<AskedInstance, 'settings'>>;
    // What its settings warn about has been said above.
    const alarms = warnings.filter((warning) => !config.warnings.includes(warning));
    const ready: DoctorCheck =
      status === 200
        ? { name: 'instance', ok: 'ok', detail: `running and ready at ${url}` }
        : { name: 'instance', ok: 'fail', detail: `${url} is not ready`, remedy: `look at ${url}/ready` };
    const checks = [ready, ...alarms.map((detail): DoctorCheck => ({ name: 'instance', ok: 'warn', detail }))];
    return { checks, isRunning: true, settings: await withAddresses(connection, settings) };
  } catch {
    return isInstanceRunning(config.dataDir)
      ? deaf(`running, but it does not answer at ${url}`)
      : notRunning(`not running (the last one was at ${url})${await whoTrades(config)}`);
  }
}

/** One that stands by holds no data folder, so it cannot be told from one that does not run: but who trades is known. */
async function whoTrades(config: Config): Promise<string> {
  try {
    const owner = await findDeskOwner(config);
    return owner === undefined
      ? ''
      : `: the Signalbox at ${owner} trades on the database of DATABASE_URL, and one that runs here stands by for it`;
  } catch {
    // The check of the database says why.
    return '';
  }
}

/** /ready tells everybody how many addresses may signal; the owner may see which. */
async function withAddresses(
  connection: Connection,
  settings: AskedInstance['settings'],
): Promise<AskedInstance['settings']> {
  const { status, body } = await connection.call('GET', '/admin/allowlist');
  if (status !== 200) return settings;
  const { entries } = (body as { result: { entries: readonly string[] } }).result;
  return settings.map((row) => (row.name === 'IP_ALLOWLIST' ? { ...row, value: entries.join(',') } : row));
}
