// `signalbox keys`: lists, creates, rotates and revokes webhook keys; keys of the other services are in keys-in-stores.ts.

import { digestOf } from '../../keys/webhook-keys.ts';
import {
  type Args,
  type Command,
  commaList,
  noWords,
  onlyWord,
  plainNumber,
  type RouteCall,
  UsageFault,
  wholeNumber,
} from '../command.ts';
import { nearest } from '../parse.ts';
import { cell, column, type Fields, fieldsOf, rowsOf, table, time, timeColumn } from '../table.ts';
import { planInStore, storedKindOf } from './keys-in-stores.ts';

const PATH = '/admin/webhook-keys';
const VERBS: Readonly<Record<string, (args: Args) => RouteCall>> = { list, create, rotate, route, revoke };

export const keys: Command = {
  name: 'keys',
  summary: 'keys of all services: list, create, rotate, renew, revoke',
  usage: [
    'list',
    'create <label> [--exchanges binance,bybit] [--symbols BTCUSDT,ETHUSDT] [--routes main,scalp=0.5]',
    'rotate <keyId> [--grace-seconds 3600]',
    'route <keyId> --routes main,scalp=0.5,bybit:main=2|none',
    'revoke <keyId>',
    'list --analysis',
    'create --analysis|--scripts [--tier pro]',
    'revoke <keyId> --analysis',
    'revoke whk_…|pyn_…|pn_…',
    'renew pn_…',
    'renew --scripts --user <userId> [--tier pro]',
  ],
  flags: {
    label: 'name of the new key',
    exchanges: 'exchanges the new key may trade on; all if left out',
    symbols: 'markets the new key may trade; all if left out',
    routes: 'accounts its signals are traded on, each with its share of the quantity; none: the account a signal names',
    'grace-seconds': 'how long the old key stays valid; 0 if left out',
    user: 'user id of the library that gets a new key; "signalbox deployments show" shows it',
    tier: 'tier of the new key: free, hobby (if left out), pro, team or enterprise',
  },
  switches: {
    analysis: 'keys of the analysis API (pyn_…) instead of webhook keys',
    scripts: 'keys of the script worker (pn_…) instead of webhook keys',
  },
  plan(args) {
    const kind = storedKindOf(args);
    if (kind !== undefined) return planInStore(kind, args);
    if (args.flags.user !== undefined) throw new UsageFault('--user belongs to "keys renew --scripts".');
    if (args.flags.tier !== undefined) throw new UsageFault('--tier needs --analysis or --scripts.');
    const [verb = 'list', ...words] = args.words;
    const plan = VERBS[verb];
    if (plan !== undefined && Object.hasOwn(VERBS, verb)) return plan({ ...args, words });
    const near = nearest(verb, Object.keys(VERBS));
    throw new UsageFault(`keys cannot "${verb}".${near === undefined ? '' : ` Did you mean "keys ${near}"?`}`);
  },
};

function list({ words }: Args): RouteCall {
  noWords(words);
  const columns = [
    column('key id', 'keyId'),
    column('label', 'label'),
    { title: 'state', of: stateOf },
    { title: 'exchanges', of: (row: Fields) => scope(row.exchanges) },
    { title: 'symbols', of: (row: Fields) => scope(row.symbols) },
    { title: 'accounts', of: ({ routes }: Fields) => rowsOf(routes).map(routeInWords).join(', ') },
    timeColumn('created', 'createdAt'),
    timeColumn('rotated', 'rotatedAt'),
  ];
  return {
    method: 'GET',
    path: PATH,
    show({ result }, paint) {
      const rows = rowsOf(result);
      return rows.length > 0
        ? table(columns, rows, paint)
        : 'There are no webhook keys. Make one: signalbox keys create <label>';
    },
  };
}

const routeInWords = ({ account, multiplier }: Fields): string =>
  multiplier === 1 ? cell(account) : `${cell(account)}=${cell(multiplier)}`;

const scope = (value: unknown): string => (Array.isArray(value) ? cell(value) : 'all');

