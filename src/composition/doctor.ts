// What `signalbox doctor` looks at: the runtime, the settings, the mail door, the data folder, and who runs on it.

import { checkDataDir } from '../adapters/storage/sqlite/check-data-dir.ts';
import { readInstanceNote } from '../adapters/storage/sqlite/instance-lock.ts';
import { connectOverHttp } from '../cli/connect.ts';
import type { DoctorCheck, DoctorReport } from '../cli/host.ts';
import { type Config, ConfigError, maskedSettings } from '../config.ts';
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
  checks.push(...(await checkDataDir(config.dataDir)), await checkInstance(config));
  return { checks, settings: maskedSettings(config) };
}

function checkMail(config: Config): DoctorCheck {
  const where = `${config.smtpHost}:${config.smtpPort === 0 ? 'any free port' : config.smtpPort}`;
  const detail = `taken on ${where} from ${config.smtpAllowedSenders.join(', ')}`;
  if (config.smtpAuthPolicy === 'require')
    return { name: 'mail', ok: 'ok', detail: `${detail}, proven by SPF or DKIM` };
  const remedy = 'let the mail server in front check SPF, DKIM and DMARC, or set SMTP_AUTH_POLICY=require';
  return { name: 'mail', ok: 'warn', detail: `${detail}, and believed as it comes`, remedy };
}

async function checkInstance(config: Config): Promise<DoctorCheck> {
  const url = readInstanceNote(config.dataDir)?.url;
  if (url === undefined) return { name: 'instance', ok: 'ok', detail: 'not running on this data folder' };
  try {
    const { status } = await connectOverHttp(url, config.internalToken).call('GET', '/ready');
    if (status === 200) return { name: 'instance', ok: 'ok', detail: `running and ready at ${url}` };
    return { name: 'instance', ok: 'fail', detail: `${url} is not ready`, remedy: `look at ${url}/ready` };
  } catch {
    return { name: 'instance', ok: 'ok', detail: `not running (the last one was at ${url})` };
  }
}
