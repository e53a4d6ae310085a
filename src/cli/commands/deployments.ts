// `signalbox deployments`: lists live deployments of every user, lays them over their backtests, shows second opinions, pauses, resumes and removes.

import { type Args, type Command, noWords, onlyWord, type RouteCall, type RouteCalls, UsageFault } from '../command.ts';
import { compareDeployment } from '../compare-deployment.ts';
import { nearest } from '../parse.ts';
import { cell, column, type Fields, fieldsOf, printable, rowsOf, table, timeColumn, wordsColumn } from '../table.ts';

const PATH = '/admin/deployments';
const VERBS: Readonly<
  Record<string, (words: readonly string[], flags: Args['flags'], switches: Args['switches']) => RouteCall | RouteCalls>
> = {
  list,
  compare,
  pause: (words) => change(words, { method: 'POST', verb: '/pause', done: 'Paused' }),
  resume: (words) => change(words, { method: 'POST', verb: '/resume', done: 'Resumed' }),
  remove: (words, _, switches) =>
    change(words, { method: 'DELETE', verb: switches.has('keep') ? '?keep=true' : '', done: 'Removed' }),
  opinions,
};

export const deployments: Command = {
  name: 'deployments',
  summary: 'live deployments of all users: list, compare with a backtest, second opinions, pause, resume, remove',
  usage: [
    'list',
    'compare <id> [--fills fills.csv] [--report page.html]',
    'opinions <id>',
    'pause <id>',
    'resume <id>',
    'remove <id> [--keep]',
  ],
  flags: {
    fills: 'with compare: writes every fill into this CSV file',
    report: 'with compare: writes all of it into this HTML file, a page on its own',
  },
  switches: { keep: 'with remove: also one that holds a position, which stays as it is' },
  plan({ words: [verb = 'list', ...words], flags, switches }: Args) {
    const plan = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
    for (const flag of ['fills', 'report'])
      if (flags[flag] !== undefined && verb !== 'compare')
        throw new UsageFault(`--${flag} is for "deployments compare"; leave it out.`);
    if (switches.has('keep') && verb !== 'remove')
      throw new UsageFault('--keep is for "deployments remove"; leave it out.');
    if (plan !== undefined) return plan(words, flags, switches);
    const near = nearest(verb, Object.keys(VERBS));
    throw new UsageFault(
      `deployments cannot "${verb}".${near === undefined ? '' : ` Did you mean "deployments ${near}"?`}`,
    );
  },
};

function list(words: readonly string[]): RouteCall {
  noWords(words);
  const columns = [
    column('id', 'id'),
    column('user id', 'userId'),
    column('name', 'name'),
    column('market', 'symbol'),
    column('interval', 'interval'),
    column('state', 'state'),
    { title: 'targets', of: (row: Fields) => cell(row.targets) },
    timeColumn('last run', 'lastRunAt'),
    // Whole, because its last words are the remedy, and nothing stands behind it.
    wordsColumn('reason', 'reason'),
  ];
  return {
    method: 'GET',
    path: PATH,
    show({ result }, paint) {
      const rows = rowsOf(result);
      return rows.length > 0 ? table(columns, rows, paint) : 'There are no live deployments.';
    },
  };
}

function opinions(words: readonly string[]): RouteCall {
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

function compare(words: readonly string[], flags: Args['flags']): RouteCalls {
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

function change(words: readonly string[], { method, verb, done }: Change): RouteCall {
  const id = onlyWord(words, 'the id of the deployment');
  return {
    method,
    path: `${PATH}/${encodeURIComponent(id)}${verb}`,
    show({ result }) {
      const { name, symbol, interval, note } = fieldsOf(result);
      const held = typeof note === 'string' ? ` ${printable(note)}` : '';
      return `${done} ${cell(name)} (${cell(symbol)} ${cell(interval)}).${held}`;
    },
  };
}
