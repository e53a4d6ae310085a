// The tables of names: what versions 1 to 4 called by which name, and what it is called since version 5.

import { replacementOf } from '../builtins/index.ts';

const into = (prefix: string, names: string): [string, string][] =>
  names.split(' ').map((name) => [name, `${prefix}${name}`]);

/** Variables and constants that stand for themselves. */
const VALUES: ReadonlyMap<string, string> = new Map([
  ...into(
    'color.',
    'aqua black blue fuchsia gray green lime maroon navy olive orange purple red silver teal white yellow',
  ),
  ...into('plot.style_', 'line linebr stepline histogram cross area areabr columns circles'),
  ...into('hline.style_', 'solid dashed dotted'),
  ...into('dayofweek.', 'sunday monday tuesday wednesday thursday friday saturday'),
  ...into('timeframe.', 'period isdaily isdwm isintraday ismonthly isweekly isseconds isminutes'),
  ...into('syminfo.', 'ticker tickerid'),
  ...into('ta.', 'accdist iii nvi obv pvi pvt tr vwap wad wvad'),
  ['label.style_labelup', 'label.style_label_up'],
  ['label.style_labeldown', 'label.style_label_down'],
  ['interval', 'timeframe.multiplier'],
  ['n', 'bar_index'],
]);

/** Functions; those that have no name any more (iff, offset) are rewritten elsewhere. */
const FUNCTIONS: ReadonlyMap<string, string> = new Map([
  ['color', 'color.new'],
  ['ticker', 'ticker'],
  ['tickerid', 'ticker.new'],
]);

/** The new name of a built-in variable or constant, or null where it is the same. */
export const newValueName = (name: string): string | null => VALUES.get(name) ?? null;

/** The new name of a built-in function, or null where it is the same or no name stands for it. */
export function newFunctionName(name: string): string | null {
  const own = FUNCTIONS.get(name);
  if (own !== undefined) return own === name ? null : own;
  const moved = replacementOf(name);
  return moved === null || moved.includes(' ') || VALUES.get(name) === moved ? functionOfValue(name) : moved;
}

/** `tr(true)` and `vwap(x)` are called what their variables are called. */
const functionOfValue = (name: string): string | null => {
  const value = VALUES.get(name);
  return value?.startsWith('ta.') ? value : null;
};

/** Words that cannot name a variable or a function since version 5. */
export const RESERVED: ReadonlySet<string> = new Set(
  (
    'as catch class do ellipse enum export import in is method polygon range return struct switch text throw try type ' +
    'var varip while'
  ).split(' '),
);

/** Words of the language that were plain names in a version. */
export const namesThen = (version: 1 | 2 | 3 | 4): ReadonlySet<string> =>
  new Set(version === 4 ? ['while', 'switch'] : ['while', 'switch', 'var', 'varip']);

/** Arguments that have another name since. */
export const RENAMED_ARGUMENTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  study: { resolution: 'timeframe', resolution_gaps: 'timeframe_gaps' },
  security: { resolution: 'timeframe' },
  time: { resolution: 'timeframe' },
  time_close: { resolution: 'timeframe' },
  'strategy.entry': { long: 'direction' },
  'strategy.order': { long: 'direction' },
  tostring: { x: 'value', y: 'format' },
};

/** What arguments without a name meant, where the order is not that of version 5. */
export const OLD_ORDER: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries({
    plot: 'series title color linewidth style trackprice transp histbase offset join editable show_last display',
    plotshape: 'series title style location color transp offset text textcolor editable size show_last display',
    plotchar: 'series title char location color transp offset text textcolor editable size show_last display',
    plotarrow: 'series title colorup colordown transp offset minheight maxheight editable show_last display',
    bgcolor: 'color transp offset editable show_last title',
    fill: 'plot1 plot2 color transp title editable show_last fillgaps',
    hline: 'price title color linestyle linewidth editable display',
    input: 'defval title type minval maxval confirm step options inline group tooltip',
    security: 'symbol resolution expression gaps lookahead',
    study: 'title shorttitle overlay format precision scale max_bars_back',
    strategy: 'title shorttitle overlay format precision scale pyramiding',
    'strategy.entry': 'id long qty limit stop oca_name oca_type comment when alert_message',
    'strategy.order': 'id long qty limit stop oca_name oca_type comment when alert_message',
    'strategy.exit':
      'id from_entry qty qty_percent profit limit loss stop trail_price trail_points trail_offset oca_name comment when alert_message',
    'strategy.close': 'id when comment qty qty_percent alert_message',
    'strategy.close_all': 'when comment alert_message',
    'strategy.cancel': 'id when',
    'strategy.cancel_all': 'when',
  }).map(([name, words]) => [name, words.split(' ')]),
);
