// What `signalbox doctor` looks at: the runtime, the settings, the mail door, the data folder, and who runs on it.

import { checkDataDir } from '../adapters/storage/sqlite/check-data-dir.ts';
import { readInstanceNote } from '../adapters/storage/sqlite/instance-lock.ts';
import { readStoredSettings } from '../adapters/storage/sqlite/settings.ts';
import { connectOverHttp } from '../cli/connect.ts';
import type { DoctorCheck, DoctorReport } from '../cli/host.ts';
import { type Config, ConfigError, maskedSettings } from '../config.ts';
import type { SettingsStore } from '../trading/controls.ts';
import { shownControls } from '../trading/controls.ts';
import { openControls } from './controls.ts';
import { readConfig } from './read-config.ts';

export async function doctor(): Promise<DoctorReport> {
  const checks: DoctorCheck[] = [
    { name: 'runtime', ok: 'ok', detail: `Node ${process.versions.node}, SQLite ${process.versions.sqlite}` },
  ];
  let config: Config;
  try {
    config = readConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const faults = error.faults.map((fault): DoctorCheck => ({ name: 'settings', ok: 'fail', detail: fault }));
    return { checks: [...checks, ...faults], settings: [] };
  }
  checks.push({ name: 'settings', ok: 'ok', detail: 'every value is valid' });
  for (const warning of config.warnings) checks.push({ name: 'settings', ok: 'warn', detail: warning });
  if (config.smtpPort !== undefined) checks.push(checkMail(config));
  checks.push(...(await checkDataDir(config.dataDir)), ...(await checkInstance(config)));
  return { checks, settings: settingsInForce(config, checks) };
}

/** As they hold, not only as the environment has them: what is stored rules where the environment says nothing. */
function settingsInForce(config: Config, checks: DoctorCheck[]): DoctorReport['settings'] {
  const named = maskedSettings(config);
  let stored: ReadonlyMap<string, string>;
  try {
    stored = readStoredSettings(config.dataDir);
  } catch {
    // The check of the database has said why.
    return named;
  }
  const shown = shownControls(openControls(config, readOnly(stored)));
  for (const { name, value, source } of shownControls(openControls({ ...config, namedSettings: [] }, readOnly(stored))))
    if (source === 'stored' && config.namedSettings.includes(name)) checks.push(overruled(name, value));
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
  return { get: (name) => stored.get(name), set: refuse, appendAudit: refuse, audit: () => [] };
}

function checkMail(config: Config): DoctorCheck {
  const where = `${config.smtpHost}:${config.smtpPort === 0 ? 'any free port' : config.smtpPort}`;
  const detail = `taken on ${where} from ${config.smtpAllowedSenders.join(', ')}`;
  if (config.smtpAuthPolicy === 'require')
    return { name: 'mail', ok: 'ok', detail: `${detail}, proven by SPF or DKIM` };
  const remedy = 'let the mail server in front check SPF, DKIM and DMARC, or set SMTP_AUTH_POLICY=require';
  return { name: 'mail', ok: 'warn', detail: `${detail}, and believed as it comes`, remedy };
}

async function checkInstance(config: Config): Promise<readonly DoctorCheck[]> {
  const url = readInstanceNote(config.dataDir)?.url;
  if (url === undefined) return [{ name: 'instance', ok: 'ok', detail: 'not running on this data folder' }];
  try {
    const { status, body } = await connectOverHttp(url, config.internalToken).call('GET', '/ready');
    const { warnings = [] } = body as { warnings?: readonly string[] };
    // What its settings warn about has been said above.
    const alarms = warnings.filter((warning) => !config.warnings.includes(warning));
    const ready: DoctorCheck =
      status === 200
        ? { name: 'instance', ok: 'ok', detail: `running and ready at ${url}` }
        : { name: 'instance', ok: 'fail', detail: `${url} is not ready`, remedy: `look at ${url}/ready` };
    return [ready, ...alarms.map((detail): DoctorCheck => ({ name: 'instance', ok: 'warn', detail }))];
  } catch {
    return [{ name: 'instance', ok: 'ok', detail: `not running (the last one was at ${url})` }];
  }
}
