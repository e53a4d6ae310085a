// Reads the settings of this process: the environment, then the `.env` file of the working folder.

import { readFileSync } from 'node:fs';
import { isPasswordStored } from '../adapters/storage/sqlite/find-password.ts';
import { type Config, ConfigError, type LoadOptions, loadConfig } from '../config.ts';
import { allowlistFault } from '../services/gateway/limits.ts';
import { spelledLike } from '../trading/intake/near-miss.ts';
import { agentFaults, walletFaults } from './read-part-settings.ts';
import { withoutSecrets } from './script-config.ts';

export function readConfig(overrides: Record<string, string | undefined> = {}): Config {
  let dotEnvText: string | undefined;
  try {
    dotEnvText = readFileSync('.env', 'utf8');
  } catch (error) {
    // Without it a start would trade with other settings than its owner wrote.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      throw new ConfigError([
        `.env in ${process.cwd()} cannot be read (${(error as Error).message}); give the user that runs Signalbox read access to it, or remove it`,
      ]);
  }
  const checkAddressEntry = (entry: string): string | undefined => allowlistFault([entry]);
  const checkParts: LoadOptions['checkParts'] = ({ agent, wallet }) => [...agentFaults(agent), ...walletFaults(wallet)];
  return loadConfig(
    { ...process.env, ...overrides },
    { dotEnvText, checkAddressEntry, hasPassword: isPasswordStored, spelledLike, checkParts },
  );
}

/** For the script process: what a process has in its environment, whoever breaks into it can read. */
export const environmentForScripts = (): NodeJS.ProcessEnv => withoutSecrets(process.env);
