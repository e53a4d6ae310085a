// `signalbox deployments`: deploys scripts, lists and shows live deployments of every user with their logs, lays them over their
// backtests, shows second opinions, pauses, resumes and removes.

import {
  type Args,
  type Command,
  noWords,
  onlyWord,
  type RouteCall,
  type RouteCalls,
  UsageFault,
  wholeNumber,
} from '../command.ts';
import { compareDeployment } from '../compare-deployment.ts';
import { CREATE_FLAGS, CREATE_LISTS, createDeployment } from '../create-deployment.ts';
import { deploymentText, listText, logText, sendsOrders, tradingText } from '../deployments-text.ts';
import { nearest } from '../parse.ts';
import { cell, column, fieldsOf, printable, rowsOf, table, timeColumn, wordsColumn } from '../table.ts';

const PATH = '/admin/deployments';
const DEFAULT_LINES = '30';
const VERBS: Readonly<Record<string, (args: Args) => RouteCall | RouteCalls>> = {
  list,
  create: createDeployment,
  show,
  log,
  compare,
  pause: (args) => change(args, { method: 'POST', verb: '/pause', done: 'Paused' }),
  resume: (args) => change(args, { method: 'POST', verb: '/resume', done: 'Resumed' }),
  remove: (args) =>
    change(args, { method: 'DELETE', verb: args.switches.has('keep') ? '?keep=true' : '', done: 'Removed' }),
  opinions,
};
/** What only one of them takes. */
const OWN_FLAGS: Readonly<Record<string, readonly string[]>> = {
  create: [...Object.keys(CREATE_FLAGS), ...Object.keys(CREATE_LISTS)],
  compare: ['fills', 'report'],
  log: ['limit'],
  remove: ['keep'],
};

export const deployments: Command = {
  name: 'deployments',
  summary: 'live deployments: create, list, show, log, compare with a backtest, second opinions, pause, resume, remove',
  usage: [
    'list',
    'create strategy.pine --symbol BTCUSDT --interval 1h --key pn_… [--mode trade] [--targets trade,signals] [--webhook-key whk_…] [--exchange binance] [--strategy trend] [--capital 10000] [--name …] [--input "Length=20"]… [--replaces <id of a dry run>]',
    'create --script <id> --symbol BTCUSDT --interval 1h --key pn_… [--revision 3] [--targets signals]',
    'show <id>',
    'log <id> [--limit 100]',
    'compare <id> [--fills fills.csv] [--report page.html]',
    'opinions <id>',
    'pause <id>',
    'resume <id>',
    'remove <id> [--keep]',
  ],
  flags: {
    ...CREATE_FLAGS,
    limit: `with log: how many lines, the newest; ${DEFAULT_LINES} if left out`,
    fills: 'with compare: writes every fill into this CSV file',
    report: 'with compare: writes all of it into this HTML file, a page on its own',
  },
  lists: CREATE_LISTS,
  switches: { keep: 'with remove: also one that holds a position, which stays as it is' },
  plan(args: Args) {
    const [verb = 'list', ...words] = args.words;
    const plan = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
    const given = [...Object.keys(args.flags), ...Object.keys(args.lists), ...args.switches];
    for (const [owner, flags] of Object.entries(OWN_FLAGS)) {
      const foreign = flags.find((flag) => owner !== verb && given.includes(flag));
      if (foreign !== undefined) throw new UsageFault(`--${foreign} is for "deployments ${owner}"; leave it out.`);
    }
    if (plan !== undefined) return plan({ ...args, words });
    const near = nearest(verb, Object.keys(VERBS));
    throw new UsageFault(
      `deployments cannot "${verb}".${near === undefined ? '' : ` Did you mean "deployments ${near}"?`}`,
    );
  },
};

function list({ words }: Args): RouteCall {
  noWords(words);
  return { method: 'GET', path: PATH, show: ({ result }, paint, nowMs) => listText(rowsOf(result), nowMs, paint) };
}

function show({ words }: Args): RouteCall {
  const id = onlyWord(words, 'the id of the deployment');
  return {
    method: 'GET',
    path: `${PATH}/${encodeURIComponent(id)}`,
    show: ({ result }, paint) => deploymentText(fieldsOf(result), paint),
  };
}

function log({ words, flags: { limit = DEFAULT_LINES } }: Args): RouteCall {
  const id = onlyWord(words, 'the id of the deployment');
  return {
    method: 'GET',
    path: `${PATH}/${encodeURIComponent(id)}/logs?limit=${wholeNumber(limit, 'limit')}`,
    show: ({ result }, paint) => logText(rowsOf(result), paint),
  };
}

function opinions({ words }: Args): RouteCall {
  const id = onlyWord(words, 'the id of the deployment');
  const columns = [
    timeColumn('bar', 'barTime'),
    column('alert', 'alertId'),
    column('state', 'state'),
    wordsColumn('why', 'words'),
    wordsColumn('sent', 'sent'),
  ];
  return {
    method: 'GET',
    path: `${PATH}/${encodeURIComponent(id)}/opinions`,
    show({ result }, paint) {
      const { alert, counts, opinions: rows } = fieldsOf(result);
      if (alert === null) return 'It has no second opinion: deploy it with a target of the type second-opinion.';
      const { path, message, note } = fieldsOf(alert);
      const text = message === null ? '' : `\n\n${String(message)}`;
      const said = Object.entries(fieldsOf(counts)).map(([what, count]) => `${what} ${cell(count)}`);
      const list = rowsOf(rows).length > 0 ? table(columns, rowsOf(rows), paint) : 'Nothing was expected yet.';
      return `${cell(note)}\nWebhook: ${cell(path)}${text}\n\n${said.join(', ') || 'No counts yet.'}\n\n${list}`;
    },
  };
}

function compare({ words, flags }: Args): RouteCalls {
  const id = onlyWord(words, 'the id of the deployment');
  const { fills, report } = flags;
  if (fills === '' || report === '') throw new UsageFault('--fills and --report need the name of a file.');
  if (fills !== undefined && fills === report)
    throw new UsageFault('--fills and --report name the same file; write into two.');
  return compareDeployment(id, flags);
}

interface Change {
  readonly method: RouteCall['method'];
  readonly verb: string;
  readonly done: string;
}

function change({ words }: Args, { method, verb, done }: Change): RouteCall {
  const id = onlyWord(words, 'the id of the deployment');
  return {
    method,
    path: `${PATH}/${encodeURIComponent(id)}${verb}`,
    show({ result }) {
      const row = fieldsOf(result);
      const { name, symbol, interval, note } = row;
      const held = typeof note === 'string' ? ` ${printable(note)}` : '';
      const trades = verb === '/resume' && row.mode === 'trade' && sendsOrders(row) ? ` ${tradingText(row)}` : '';
      return `${done} ${cell(name)} (${cell(symbol)} ${cell(interval)}).${trades}${held}`;
    },
  };
}