function stateOf(row: Fields): string {
  if (typeof row.revokedAt === 'number' || typeof row.revokedAt === 'string') return `revoked ${time(row.revokedAt)}`;
  return row.static === true ? 'active, from settings' : 'active';
}

function create({ words, flags }: Args): RouteCall {
  const label = onlyWord(flags.label === undefined ? words : [flags.label, ...words], 'the label');
  const { exchanges, symbols, routes } = flags;
  return {
    method: 'POST',
    path: PATH,
    body: {
      label,
      ...(exchanges === undefined ? {} : { exchanges: commaList(exchanges) }),
      ...(symbols === undefined ? {} : { symbols: commaList(symbols) }),
      ...(routes === undefined ? {} : { routes: routesOf(routes) }),
    },
    show: (body, paint) => showIssued('Created', body, paint('bold', cell(fieldsOf(body.result).apiKey))),
  };
}

function rotate({ words, flags }: Args): RouteCall {
  const keyId = onlyWord(words, 'the key id');
  const grace = flags['grace-seconds'];
  return {
    method: 'POST',
    path: `${PATH}/${encodeURIComponent(keyId)}/rotate`,
    body: grace === undefined ? {} : { graceSeconds: wholeNumber(grace, 'grace-seconds') },
    show: (body, paint) =>
      `${showIssued('Rotated', body, paint('bold', cell(fieldsOf(body.result).apiKey)))} ${endOfOld(body, grace)}`,
  };
}

function route({ words, flags }: Args): RouteCall {
  const keyId = onlyWord(words, 'the key id');
  if (flags.routes === undefined)
    throw new UsageFault('--routes is missing: name the accounts, as main,scalp=0.5, or say none.');
  return {
    method: 'PUT',
    path: `${PATH}/${encodeURIComponent(keyId)}/routes`,
    body: { routes: routesOf(flags.routes) },
    show({ result }) {
      const key = fieldsOf(result);
      const accounts = rowsOf(key.routes).map(routeInWords).join(', ');
      const name = `${cell(key.keyId)} (${cell(key.label)})`;
      return accounts === ''
        ? `Signals of key ${name} trade on the account they name, or on main.`
        : `Signals of key ${name} trade on ${accounts}, unless they name an account.`;
    },
  };
}

/** `main,scalp=0.5`; `none` takes the routes away. */
function routesOf(text: string): { account: string; multiplier?: number }[] {
  if (text === 'none') return [];
  return commaList(text).map((entry) => {
    const [account = '', multiplier] = entry.split('=');
    return multiplier === undefined ? { account } : { account, multiplier: plainNumber(multiplier, 'routes') };
  });
}

function showIssued(done: string, { result }: Fields, apiKey: string): string {
  const key = fieldsOf(result);
  return `${done} key ${cell(key.keyId)} (${cell(key.label)}).\n\n  ${apiKey}\n\nIt is shown only now. Put it into your alerts as "apiKey".`;
}

function endOfOld({ result }: Fields, grace: string | undefined): string {
  const { previousValidUntil } = fieldsOf(result);
  const isOver = grace === undefined || Number(grace) === 0;
  return isOver ? 'The old key has ended.' : `The old key works until ${time(previousValidUntil)}.`;
}

function revoke({ words }: Args): RouteCall {
  const word = onlyWord(words, 'the key id');
  // A whole key is not sent: paths are written down in many places.
  const keyId = word.startsWith('whk_') ? digestOf(word) : word;
  return {
    method: 'DELETE',
    path: `${PATH}/${encodeURIComponent(keyId)}`,
    isDone: ({ result }) => fieldsOf(result).alreadyRevoked !== true,
    show({ result }) {
      const key = fieldsOf(result);
      const name = `${cell(key.keyId)} (${cell(key.label)})`;
      return key.alreadyRevoked === true
        ? `Key ${name} was revoked already, ${time(key.revokedAt)}.`
        : `Revoked key ${name}. Signals with it are refused from now on.`;
    },
  };
}
