// `signalbox deployments create`: stores the script in the library of a key, and deploys it on a market, in one step.

import { basename } from 'node:path';
import { isScriptId, MAX_ID_CHARS } from '../library/script.ts';
import {
  type Args,
  commaList,
  noWords,
  oneOf,
  onlyWord,
  plainNumber,
  type RouteCalls,
  UsageFault,
  wholeNumber,
} from './command.ts';
import { newDeploymentText } from './deployments-text.ts';
import type { Answer, Connection } from './host.ts';
import { scriptRefusalText, succeeded } from './refusal-text.ts';
import { CommandFiles, INPUT } from './script-files.ts';
import { assertRunning, scriptKeyIn } from './script-key.ts';
import { type Fields, fieldsOf, printable } from './table.ts';
import { inputsOf } from './wanted-run.ts';

export const CREATE_FLAGS = {
  key: 'with create: the script key, whose library keeps the script (or SIGNALBOX_SCRIPT_KEY)',
  symbol: 'with create: the market, like BTCUSDT',
  interval: 'with create: the length of a bar: 1m, 15m, 4h, 1d',
  mode: 'with create: dry-run writes into the log what would be traded, trade trades; a strategy is a dry run if left out',
  targets:
    'with create: where alerts and fills go: trade (if left out), second-opinion, signals, telegram, or the address of a webhook; several with commas',
  'webhook-key':
    'with create: the webhook key that it trades under, or that the alerts of TradingView have (or SIGNALBOX_WEBHOOK_KEY)',
  exchange: 'with create: where a strategy trades; the venue of a symbol like BINANCE:BTCUSDT if left out',
  strategy: 'with create: whose share of the position its orders are; its own if left out',
  capital: 'with create: what a strategy begins with, the money of your account; what the script declares if left out',
  name: 'with create: what it is called; the name of the file if left out',
  script: 'with create: a script that is stored already, by its id, instead of a file',
  replaces:
    'with create: the id of a dry run whose place it takes in one step; its log goes on there. One that trades is not replaced',
  revision: 'with create and --script: the revision; the current one if left out',
} as const;

export const CREATE_LISTS = { input: 'with create: value of an input by its title, like "Length=20"' } as const;

export function createDeployment({ words, flags, lists, env }: Args): RouteCalls {
  const missing = ['symbol', 'interval'].filter((name) => !flags[name]);
  if (missing.length > 0) throw new UsageFault(`Missing: ${missing.map((name) => `--${name}`).join(', ')}.`);
  const { symbol, interval, mode, capital, name, script, revision, replaces } = flags;
  if (script !== undefined) noWords(words);
  const file = script === undefined ? onlyWord(words, 'the file with the script') : undefined;
  if (replaces === '')
    throw new UsageFault('--replaces needs the id of the dry run; "signalbox deployments list" shows it.');
  if (revision !== undefined && script === undefined) throw new UsageFault('--revision goes with --script.');
  const key = scriptKeyIn({ flags, env });
  const plan = {
    ...{ symbol, interval, targets: targetsOf({ flags, env }), inputs: inputsOf(lists.input ?? []) },
    ...(mode === undefined ? {} : { mode: oneOf(mode, ['dry-run', 'trade'], 'Mode') }),
    ...(capital === undefined ? {} : { initialCapital: plainNumber(capital, 'capital') }),
    ...(name === undefined ? {} : { name }),
    ...(replaces === undefined ? {} : { replaces }),
    ...(revision === undefined ? {} : { revision: wholeNumber(revision, 'revision') }),
  };
  return {
    async callAll(connection, io, isJson) {
      assertRunning(connection, 'deployments');
      const tell = async (answer: Answer): Promise<number> => {
        if (isJson) io.out(JSON.stringify(answer.body ?? null, null, 2));
        else if (succeeded(answer)) {
          const body = fieldsOf(answer.body);
          io.out(newDeploymentText(body, await asOperator(connection, body), io.paint));
        } else io.err(scriptRefusalText(answer, io.errPaint));
        if (!isJson) io.err(io.errPaint('dim', `(${printable(connection.where)})`));
        return succeeded(answer) ? 0 : 1;
      };
      const stored =
        file === undefined
          ? { id: script }
          : await store(connection, key, file, await new CommandFiles(io).script(file));
      if ('status' in stored) return tell(stored);
      return tell(await connection.call('POST', '/api/deployments', { scriptId: stored.id, ...plan }, key));
    },
  };
}

/** Nothing where it cannot be read back: it is deployed all the same. */
async function asOperator(connection: Connection, { deployment }: Fields): Promise<Fields> {
  const { id, mode } = fieldsOf(deployment);
  if (mode !== 'trade') return {};
  const path = `/admin/deployments/${encodeURIComponent(String(id))}`;
  const found = await connection.call('GET', path).catch(() => undefined);
  return found !== undefined && succeeded(found) ? fieldsOf(fieldsOf(found.body).result) : {};
}

/** The id of the script in the library, or the answer that refuses it. An unchanged script gets no new revision. */
async function store(
  connection: Connection,
  key: string,
  file: string,
  content: string,
): Promise<{ readonly id: string | undefined } | Answer> {
  const { id, name } = namesOf(file);
  const path = `/api/scripts/${encodeURIComponent(id)}`;
  const found = await connection.call('GET', path, undefined, key);
  if (succeeded(found) && fieldsOf(fieldsOf(found.body).script).content === content) return { id };
  const saved = await connection.call('PUT', path, { name, content }, key);
  return succeeded(saved) ? { id } : saved;
}

/** `Trend follower.pine` is kept as the script `Trend-follower`, named `Trend follower`. */
function namesOf(file: string): { id: string; name: string } {
  const name = file === INPUT ? 'stdin' : basename(file).replace(/\.[^.]+$/, '');
  const id = name
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+|-+$/g, '')
    .slice(0, MAX_ID_CHARS);
  if (isScriptId(id)) return { id, name };
  throw new UsageFault(`"${name}" makes no id for the library; rename the file with letters of A to Z or digits.`);
}

/** Targets that the gateway knows by a webhook key. */
const OF_GATEWAY: readonly string[] = ['trade', 'second-opinion'];

function targetsOf({ flags, env }: Pick<Args, 'flags' | 'env'>): object[] {
  const { exchange, strategy } = flags;
  const names = commaList(flags.targets ?? 'trade');
  if (names.length === 0) throw new UsageFault('--targets names nothing; say trade, signals, telegram or an address.');
  for (const flag of ['exchange', 'strategy', 'webhook-key'])
    if (flags[flag] !== undefined && !names.some((name) => OF_GATEWAY.includes(name)))
      throw new UsageFault(
        `--${flag} goes with the targets ${OF_GATEWAY.join(' and ')}; leave it out, or add one of them.`,
      );
  return names.map((name) => {
    if (/^https?:\/\//.test(name)) return { type: 'webhook', url: name };
    const type = oneOf(name, [...OF_GATEWAY, 'signals', 'telegram'], 'Target');
    if (!OF_GATEWAY.includes(type)) return { type };
    const apiKey = flags['webhook-key'] ?? env.SIGNALBOX_WEBHOOK_KEY;
    if (!apiKey)
      throw new UsageFault(
        'The webhook key of that target is missing: give --webhook-key, or set SIGNALBOX_WEBHOOK_KEY. ' +
          '"signalbox keys create" makes one; --targets signals needs none.',
      );
    return { type, apiKey, ...(exchange && { exchange }), ...(strategy && { strategy }) };
  });
}
