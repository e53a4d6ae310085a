// `signalbox backup` and `signalbox restore`: everything that an instance has as one file, and back.

import { type LocalCommand, type LocalIo, noWords, onlyWord } from '../command.ts';
import type { AskPassphrase, BackupReport, RestoreReport } from '../host.ts';
import { printable } from '../table.ts';

const DONE = 0;
const MIB = 1024 * 1024;

export const backup: LocalCommand = {
  name: 'backup',
  summary: 'put everything that an instance has into one file, while it runs or not, and prove that it can be read',
  usage: ['[--to FILE|FOLDER] [--encrypt] [--with-keys] [--with-bars] [--json]'],
  flags: {
    to: 'the file, or a folder that gets one; BACKUP_DIR or the working folder if left out',
    'data-dir': 'data folder to back up, instead of that of the settings',
  },
  switches: {
    encrypt: 'ask for a passphrase and encrypt it; it is encrypted anyway where SIGNALBOX_BACKUP_PASSPHRASE is set',
    'with-keys': 'put master.key and the key file of the wallet in although it is not encrypted',
    'with-bars': 'put the bars of exchanges in, which are only a cache',
    json: 'print the answer as JSON and nothing else',
  },
  async local({ words, flags, switches }, io) {
    noWords(words);
    const report = await io.backup({
      dataDir: flags['data-dir'],
      to: flags.to,
      encrypt: switches.has('encrypt'),
      withKeys: switches.has('with-keys'),
      withBars: switches.has('with-bars'),
      askPassphrase: askingOn(io),
    });
    io.out(switches.has('json') ? JSON.stringify(report, null, 2) : backupText(report));
    return DONE;
  },
};

export const restore: LocalCommand = {
  name: 'restore',
  summary: 'make a data folder out of a backup; it starts with the kill switch on and sends nothing twice',
  usage: ['<file> [--to FOLDER] [--replace] [--unencrypted] [--json]'],
  flags: { to: 'the data folder to make, instead of that of the settings; it must be empty or absent' },
  switches: {
    replace: 'move what is in the folder aside first; it is never deleted',
    unencrypted:
      'take a file that is not encrypted although SIGNALBOX_BACKUP_PASSPHRASE is set or its name ends in .sealed',
    json: 'print the answer as JSON and nothing else',
  },
  async local({ words, flags, switches }, io) {
    const file = onlyWord(words, 'the file of the backup');
    const report = await io.restore({
      file,
      to: flags.to,
      replace: switches.has('replace'),
      allowUnencrypted: switches.has('unencrypted'),
      askPassphrase: askingOn(io),
    });
    io.out(switches.has('json') ? JSON.stringify(report, null, 2) : restoreText(report));
    return DONE;
  },
};

const askingOn =
  (io: LocalIo): AskPassphrase =>
  async (isNew) => {
    // Twice, because nobody sees what is typed, and what is encrypted with a slip of the finger is lost.
    const typed = await io.askSecrets(isNew ? ['Passphrase of the backup', 'Once more'] : ['Passphrase of the backup']);
    const [first = '', second = first] = typed ?? (await io.readLines(1));
    if (first !== second) throw new Error('Nothing was done: the two are not the same. Try again.');
    if (first === '' || (isNew && first.length < MIN_CHARS))
      throw new Error(
        `Nothing was done: a passphrase has at least ${MIN_CHARS} characters. Type it, pipe it in as one line, or set SIGNALBOX_BACKUP_PASSPHRASE.`,
      );
    return first;
  };

const MIN_CHARS = 16;

const ENCRYPTED = 'It is encrypted: without its passphrase it is lost.';
const READABLE =
  'It is NOT encrypted: whoever has the file can read your trades, signals, settings and scripts, and use your script keys and the ' +
  'addresses of webhooks of deployments. Other keys are in it as hashes, credentials of exchanges sealed with a master key that is ' +
  'not in it. Keep it to yourself, or say --encrypt.';
const KEYS_READABLE =
  'It is NOT encrypted, and master.key is in it: whoever has the file can trade with your accounts. Keep it as you keep your money, ' +
  'or say --encrypt.';

function backupText({ file, bytes, isEncrypted, holds, leftOut }: BackupReport): string {
  const secrecy = isEncrypted ? ENCRYPTED : holds.includes('master.key') ? KEYS_READABLE : READABLE;
  return [
    `${printable(file)} (${(bytes / MIB).toFixed(1)} MiB) is written, and was read back: it is whole.`,
    `In it: ${holds.map(printable).join(', ')}.`,
    `Not in it: ${leftOut.map(printable).join('; ')}.`,
    secrecy,
  ].join('\n');
}

const MARKED = [
  'The kill switch is on, and what was unfinished in the backup is not sent again. Keys that were revoked since the backup are valid ' +
    'again; sessions have ended.',
  'Next: signalbox start, signalbox reconcile, signalbox positions, and when all is right signalbox kill-switch off.',
];
/** Of an instance that only serves the Analysis API or scripts. */
const NOT_MARKED = [
  'There are no trades and no settings in it, so it has no kill switch either. Keys that were revoked since the backup are valid again.',
  'Next: signalbox start.',
];

function restoreText({ folder, aside, madeAt, version, isKillSwitchOn, notes }: RestoreReport): string {
  return [
    `${printable(folder)} is restored from a backup of ${printable(madeAt)} (version ${printable(version)}); every file was checked.`,
    ...(aside === undefined ? [] : [`What was there before is in ${printable(aside)}.`]),
    ...notes.map(printable),
    ...(isKillSwitchOn ? MARKED : NOT_MARKED),
  ].join('\n');
}
