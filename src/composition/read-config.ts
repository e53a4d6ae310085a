// Reads the settings of this process: the environment, then the `.env` file of the working folder.

import { accessSync, constants, readFileSync } from 'node:fs';
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
      throw new ConfigError([unreadable(error as Error)], 'The settings cannot be read.');
  }
  const checkAddressEntry = (entry: string): string | undefined => allowlistFault([entry]);
  const checkParts: LoadOptions['checkParts'] = ({ agent, wallet }) => [...agentFaults(agent), ...walletFaults(wallet)];
  return loadConfig(
    { ...process.env, ...overrides },
    { dotEnvText, checkAddressEntry, hasPassword: isPasswordStored, spelledLike, checkParts },
  );
}

/** In a folder that cannot be entered nobody knows whether there is a file. */
function unreadable({ message }: Error): string {
  const folder = process.cwd();
  try {
    accessSync('.', constants.X_OK);
  } catch {
    return `the working folder ${folder} cannot be entered by this user, and a .env may be in it; go to one that he may enter first, such as: cd /`;
  }
  return `.env in ${folder} cannot be read (${message}); give the user that runs Signalbox read access to it, or remove it`;
}

/** For the script process: what a process has in its environment, whoever breaks into it can read. */
export const environmentForScripts = (): NodeJS.ProcessEnv => withoutSecrets(process.env);
