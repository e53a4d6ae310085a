// `signalbox accounts`: the accounts there are; and adding, testing and removing testnet and live ones with their credentials,
// which are typed or piped in and never stand on a command line.

import { ACCOUNT_NAME, EXCHANGE_ROWS, EXCHANGES } from '../../exchanges/exchange.ts';
import type { StoredAccountName } from '../../keys/stored-accounts.ts';
import { checkCredentials, readCredentials, type VenueCredentials } from '../../keys/venue-credentials.ts';
import {
  type Args,
  type Command,
  type LocalCall,
  type LocalIo,
  noWords,
  oneOf,
  onlyWord,
  type RouteCall,
  UsageFault,
} from '../command.ts';
import { isConfirmed } from '../confirm.ts';
import type { OpenedAccounts, TestedAccount } from '../host.ts';
import { nearest } from '../parse.ts';
import { cell, column, type Fields, modeColumn, pairs, printable, rowsOf, table, wordsColumn } from '../table.ts';

const ACCOUNT_COLUMNS = [
  column('exchange', 'exchange'),
  column('account', 'account'),
  modeColumn,
  column('positions', 'positionMode'),
  column('balance', 'balance', { right: true }),
];

const VERBS: Readonly<Record<string, (args: Args) => LocalCall>> = { list, add, test, confirm, remove };
const MODES = ['testnet', 'live'];
const POSITION_MODES = ['one-way', 'hedge'];
/** Lines of standard input: those of a private key in JSON, and some. */
const MAX_LINES = 200;

export const accounts: Command = {
  name: 'accounts',
  summary:
    'the accounts a signal can name; testnet and live ones with their credentials: list, add, test, confirm, remove',
  usage: [
    '',
    'list',
    'add <exchange:name> --mode testnet|live [--position-mode hedge]',
    'test <exchange:name>',
    'confirm <exchange:name> [--yes]',
    'remove <exchange:name> [--yes] [--force]',
  ],
  flags: {
    mode: 'of the new account: testnet or live',
    'position-mode': 'the position mode it is to have, one-way or hedge; as it is at the venue if left out',
  },
  switches: {
    yes: 'remove, or confirm real money, without asking first',
    force: 'remove an account with open positions or unfinished trades too',
  },
  plan(args) {
    const [verb, ...words] = args.words;
    if (verb === undefined) return showAll(args);
    const plan = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
    if (plan === undefined) {
      const near = nearest(verb, Object.keys(VERBS));
      throw new UsageFault(
        `accounts cannot "${verb}".${near === undefined ? '' : ` Did you mean "accounts ${near}"?`}`,
      );
    }
    for (const flag of ['url', 'token'])
      if (args.flags[flag] !== undefined)
        throw new UsageFault(
          `--${flag} does not go with "accounts ${verb}": credentials stay on the machine that has the data folder; say it there.`,
        );
    onlyWith(args, verb, 'add', ['mode', 'position-mode']);
    if (verb !== 'confirm') onlyWith(args, verb, 'remove', ['yes']);
    onlyWith(args, verb, 'remove', ['force']);
    return plan({ ...args, words });
  },
};

function showAll(args: Args): RouteCall {
  onlyWith(args, '', 'add', ['mode', 'position-mode']);
  onlyWith(args, '', 'remove', ['yes', 'force']);
  return {
    method: 'GET',
    path: '/accounts',
    show: ({ result }, paint) => table(ACCOUNT_COLUMNS, rowsOf(result), paint),
  };
}

function onlyWith({ flags, switches }: Args, verb: string, owner: string, names: readonly string[]): void {
  const given = names.find((name) => flags[name] !== undefined || switches.has(name));
  if (given !== undefined && verb !== owner) throw new UsageFault(`--${given} belongs to "accounts ${owner}".`);
}

