// `signalbox wallet`: seals a signing key in a key file, and tells the account it belongs to. No key ever stands on the command line.

import { readPrivateKey } from '../../wallet/private-key.ts';
import { type Args, type LocalCommand, type LocalIo, noWords, UsageFault } from '../command.ts';
import { cell } from '../table.ts';

const HOW = 'Pipe it in: signalbox wallet import < key.txt';

export const wallet: LocalCommand = {
  name: 'wallet',
  summary: 'import the signing key, show its address',
  usage: ['import [--file wallet.json]', 'address [--file wallet.json]'],
  flags: { file: 'the key file; WALLET_KEYSTORE, else wallet.json in the data folder, if left out' },
  async local(args, io) {
    const [verb, ...words] = args.words;
    if (verb === 'import') return importKey({ ...args, words }, io);
    if (verb === 'address') return showAddress({ ...args, words }, io);
    throw new UsageFault(
      verb === undefined
        ? 'Say "wallet import" or "wallet address".'
        : `wallet cannot "${cell(verb)}"; use import or address.`,
    );
  },
};

async function importKey({ words, flags, env }: Args, io: LocalIo): Promise<number> {
  // Not repeated: it may be the key.
  if (words.length > 0)
    throw new UsageFault(
      `Nothing may follow "wallet import": a key on the command line stays in the shell's history. ${HOW}`,
    );
  const host = io.wallet;
  const known = env.WALLET_PASSWORD || undefined;
  if (io.screen !== undefined)
    io.err(
      `Reading the private key${known === undefined ? ', then the password,' : ''} from standard input, a line each.`,
    );
  const [keyText, typed] = await io.readLines(known === undefined ? 2 : 1);
  if (keyText === undefined) throw new UsageFault(`There is no private key on standard input. ${HOW}`);
  const read = readPrivateKey(keyText);
  if ('fault' in read) throw new UsageFault(`What stands in the first line of standard input ${read.fault}.`);
  const password = known ?? typed;
  if (password === undefined || password === '')
    throw new UsageFault(
      'The password is missing. Set WALLET_PASSWORD, or put it on the second line of standard input.',
    );
  const { address, file } = await host.importWalletKey({ privateKey: read.key, password, file: flags.file });
  io.out(`Sealed the key of ${io.paint('bold', address)} in ${file}.`);
  io.out(
    `Set WALLET_KEYSTORE=${file} and WALLET_PASSWORD, and restart. Keep a copy of the file and the password: nobody can restore them.`,
  );
  return 0;
}

async function showAddress({ words, flags }: Args, io: LocalIo): Promise<number> {
  noWords(words);
  const { address, where } = await io.wallet.walletAddress(flags.file);
  io.out(address);
  io.err(`From ${where}.`);
  return 0;
}
