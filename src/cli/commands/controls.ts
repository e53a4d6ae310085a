// The commands that steer the gateway while it runs: kill switch, queue mode, allowlist, limits.

import { type Command, commaList, noWords, oneOf, onlyWord, UsageFault, wholeNumber } from '../command.ts';
import type { Paint } from '../paint.ts';
import { cell, type Fields, fieldsOf, pairs, words } from '../table.ts';
import { closedLine } from './close.ts';
import { doubtsOf, LIMIT_FLAGS, pathOf, planLimits, withdrawn } from './restrictions.ts';

export const killSwitch: Command = {
  name: 'kill-switch',
  summary: 'stop signals at once, or let them pass again',
  usage: [
    '[status]',
    'on [--of kind:name] [--scope all|entries] [--keep-entries] [--flatten] [--reason "why"]',
    'off [--of kind:name] [--reason "why"]',
  ],
  flags: {
    of: 'the switch of a key, strategy, account or symbol, such as strategy:ema; the one over everything if left out',
    scope: 'all refuses every signal, entries lets CLOSE_* pass',
    reason: 'kept in the audit log',
  },
  switches: {
    'keep-entries': 'leave opening orders that rest at the venues; they are withdrawn otherwise',
    flatten: 'close every position too',
  },
  plan({ words, flags, switches }) {
    const [verb = 'status', ...rest] = words;
    noWords(rest);
    const wanted = oneOf(verb, ['status', 'on', 'off'], 'kill-switch');
    const path = flags.of === undefined ? '/admin/kill-switch' : pathOf(flags.of, 'kill-switch');
    if (flags.of !== undefined && wanted === 'status')
      throw new UsageFault('--of belongs to "kill-switch on" and "off"; "signalbox limits list" shows all of them.');
    if (flags.scope !== undefined && wanted !== 'on') throw new UsageFault('--scope belongs to "kill-switch on".');
    for (const name of ['keep-entries', 'flatten'])
      if (switches.has(name) && wanted !== 'on') throw new UsageFault(`--${name} belongs to "kill-switch on".`);
    if (wanted === 'status') return { method: 'GET', path, show: showKillSwitch };
    const scope = oneOf(flags.scope ?? 'all', ['all', 'entries'], '--scope');
    const reason = flags.reason === undefined ? {} : { reason: flags.reason };
    const effect = {
      ...(switches.has('keep-entries') && { cancelEntries: false }),
      ...(switches.has('flatten') && { flatten: true }),
    };
    return {
      method: 'PUT',
      path,
      body: { active: wanted === 'on', scope, ...effect, ...reason },
      show: showKillSwitch,
    };
  },
};

function showKillSwitch(body: Fields, paint: Paint): string {
  const { result, canceled, closed, others } = body;
  // One of a key, strategy, account or symbol stands among what else is said of it.
  const { kind, name, killSwitch } = fieldsOf(result);
  const whose = kind === undefined ? '' : ` of ${cell(kind)}:${cell(name)}`;
  const { active, scope, reason, flatten } = fieldsOf(kind === undefined ? result : killSwitch);
  const alsoOn = rowsOf(others).map((other) => thrownLine(other, paint));
  if (active !== true) {
    const pass =
      alsoOn.length === 0 ? 'signals pass.' : 'signals pass where no other one is on ("kill-switch off --of …").';
    return [`The kill switch${whose} is ${paint('green', 'off')}: ${pass}`, ...alsoOn].join('\n');
  }
  const every = kind === undefined ? 'every signal' : 'every signal of it';
  const effect = scope === 'entries' ? 'new positions are refused, closing signals pass' : `${every} is refused`;
  const closes = flatten === true ? `; what ${kind === undefined ? 'is' : 'it has'} open is closed (flatten)` : '';
  const why = typeof reason === 'string' && reason !== '' ? `\nReason: ${words(reason)}` : '';
  const done = [...rowsOf(canceled).map(withdrawn), ...rowsOf(closed).map((row) => closedLine(row, paint))];
  return [
    `The kill switch${whose} is ${paint('red', 'ON')}: ${effect}${closes}.${why}`,
    ...alsoOn,
    ...doubtsOf(body),
    ...done,
  ].join('\n');
}

/** `The kill switch of account:binance:main is ON (entries): drawdown guard…`. */
function thrownLine({ kind, name, scope, reason }: Fields, paint: Paint): string {
  const why = typeof reason === 'string' && reason !== '' ? `: ${words(reason)}` : '';
  return `The kill switch of ${cell(kind)}:${cell(name)} is ${paint('red', 'ON')} (${cell(scope)})${why}`;
}

const rowsOf = (rows: unknown): readonly Fields[] => (Array.isArray(rows) ? rows.map(fieldsOf) : []);