/** `binance:scalp` */
function nameOf(word: string): StoredAccountName {
  const [venue = '', account, ...more] = word.split(':');
  if (account === undefined || more.length > 0)
    // Not repeated: it may be the key.
    throw new UsageFault('That names no account; write its exchange and its name, like binance:main.');
  const exchange = EXCHANGES.find((known) => known === oneOf(venue, EXCHANGES, 'Exchange'));
  // The key of a position, binance:scalp:BTCUSDT:LONG, could be read in two ways if an account were called like an exchange.
  if (exchange === undefined || !ACCOUNT_NAME.test(account) || EXCHANGES.some((known) => known === account))
    throw new UsageFault(
      `"${account}" is no name for an account; use 1 to 32 small letters, digits, - and _, a letter or digit first, and not the name of an exchange.`,
    );
  return { exchange, account };
}

const inFull = ({ exchange, account }: StoredAccountName): string => `${exchange}:${account}`;

function onAccounts(
  args: Args,
  work: (opened: OpenedAccounts, io: LocalIo) => Promise<number>,
  options: { readonly makeFolder?: boolean } = {},
): LocalCall {
  const dataDir = args.flags['data-dir'];
  return {
    async run(io) {
      const opened = await io.openAccounts(dataDir === undefined ? options : { ...options, dataDir });
      try {
        return await work(opened, io);
      } finally {
        await opened.close();
      }
    },
  };
}

const LIST_COLUMNS = [
  { title: 'account', of: ({ exchange, account }: Fields) => `${cell(exchange)}:${cell(account)}` },
  modeColumn,
  column('credentials', 'credentialsFrom'),
  { title: 'key', of: ({ keyStart }: Fields) => (keyStart === '' ? '-' : `${cell(keyStart)}…`) },
  { title: 'real money', of: confirmationInWords },
  wordsColumn('off', 'off'),
];

/** Nobody has confirmed an account that does not exist for want of credentials. */
function confirmationInWords({ mode, credentialsFrom, isUnconfirmed }: Fields): string {
  if (mode !== 'live' || credentialsFrom === 'none') return '-';
  return isUnconfirmed === true ? 'NOT CONFIRMED' : 'confirmed';
}

function list(args: Args): LocalCall {
  noWords(args.words);
  return onAccounts(args, async (opened, io) => {
    const { accounts: rows, faults } = await opened.list();
    if (args.switches.has('json'))
      io.out(JSON.stringify({ success: faults.length === 0, result: rows, faults }, null, 2));
    else {
      io.out(table(LIST_COLUMNS, rowsOf(rows), io.paint));
      for (const fault of faults) io.err(`No start is possible. ${printable(fault)}`);
      io.err(io.paint('dim', `(${printable(opened.where)})`));
    }
    return faults.length === 0 ? 0 : 1;
  });
}

function add(args: Args): LocalCall {
  const { words, flags } = args;
  const name = nameOf(words[0] ?? onlyWord(words, 'the account'));
  // Not repeated: it may be the key.
  if (words.length > 1)
    throw new UsageFault(
      'Nothing may follow the name: a key on the command line stays in the history of the shell and in the list of processes. ' +
        'Leave it out, and you are asked for it.',
    );
  const title = EXCHANGE_ROWS[name.exchange].title;
  if (flags.mode === undefined) throw new UsageFault('--mode is missing: say testnet or live.');
  const mode = oneOf(flags.mode, MODES, 'Mode') as 'testnet' | 'live';
  if (mode === 'testnet' && !EXCHANGE_ROWS[name.exchange].hasTestnet)
    throw new UsageFault(`${title} has no testnet; use --mode live, or trade on paper.`);
  const positionMode = flags['position-mode'];
  if (positionMode !== undefined) oneOf(positionMode, POSITION_MODES, 'Position mode');
  const account = { ...name, mode, ...(positionMode !== undefined && { positionMode: positionMode as 'hedge' }) };
  const store = async (credentials: VenueCredentials, opened: OpenedAccounts, io: LocalIo): Promise<number> => {
    const { sealedWith, keyStart, waits } = await opened.add(account, credentials);
    const next = opened.running ? 'Restart Signalbox to use it.' : 'It is used from the next start on.';
    if (args.switches.has('json'))
      io.out(JSON.stringify({ success: true, result: { ...account, keyStart, sealedWith, waits } }, null, 2));
    else {
      io.out(`Stored ${inFull(name)} (${mode}), key ${printable(keyStart)}…, sealed with ${printable(sealedWith)}.`);
      io.out(
        'Keep a copy of that key apart from the data folder: without it stored credentials and the secrets of webhooks are lost, and one-time codes of the dashboard cannot be checked.',
      );
      io.out(waits === '' ? next : `It waits: ${printable(waits)}.`);
      io.err(io.paint('dim', `(${printable(opened.where)})`));
    }
    return 0;
  };
  return {
    async run(io) {
      const credentials = await credentialsFor(inFull(name), io);
      // On a fresh install the account comes before the first start, which would have nothing to open otherwise.
      return onAccounts(args, (opened) => store(credentials, opened, io), { makeFolder: true }).run(io);
    },
  };
}

