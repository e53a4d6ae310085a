// Makes one backup of a data folder into a folder, prints its path and ends: what a running instance starts when it is time.

import { errorText } from '../errors/error-text.ts';
import { backupFolder } from './backup.ts';

const [dataDir, folder] = process.argv.slice(2);

process.umask(0o077);
try {
  // The passphrase comes by the settings; there is nobody to ask.
  const askPassphrase = () => Promise.reject(new Error('nobody is here to give a passphrase'));
  const asked = { encrypt: false, withKeys: false, withBars: false, askPassphrase };
  const { file } = await backupFolder({ dataDir, to: `${folder}/`, ...asked });
  process.stdout.write(file);
} catch (error) {
  process.stderr.write(errorText(error));
  process.exitCode = 1;
}