const MODES: Readonly<Record<string, string>> = {
  direct: 'the answer waits for the trade',
  async: 'the answer is 202 at once, the trade follows',
  failover: 'the answer waits for the trade, unless the venue is unreachable',
};

export const queueMode: Command = {
  name: 'queue-mode',
  summary: 'show or set when signals are answered',
  usage: ['', 'direct|async|failover'],
  flags: {},
  plan({ words }) {
    const path = '/admin/queue-mode';
    const show = ({ result, source }: Fields) => {
      const mode = cell(fieldsOf(result).mode);
      return `Queue mode is ${mode}${Object.hasOwn(MODES, mode) ? `: ${MODES[mode]}` : ''}.${from(source, 'QUEUE_MODE')}`;
    };
    if (words.length === 0) return { method: 'GET', path, show };
    const mode = oneOf(onlyWord(words, 'the mode'), Object.keys(MODES), 'queue-mode');
    return { method: 'PUT', path, body: { mode }, show };
  },
};

export const allowlist: Command = {
  name: 'allowlist',
  summary: 'show or set the addresses that may signal',
  usage: ['', 'set <address|range|tradingview>…', 'off'],
  flags: {},
  plan({ words }) {
    const path = '/admin/allowlist';
    const [verb, ...rest] = words;
    if (verb === undefined) return { method: 'GET', path, show: showAllowlist };
    const entries = rest.flatMap(commaList);
    if (oneOf(verb, ['set', 'off'], 'allowlist') === 'off') noWords(rest);
    else if (entries.length === 0)
      throw new UsageFault('Name at least one address, or write "allowlist off" to let any address signal.');
    return { method: 'PUT', path, body: { entries }, show: showAllowlist };
  },
};

function showAllowlist({ result, source }: Fields): string {
  const { entries } = fieldsOf(result);
  if (!Array.isArray(entries) || entries.length === 0)
    return 'The allowlist is off: any address with a key may signal.';
  const list = ['Only these may signal:', ...entries.map((entry) => `  ${cell(entry)}`)].join('\n');
  return list + from(source, 'IP_ALLOWLIST');
}

/** Only worth a word where the command cannot change it. */
function from(source: unknown, setting: string): string {
  if (source !== 'environment' && source !== '.env') return '';
  return `\nThe ${source === '.env' ? '.env file' : source} says so (${setting}), and is changed there.`;
}

export const limits: Command = {
  name: 'limits',
  summary: 'show or set rate limits, and limits of keys, strategies, accounts and symbols',
  usage: [
    '',
    '[--webhook-rate-per-minute 120] [--failed-auth-per-minute 30]',
    'list',
    'set <kind:name> [--venues binance] [--symbols BTCUSDT] [--actions LONG] [--accounts binance:main] [--largest-order 1000] [--largest-position 5000] [--open-positions 3] [--leverage 5] [--price-deviation-percent 2] [--spread-percent 0.5] [--daily-loss 200] [--entries-per-day 10] [--cooldown-seconds 600] [--lock-after-stops 3/3600] [--trading-windows "mon 09:30-16:00"] [--rate 10]',
    'remove <kind:name>',
  ],
  flags: {
    ...LIMIT_FLAGS,
    'webhook-rate-per-minute': 'signals per key and minute, 0 = no limit',
    'failed-auth-per-minute': 'wrong keys per address and minute',
  },
  plan(args) {
    const { words, flags } = args;
    const ofOwner = planLimits(args);
    if (ofOwner) return ofOwner;
    noWords(words);
    const path = '/admin/limits';
    const number = (flag: string, field: string) =>
      flags[flag] === undefined ? {} : { [field]: wholeNumber(flags[flag], flag) };
    const body = {
      ...number('webhook-rate-per-minute', 'webhookRatePerMinute'),
      ...number('failed-auth-per-minute', 'failedAuthPerMinute'),
    };
    if (Object.keys(body).length === 0) return { method: 'GET', path, show: showLimits };
    return { method: 'PUT', path, body, show: showLimits };
  },
};

function showLimits({ result, source }: Fields, paint: Paint): string {
  const { webhookRatePerMinute, failedAuthPerMinute } = fieldsOf(result);
  const perMinute = (value: unknown) => (value === 0 ? 'no limit' : `${cell(value)} per minute`);
  const shown = pairs(
    [
      ['signals of one key', perMinute(webhookRatePerMinute)],
      ['wrong keys from one address', perMinute(failedAuthPerMinute)],
    ],
    paint,
  );
  return shown + from(fieldsOf(source).webhookRatePerMinute, 'WEBHOOK_RATE_PER_MINUTE');
}
