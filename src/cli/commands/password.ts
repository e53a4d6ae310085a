// `signalbox password`: sets or changes the password of the dashboard, which is typed or piped in and never stands on a command line;
// and the way back for an owner who has lost it, or his authenticator app.

import { type Args, type Command, type LocalCall, type LocalIo, noWords, UsageFault } from '../command.ts';
import { isConfirmed } from '../confirm.ts';
import type { OpenedAccess } from '../host.ts';
import { printable } from '../table.ts';

export const password: Command = {
  name: 'password',
  summary: 'the password of the dashboard: set, change, remove; end its one-time codes',
  usage: ['', '--remove [--yes]', '--totp-off [--yes]'],
  flags: {},
  switches: {
    remove: 'remove the password: nobody can log in then, and every session ends',
    'totp-off': 'ask for no codes of an authenticator app any more',
    yes: 'remove, or end the codes, without asking first',
  },
  plan(args) {
    noWords(args.words);
    for (const flag of ['url', 'token'])
      if (args.flags[flag] !== undefined)
        throw new UsageFault(
          `--${flag} does not go with "password": whoever sets it without the old one must have the data folder in his hands; say it on that machine, or change it in the dashboard.`,
        );
    const isRemove = args.switches.has('remove');
    const isTotpOff = args.switches.has('totp-off');
    if (isRemove && isTotpOff)
      throw new UsageFault('--remove ends the codes too; say only one of --remove and --totp-off.');
    if (!isRemove && !isTotpOff && args.switches.has('yes'))
      throw new UsageFault('--yes belongs to "password --remove" and "password --totp-off".');
    return onAccess(args, isRemove ? remove(args) : isTotpOff ? endCodes(args) : set(args));
  },
};

type Work = (opened: OpenedAccess, io: LocalIo) => Promise<number>;

function onAccess(args: Args, work: Work): LocalCall {
  const dataDir = args.flags['data-dir'];
  return {
    async run(io) {
      const opened = await io.openAccess(dataDir === undefined ? {} : { dataDir });
      try {
        return await work(opened, io);
      } finally {
        await opened.close();
      }
    },
  };
}

const set =
  (args: Args): Work =>
  async (opened, io) => {
    const wasSet = await opened.isPasswordSet();
    await opened.setPassword(await newPassword(io));
    const words = wasSet
      ? 'The password is changed. Every session has ended; log in with the new one.'
      : 'The password is set. Log in with it in the dashboard.';
    return told(args, opened, io, { passwordSet: true }, words);
  };

/** On a terminal twice, because nobody sees what is typed. */
async function newPassword(io: LocalIo): Promise<string> {
  const typed = await io.askSecrets(['New password', 'Once more']);
  if (typed !== undefined) {
    const [first = '', second = ''] = typed;
    if (first !== second) throw new Error('Nothing was done: the two are not the same. Try again.');
    return first;
  }
  const [line = ''] = await io.readLines(1);
  if (line === '')
    throw new Error(
      'Nothing was done: no password came by standard input. Pipe one line in, or type it on a terminal.',
    );
  return line;
}

const remove =
  (args: Args): Work =>
  async (opened, io) => {
    const question = 'Really remove the password? Every session ends, and nobody can log in until a new one is set.';
    if (!(await isAgreed(args, io, question))) return 1;
    if (!(await opened.removePassword())) return nothing(io, 'No password is set; there is nothing to remove.');
    return told(args, opened, io, { passwordSet: false }, 'The password is removed, and every session has ended.');
  };

const endCodes =
  (args: Args): Work =>
  async (opened, io) => {
    const question = 'Really ask for no codes any more? The password alone lets in then.';
    if (!(await isAgreed(args, io, question))) return 1;
    if (!(await opened.removeTotp())) return nothing(io, 'No codes are asked for; there is nothing to end.');
    return told(
      args,
      opened,
      io,
      { codeNeeded: false },
      'No codes are asked for any more: the password alone lets in.',
    );
  };

const isAgreed = async (args: Args, io: LocalIo, question: string): Promise<boolean> =>
  args.switches.has('yes') || isConfirmed(question, io);

function nothing(io: LocalIo, words: string): number {
  io.err(words);
  return 1;
}

function told(args: Args, opened: OpenedAccess, io: LocalIo, result: object, words: string): number {
  if (args.switches.has('json')) io.out(JSON.stringify({ success: true, result }, null, 2));
  else {
    io.out(words);
    io.err(io.paint('dim', `(${printable(opened.where)})`));
  }
  return 0;
}
