// The front door of the command line: words in, exit code out (0 done, 1 refused or failed, 2 wrong command line).

import { errorText } from '../errors/error-text.ts';
import {
  type Command,
  type Described,
  type LocalCommand,
  type LocalIo,
  noWords,
  onlyWord,
  type RouteCall,
  STORED_ONLY,
  STORED_ONLY_WORDS,
  UsageFault,
} from './command.ts';
import { accounts } from './commands/accounts.ts';
import { archive } from './commands/archive.ts';
import { backtest } from './commands/backtest.ts';
import { backup, restore } from './commands/backup.ts';
import { bars } from './commands/bars.ts';
import { check } from './commands/check.ts';
import { close, flatten } from './commands/close.ts';
import { allowlist, killSwitch, limits, queueMode } from './commands/controls.ts';
import { convert } from './commands/convert.ts';
import { deployments } from './commands/deployments.ts';
import { format } from './commands/format.ts';
import { keys } from './commands/keys.ts';
import { libraries } from './commands/libraries.ts';
import { markets } from './commands/markets.ts';
import { migrate } from './commands/migrate.ts';
import { account, performance } from './commands/money.ts';
import { notify } from './commands/notify.ts';
import { optimize } from './commands/optimize.ts';
import { order } from './commands/order.ts';
import { cancel, orders } from './commands/orders.ts';
import { password } from './commands/password.ts';
import { reconcile } from './commands/reconcile.ts';
import { refusals } from './commands/refusals.ts';
import { replay } from './commands/replay.ts';
import { audit, positions, signals, trades } from './commands/reports.ts';
import { pause, resume } from './commands/restrictions.ts';
import { run } from './commands/run.ts';
import { runs } from './commands/runs.ts';
import { sessions } from './commands/sessions.ts';
import { signal } from './commands/signal.ts';
import { stops } from './commands/stops.ts';
import { symbolMap } from './commands/symbol-map.ts';
import { wallet } from './commands/wallet.ts';
import { isConfirmed } from './confirm.ts';
import { hasFailed, showReport } from './doctor.ts';
import { CONNECTION_FLAGS, helpFor, helpOn } from './help.ts';
import type { Answer, CliHost, Connection, ConnectOptions } from './host.ts';
import { createPaint, type Paint } from './paint.ts';
import { type Parsed, parseCommandLine, unknownCommand } from './parse.ts';
import { refusalText, succeeded } from './refusal-text.ts';
import { cell, fieldsOf, printable, printableLines } from './table.ts';

export type { Answer, CliHost, Connection, ConnectOptions, DoctorCheck, DoctorReport, Method } from './host.ts';

const DONE = 0;
const FAILED = 1;
const WRONG_USAGE = 2;

const ROUTE_COMMANDS: readonly Command[] = [
  signal,
  order,
  signals,
  refusals,
  symbolMap,
  trades,
  positions,
  orders,
  cancel,
  close,
  flatten,
  stops,
  accounts,
  account,
  performance,
  reconcile,
  markets,
  bars,
  keys,
  password,
  sessions,
  deployments,
  libraries,
  killSwitch,
  queueMode,
  allowlist,
  limits,
  pause,
  resume,
  notify,
  audit,
  archive,
];
const LOCAL_COMMANDS: readonly LocalCommand[] = [
  backup,
  restore,
  migrate,
  replay,
  run,
  backtest,
  runs,
  optimize,
  check,
  format,
  convert,
  wallet,
];
const START: Described = { name: 'start', summary: 'run the gateway', usage: [''], flags: {} };
const WORKER: Described = {
  name: 'worker',
  summary: 'run backtests of parameter searches for instances with LONG_JOBS=redis',
  usage: [''],
  flags: {},
};
const DOCTOR: Described = {
  name: 'doctor',
  summary:
    'check settings and data folder, whether charting platforms can reach you, and whether you can reach your exchanges',
  usage: ['[--public https://trade.example.com] [--live]'],
  flags: { public: 'the address in your alerts: looks whether it can be reached' },
  switches: {
    live: 'ask the exchanges of testnet and live accounts everything that a trade would need; trades nothing',
  },
};
const HELP: Described = { name: 'help', summary: 'this text, or help on one command', usage: ['[command]'], flags: {} };
/** Every command there is; the guide and the tests are compared with it. */
export const COMMANDS: readonly Described[] = [START, WORKER, DOCTOR, ...ROUTE_COMMANDS, ...LOCAL_COMMANDS, HELP];
/** What a terminal calls itself that can only print letters, one after another. */
const DUMB = 'dumb';
const DATA_DIR_FLAG = { 'data-dir': 'data folder to check, instead of that of the settings' };
const JSON_FLAG = { json: 'print the answer as JSON and nothing else' };

export function flagsOf(command: Described): Readonly<Record<string, string>> {
  if (command === START || command === WORKER || command === HELP) return {};
  if (command === DOCTOR) return { ...command.flags, ...command.switches, ...DATA_DIR_FLAG, ...JSON_FLAG };
  if ('local' in command) return { ...command.flags, ...command.lists, ...command.switches };
  return { ...command.flags, ...command.lists, ...command.switches, ...CONNECTION_FLAGS, ...JSON_FLAG };
}

const SHAPES = COMMANDS.map((command) => ({
  name: command.name,
  flags: [...Object.keys(flagsOf(command)), 'help', 'version'],
  lists: Object.keys(command.lists ?? {}),
  switches: Object.keys(command.switches ?? {}),
}));

export async function runCli(argv: readonly string[], host: CliHost): Promise<number> {
  try {
    return await dispatch(parseCommandLine(argv, SHAPES), host);
  } catch (error) {
    const message = printableLines(errorText(error));
    if (!(error instanceof UsageFault)) {
      host.err(message);
      return FAILED;
    }
    host.err(`${message}\n${whereToLook(argv)}`);
    return WRONG_USAGE;
  }
}