async function credentialsFor(name: string, io: LocalIo): Promise<VenueCredentials> {
  const typed = await io.askSecrets([`API key of ${name}`, 'Its secret']);
  const read =
    typed === undefined
      ? readCredentials((await io.readLines(MAX_LINES)).join('\n'))
      : checkCredentials({ apiKey: typed[0] ?? '', secret: typed[1] ?? '' });
  if ('fault' in read) throw new Error(`Nothing was stored: ${read.fault}.`);
  return read;
}

function test(args: Args): LocalCall {
  const name = nameOf(onlyWord(args.words, 'the account'));
  return onAccounts(args, async (opened, io) => {
    const found = await opened.test(name);
    if (args.switches.has('json'))
      io.out(JSON.stringify({ success: found.refusal === undefined, result: found }, null, 2));
    else showTested(inFull(name), found, io);
    return found.refusal === undefined ? 0 : 1;
  });
}

const yesOrNo = (value: boolean | undefined): string => (value === undefined ? 'not told' : value ? 'yes' : 'no');

function showTested(name: string, found: TestedAccount, io: LocalIo): void {
  const { clockOffsetMs, balance, positionMode, permissions, refusal, advice } = found;
  io.out(`${name} answers.`);
  io.out(
    pairs(
      [
        ['clock', `${clockOffsetMs} ms ahead of ours`],
        ['balance', `${balance} USDT`],
        ['position mode', positionMode],
        ['may trade', yesOrNo(permissions.canTrade)],
        ['may withdraw', yesOrNo(permissions.canWithdraw)],
        ['may transfer', yesOrNo(permissions.canTransfer)],
        ['locked to addresses', yesOrNo(permissions.ipLocked)],
      ],
      io.paint,
    ),
  );
  for (const text of advice) io.err(`Note: ${printable(text)}.`);
  if (refusal !== undefined) io.err(`${io.errPaint('red', 'It would not be opened:')} ${printable(refusal)}.`);
}

/** The owner's word that an account may risk real money, given once. */
function confirm(args: Args): LocalCall {
  const name = nameOf(onlyWord(args.words, 'the account'));
  return onAccounts(args, async (opened, io) => {
    const { keyStart } = await opened.live(name);
    const question = `Really let ${inFull(name)} (key ${printable(keyStart)}…) open positions with REAL MONEY?`;
    if (!args.switches.has('yes') && !(await isConfirmed(question, io))) return 1;
    await opened.confirm(name);
    if (args.switches.has('json')) io.out(JSON.stringify({ success: true, result: name }, null, 2));
    else {
      io.out(`${inFull(name)} may open positions with REAL MONEY from now on, without a restart.`);
      io.out('Stop that at any time: signalbox kill-switch on.');
      io.err(io.paint('dim', `(${printable(opened.where)})`));
    }
    return 0;
  });
}

function remove(args: Args): LocalCall {
  const name = nameOf(onlyWord(args.words, 'the account'));
  const force = args.switches.has('force');
  return onAccounts(args, async (opened, io) => {
    const question = `Really remove ${inFull(name)} with its credentials?`;
    if (!args.switches.has('yes') && !(await isConfirmed(question, io))) return 1;
    await opened.remove(name, { force });
    if (args.switches.has('json')) io.out(JSON.stringify({ success: true, result: name }, null, 2));
    else {
      io.out(
        `Removed ${inFull(name)} and its credentials. The API key itself still works: delete it at the exchange too.`,
      );
      if (opened.running) io.out('The running instance keeps it until it is restarted.');
      io.err(io.paint('dim', `(${printable(opened.where)})`));
    }
    return 0;
  });
}
