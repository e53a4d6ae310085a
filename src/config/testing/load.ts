// Settings as a test gives them: loaded, or the faults in them.

import { ConfigError, type Environment, loadConfig } from '../../config.ts';

const checkAddressEntry = (entry: string) =>
  /^[\d.:/a-f]+$/.test(entry) ? undefined : 'write an address like 10.0.0.1.';
export const load = (env: Environment, dotEnvText?: string) => loadConfig(env, { dotEnvText, checkAddressEntry });

export function faultsOf(env: Environment, dotEnvText?: string): readonly string[] {
  try {
    load(env, dotEnvText);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}