function whereToLook([first]: readonly string[]): string {
  const isKnown = COMMANDS.some(({ name }) => name === first && first !== HELP.name);
  return isKnown
    ? `Run "signalbox help ${first}" to see how it is used.`
    : 'Run "signalbox help" to see what there is.';
}

async function dispatch(parsed: Parsed, host: CliHost): Promise<number> {
  const paint = createPaint(host.isTty && knowsColours(host));
  if (parsed.version) return print(host, host.version);
  if (parsed.command === undefined) return print(host, helpFor(COMMANDS, paint));
  if (parsed.help) return help([parsed.command], host, paint);
  if (parsed.command === HELP.name) return help(parsed.words, host, paint);
  const local = LOCAL_COMMANDS.find(({ name }) => name === parsed.command);
  if (local !== undefined) return runLocal(local, parsed, host, paint);
  const route = ROUTE_COMMANDS.find(({ name }) => name === parsed.command);
  if (route !== undefined) return callRoute(route, parsed, host, paint);
  noWords(parsed.words);
  if (parsed.command === WORKER.name) return host.work();
  return parsed.command === START.name ? host.start() : doctor(parsed, host, paint);
}

function print(host: CliHost, text: string): number {
  host.out(text);
  return DONE;
}

function help(words: readonly string[], host: CliHost, paint: Paint): number {
  const [name] = words;
  if (name === undefined) return print(host, helpFor(COMMANDS, paint));
  const command = COMMANDS.find((known) => known.name === onlyWord(words, 'the command'));
  if (command === undefined) throw unknownCommand(name, SHAPES);
  return print(host, helpOn(command, flagsOf(command), paint));
}

async function doctor({ json, flags, switches }: Parsed, host: CliHost, paint: Paint): Promise<number> {
  const live = switches.has('live');
  const report = await host.doctor({ dataDir: flags['data-dir'], publicAddress: flags.public, live });
  host.out(json ? JSON.stringify(report, null, 2) : showReport(report, paint));
  return hasFailed(report) ? FAILED : DONE;
}

function runLocal(command: LocalCommand, parsed: Parsed, host: CliHost, paint: Paint): Promise<number> {
  const { words, flags, lists, switches } = parsed;
  return command.local({ words, flags, lists, switches, env: host.env }, localIo(parsed, host, paint));
}

function localIo(parsed: Parsed, host: CliHost, paint: Paint): LocalIo {
  const errPaint = createPaint(host.screen !== undefined && knowsColours(host));
  // There a line cannot be replaced.
  const screen = host.env.TERM === DUMB ? undefined : host.screen;
  const reach = (): Promise<Connection> => host.connect(connectOptions(parsed, host));
  return { ...host, screen, paint, errPaint, reach };
}

/** Unless its owner wants none, or it can only print letters. */
const knowsColours = ({ env }: CliHost): boolean => !env.NO_COLOR && env.TERM !== DUMB;

async function callRoute(command: Command, parsed: Parsed, host: CliHost, paint: Paint): Promise<number> {
  const { words, flags, lists, switches } = parsed;
  const call = command.plan({ words, flags, lists, switches, env: host.env });
  if ('run' in call) return call.run(localIo(parsed, host, paint));
  if ('question' in call && call.question !== undefined && !(await isConfirmed(call.question, host))) return FAILED;
  const connection = await host.connect(connectOptions(parsed, host));
  try {
    if ('callAll' in call) return await call.callAll(connection, localIo(parsed, host, paint), parsed.json);
    const answer = await connection.call(call.method, call.path, call.body);
    const isDone = succeeded(answer) && (call.isDone?.(fieldsOf(answer.body)) ?? true);
    const isStoredOnly = !connection.running && call.method !== 'GET' && isDone;
    const note = isStoredOnly ? STORED_ONLY : undefined;
    if (parsed.json)
      host.out(JSON.stringify(note ? { ...fieldsOf(answer.body), ...note } : (answer.body ?? null), null, 2));
    else tell(call, answer, connection, host, paint);
    if (note && !parsed.json) host.out(STORED_ONLY_WORDS);
    return isDone ? DONE : FAILED;
  } finally {
    await connection.close();
  }
}

function connectOptions({ flags }: Parsed, { env }: CliHost): ConnectOptions {
  const dataDir = flags['data-dir'];
  // A folder named on the command line outranks an address from the environment.
  const url = flags.url ?? (dataDir === undefined ? env.SIGNALBOX_URL || undefined : undefined);
  const token = flags.token ?? (env.INTERNAL_TOKEN || undefined);
  if (url !== undefined && dataDir !== undefined) throw new UsageFault('Give --url or --data-dir, not both.');
  if (url !== undefined && !/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new UsageFault(`"${url}" is no address; write it like http://127.0.0.1:8787.`);
  return {
    ...(url === undefined ? {} : { url }),
    ...(token === undefined ? {} : { token }),
    ...(dataDir === undefined ? {} : { dataDir }),
  };
}

function tell(
  call: RouteCall,
  answer: Answer,
  { where, running }: Pick<Connection, 'where' | 'running'>,
  host: CliHost,
  paint: Paint,
): void {
  const body = fieldsOf(answer.body);
  if (succeeded(answer)) {
    const isDone = call.isDone?.(body) ?? true;
    (isDone ? host.out : host.err)(call.show(body, paint, host.nowMs(), running));
  } else {
    host.err(refusalText(answer, paint));
    if (typeof body.requestId === 'string') host.err(paint('dim', `request id ${cell(body.requestId)}`));
  }
  host.err(paint('dim', `(${printable(where)})`));
}
