// Every command in a folder where there is no Signalbox: it says so, ends with 1, and leaves the folder as empty as it was.
//
// The commands and their forms are read from the command line's own help, so that a new one cannot escape this test. Each
// runs in the process of the test, with the folder named; some besides as people run them, in a folder they went to.

import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { runSignalbox } from '../support/process.ts';
import { commandLineHere, type Printed, signalWords } from './command-line.ts';

const KEY_ID = '0123456789ab';
const DEPLOYED = ['--symbol', 'BTCUSDT', '--interval', '1h', '--targets', 'signals', '--key', `pn_${'a'.repeat(48)}`];
const SCRIPT_KEY = `pn_${'a'.repeat(48)}`;
const WALLET_KEY = '1'.repeat(64);

interface Form {
  readonly words: readonly string[];
  /** What it ends with; where it needs an instance it must also say how to name one. */
  readonly code: number;
  readonly needsInstance: boolean;
  readonly input?: readonly string[];
}
const needs = (...words: string[]): Form => ({ words, needsInstance: true, code: 1 });
/** Works on files that are named, or on nothing. */
const alone = (code: number, ...words: string[]): Form => ({ words, needsInstance: false, code });

/** One command line for every form that `signalbox help <command>` shows; `start` alone may make a folder, and `accounts add` once it has credentials. */
const FORMS: Readonly<Record<string, Form>> = {
  worker: alone(1, 'worker'),
  archive: needs('archive'),
  'archive --before': needs('archive', '--before', '365d'),
  'backup [--to': needs('backup'),
  'restore <file>': alone(1, 'restore', 'nowhere.tar.gz'),
  doctor: alone(0, 'doctor'),
  'signal --exchange': needs(...signalWords(`whk_${'k'.repeat(43)}`)),
  'signals [--limit': needs('signals'),
  'refusals [--limit': needs('refusals'),
  'refusals resend <id>': needs('refusals', 'resend', '01890000-0000-7000-8000-000000000000'),
  'symbol-map [list]': needs('symbol-map'),
  'symbol-map set': needs('symbol-map', 'set', 'GOLD', 'PAXGUSDT'),
  'symbol-map remove': needs('symbol-map', 'remove', 'GOLD'),
  stops: needs('stops'),
  'stops set <key>': needs('stops', 'set', 'binance:BTCUSDT:LONG', '--stop-loss', '2%'),
  'stops move <key>': needs('stops', 'move', 'binance:BTCUSDT:LONG', '60000'),
  'stops remove <key>': needs('stops', 'remove', 'binance:BTCUSDT:LONG'),
  'pause <kind:name>': needs('pause', 'strategy:ema'),
  'resume <kind:name>': needs('resume', 'strategy:ema'),
  password: { ...needs('password'), input: ['four words in a row'] },
  'password --remove': needs('password', '--remove', '--yes'),
  'password --totp-off': needs('password', '--totp-off', '--yes'),
  sessions: needs('sessions'),
  'sessions revoke <sessionId>': needs('sessions', 'revoke', KEY_ID),
  'sessions revoke --all': needs('sessions', 'revoke', '--all'),
  notify: needs('notify'),
  'notify test': needs('notify', 'test'),
  'migrate --to': needs('migrate', '--to', 'postgres://me:word@127.0.0.1:1/box'),
  'replay --from': needs('replay', '--from', '2026-11-09'),
  'trades [--limit': needs('trades'),
  'trades <requestId>': needs('trades', 'r-1'),
  'trades note <requestId>': needs('trades', 'note', 'r-1', 'why'),
  'trades tag <requestId>': needs('trades', 'tag', 'r-1', 'news'),
  'order --exchange': needs(
    'order',
    '--exchange',
    'binance',
    '--action',
    'LONG',
    '--symbol',
    'BTCUSDT',
    '--quantity',
    '1',
    '--yes',
  ),
  positions: needs('positions'),
  accounts: needs('accounts'),
  'accounts list': needs('accounts', 'list'),
  'accounts add': alone(1, 'accounts', 'add', 'binance:main', '--mode', 'live'),
  'accounts test': needs('accounts', 'test', 'binance:main'),
  'accounts remove': needs('accounts', 'remove', 'binance:main', '--yes'),
  'account [--exchange': needs('account'),
  'performance [--by': needs('performance'),
  'performance --twin': needs('performance', '--twin'),
  reconcile: needs('reconcile'),
  'markets [--exchange': needs('markets'),
  'bars list': needs('bars', 'list'),
  'bars gaps': needs('bars', 'gaps', '--symbol', 'BTCUSDT', '--timeframe', '1m', '--from', '2026-01-01'),
  'bars download': needs('bars', 'download', '--symbol', 'BTCUSDT', '--timeframe', '1m', '--from', '2026-01-01'),
  'close <key>…': needs('close', 'binance:BTCUSDT:LONG'),
  'flatten [--yes]': needs('flatten', '--yes'),
  'orders [--state': needs('orders'),
  'cancel <clientOrderId>': needs('cancel', 'sbx1'),
  'cancel --all': needs('cancel', '--all'),
  'cancel [--exchange': needs('cancel', '--symbol', 'BTCUSDT'),
  'keys list': needs('keys', 'list'),
  'keys create <label>': needs('keys', 'create', 'mine'),
  'keys rotate <keyId>': needs('keys', 'rotate', KEY_ID),
  'keys revoke <keyId>': needs('keys', 'revoke', KEY_ID),
  'keys list --analysis': needs('keys', 'list', '--analysis'),
  'keys create --analysis|--scripts': needs('keys', 'create', '--scripts'),
  'keys revoke <keyId> --analysis': needs('keys', 'revoke', KEY_ID, '--analysis'),
  'keys route <keyId>': needs('keys', 'route', KEY_ID, '--routes', 'main'),
  'keys revoke whk_…|pyn_…|pn_…': needs('keys', 'revoke', `pn_${'a'.repeat(48)}`),
  'keys renew pn_…': needs('keys', 'renew', `pn_${'a'.repeat(48)}`),
  'keys renew --scripts --user': needs('keys', 'renew', '--scripts', '--user', 'a'.repeat(32)),
  'deployments list': needs('deployments', 'list'),
  'deployments create strategy.pine': needs('deployments', 'create', 'none.pine', ...DEPLOYED),
  'deployments create --script': needs('deployments', 'create', '--script', 'x', ...DEPLOYED),
  'deployments show': needs('deployments', 'show', 'x'),
  'deployments log': needs('deployments', 'log', 'x'),
  'deployments compare': needs('deployments', 'compare', 'x'),
  'deployments pause': needs('deployments', 'pause', 'x'),
  'deployments resume': needs('deployments', 'resume', 'x'),
  'deployments remove': needs('deployments', 'remove', 'x'),
  'deployments opinions': needs('deployments', 'opinions', 'x'),
  'libraries list': needs('libraries', 'list', '--key', SCRIPT_KEY),
  'libraries publish library.pine': needs('libraries', 'publish', 'none.pine', '--key', SCRIPT_KEY),
  'libraries publish --script': needs('libraries', 'publish', '--script', 'x', '--key', SCRIPT_KEY),
  'libraries show': needs('libraries', 'show', 'me/Tools/1', '--key', SCRIPT_KEY),
  'libraries withdraw': needs('libraries', 'withdraw', 'me/Tools/1', '--key', SCRIPT_KEY),
  'kill-switch [status]': needs('kill-switch'),
  'kill-switch on': needs('kill-switch', 'on'),
  'kill-switch off': needs('kill-switch', 'off'),
  'queue-mode': needs('queue-mode'),
  'queue-mode direct|async|failover': needs('queue-mode', 'async'),
  allowlist: needs('allowlist'),
  'allowlist set': needs('allowlist', 'set', 'tradingview'),
  'allowlist off': needs('allowlist', 'off'),
  limits: needs('limits'),
  'limits [--webhook-rate-per-minute': needs('limits', '--webhook-rate-per-minute', '5'),
  'audit [--limit': needs('audit'),
  'run script.pine': alone(1, 'run', 'none.pine', '--bars', 'none.csv'),
  'run strategy.pine': alone(1, 'run', 'none.pine', '--bars', 'none.csv', '--trades', 'trades.csv'),
  'backtest strategy.pine': alone(1, 'backtest', 'none.pine', '--bars', 'none.csv', '--report', 'report.html'),
  'runs list': alone(0, 'runs', 'list'),
  'runs show': alone(1, 'runs', 'show', '1'),
  'runs compare': alone(1, 'runs', 'compare', '1', '2'),
  'runs note': alone(1, 'runs', 'note', '1', 'x'),
  'runs check': alone(1, 'runs', 'check', '1'),
  'runs remove': alone(1, 'runs', 'remove', '1'),
  'optimize strategy.pine': alone(1, 'optimize', 'none.pine', '--bars', 'none.csv', '--vary', 'n=1'),
  'convert script.pine': alone(1, 'convert', 'none.pine'),
  'convert script.pine --output': alone(1, 'convert', 'none.pine', '--output', 'new.pine'),
  'convert script.pine --json': alone(1, 'convert', 'none.pine', '--json'),
  'convert -': alone(1, 'convert', '-'),
  'check script.pine…': alone(1, 'check', 'none.pine'),
  'format script.pine…': alone(1, 'format', 'none.pine'),
  'format script.pine --stdout': alone(1, 'format', 'none.pine', '--stdout'),
  'format -': alone(1, 'format', '-'),
  'wallet import': { ...needs('wallet', 'import'), input: [WALLET_KEY, 'a-good-password'] },
  'wallet address': needs('wallet', 'address'),
  'help [command]': alone(0, 'help'),
};

