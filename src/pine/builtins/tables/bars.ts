// What a script knows of the bar it runs on: prices, place in history, barstate, session and chart.

import type { TableSource } from '../model.ts';

export const BARS: TableSource = {
  namespace: '',
  text: `
open: series float  # Price of the bar's first trade.
high: series float  # Highest price of the bar.
low: series float  # Lowest price of the bar.
close: series float  # Price of the bar's last trade; the current price while the bar is open.
volume: series float  # Amount traded during the bar.
hl2: series float  # Mean of high and low.
hlc3: series float  # Mean of high, low and close.
hlcc4: series float  # Mean of high, low and twice the close.
ohlc4: series float  # Mean of open, high, low and close.
ask: series float | v6  # Lowest price asked on a tick chart; na on others.
bid: series float | v6  # Highest price bid on a tick chart; na on others.
bar_index: series int  # Number of the bar; the first is 0.
last_bar_index: series int  # Number of the newest bar on the chart.
last_bar_time: series int  # Opening time of the newest bar on the chart.
`,
};

export const BARSTATE: TableSource = {
  namespace: 'barstate',
  text: `
isconfirmed: series bool  # Whether the bar is closed or this is its closing update.
isfirst: series bool  # Whether this is the first bar.
ishistory: series bool  # Whether the bar was closed when the script started.
islast: series bool  # Whether this is the newest bar.
islastconfirmedhistory: series bool  # Whether this is the last closed bar before realtime begins.
isnew: series bool  # Whether this is the bar's first update.
isrealtime: series bool  # Whether the bar is updated live.
`,
};

export const SESSION: TableSource = {
  namespace: 'session',
  text: `
extended: const string  # Hours before and after the market included.
regular: const string  # Regular market hours only.
isfirstbar: series bool  # Whether this is the first bar of the day's session.
isfirstbar_regular: series bool  # Whether this is the first bar of the day's regular session.
islastbar: series bool  # Whether this is the last bar of the day's session.
islastbar_regular: series bool  # Whether this is the last bar of the day's regular session.
ismarket: series bool  # Whether the bar belongs to regular market hours.
ispostmarket: series bool  # Whether the bar lies after the market's close.
ispremarket: series bool  # Whether the bar lies before the market's open.
`,
};

export const CHART: TableSource = {
  namespace: 'chart',
  text: `
bg_color: input color  # Background color of the chart.
fg_color: input color  # Color that stands out against the chart's background.
is_heikinashi: simple bool  # Whether the chart shows Heikin Ashi bars.
is_kagi: simple bool  # Whether the chart shows Kagi lines.
is_linebreak: simple bool  # Whether the chart shows line break bars.
is_pnf: simple bool  # Whether the chart shows point and figure columns.
is_range: simple bool  # Whether the chart shows range bars.
is_renko: simple bool  # Whether the chart shows Renko bricks.
is_standard: simple bool  # Whether the chart shows ordinary time-based bars.
left_visible_bar_time: input int  # Opening time of the leftmost bar in view.
right_visible_bar_time: input int  # Opening time of the rightmost bar in view.
`,
};