const emptyFolder = (): string => mkdtempSync(join(tmpdir(), 'signalbox-empty-'));

/** One of each way to look for an instance; and what works without one, which may need a process for its scripts. */
const AS_PEOPLE_RUN_THEM = Object.values(FORMS).filter(
  ({ words, needsInstance }) =>
    !needsInstance ||
    ['kill-switch on', 'positions', 'keys list --analysis', 'keys create --scripts', 'wallet import'].includes(
      words.join(' '),
    ),
);

/** In this folder and nowhere else: without the setting the key file would be in /data, which others may have. */
function inFolder(folder: string, { words, input = [] }: Form) {
  const env = { API_KEY_STORE: join(folder, 'data', 'api_keys.json') };
  return runSignalbox(words, env, folder, input.map((line) => `${line}\n`).join(''));
}

function expectNothingMade(folder: string, form: Form, { code, stdout, stderr }: Printed): void {
  expect(readdirSync(folder)).toEqual([]);
  expect(code, stderr).toBe(form.code);
  if (!form.needsInstance) return;
  expect(stdout).toBe('');
  expect(stderr).toContain(join(folder, 'data'));
  expect(stderr).toMatch(/--url|--data-dir|DATA_DIR|--file/);
}

/** `kill-switch on` of the line `signalbox kill-switch on [--scope …]`: the words that tell the forms apart. */
const formOf = (line: string): string | undefined =>
  Object.keys(FORMS)
    .toSorted((a, b) => b.length - a.length)
    .find((form) => `${line} `.startsWith(`${form} `));

describe('in an empty folder', () => {
  let forms: readonly string[];
  beforeAll(async () => {
    const cli = commandLineHere({});
    const names = [...(await cli.done('help')).matchAll(/^ {2}([a-z-]+) {2,}\S/gm)].map(([, name = '']) => name);
    expect(names).toContain('kill-switch');
    const texts: string[] = [];
    for (const name of names) texts.push(await cli.done('help', name));
    forms = texts.flatMap((text) => [...text.matchAll(/^ {2}signalbox (.+)$/gm)].map(([, form = '']) => form));
  });

  it('every form of every command is in the table of this test, but start', () => {
    expect(forms.filter((form) => form !== 'start' && formOf(form) === undefined)).toEqual([]);
    expect([...new Set(forms.map(formOf))].length).toBe(Object.keys(FORMS).length + 1);
  });

  it.each(Object.values(FORMS).filter(({ needsInstance }) => needsInstance))(
    '$words makes nothing, and is refused',
    async (form) => {
      const folder = emptyFolder();
      const cli = commandLineHere({ DATA_DIR: join(folder, 'data') }, form.input);
      expectNothingMade(folder, form, await cli.run(...form.words));
    },
  );

  it.concurrent.each(AS_PEOPLE_RUN_THEM)(
    '$words in a process there makes nothing, and is refused where it needs an instance',
    async (form) => {
      const folder = emptyFolder();
      expectNothingMade(folder, form, await inFolder(folder, form));
    },
  );
});
