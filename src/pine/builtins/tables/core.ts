// Names without a namespace that belong to the language itself: na, casts, declarations and alerts; and log, runtime.

import type { TableSource } from '../model.ts';

const DRAWING_LIMITS = `max_lines_count: const int = 50, max_labels_count: const int = 50,
    max_boxes_count: const int = 50`;
const DYNAMIC = 'dynamic_requests: const bool = true (v5 false)';

export const CORE: TableSource = {
  namespace: '',
  text: `
na: const na  # No value: what a variable holds before it has one.
true: const bool = true  # The bool that holds.
false: const bool = false  # The bool that does not hold.
na(x: series T) -> simple.. bool | v5
na(x: series A) -> simple.. bool | v6
  # Whether the value is na; since v6 a bool never is.
nz(source: series N, replacement: series N = 0) -> simple.. N
nz(source: series color, replacement: series color = #00000000) -> simple.. color
nz(source: series bool, replacement: series bool = false) -> simple.. bool | v5
  # The value, or the replacement when it is na.
fixnan(source: series N) -> series N | stateful
fixnan(source: series color) -> series color | stateful
fixnan(source: series bool) -> series bool | v5, stateful
  # The value, or the last one that was not na.
int(x: series float) -> const.. int
  # The number cut to a whole one; also gives na the type int.
float(x: series float) -> const.. float
  # The number as float; also gives na the type float.
bool(x: series int/float/bool) -> const.. bool
  # False for na, false and zero; true for everything else.
string(x: series string) -> const.. string
  # Gives na the type string.
color(x: series color) -> const.. color
  # Gives na the type color.
line(x: series line) -> series line
  # Gives na the type line.
label(x: series label) -> series label
  # Gives na the type label.
box(x: series box) -> series box
  # Gives na the type box.
table(x: series table) -> series table
  # Gives na the type table.
linefill(x: series linefill) -> series linefill
  # Gives na the type linefill.
max_bars_back(var: series T, num: const int) -> void
  # Sets how far back the history of one variable can be read.
alert(message: series string, freq: input string in alert.* = alert.freq_once_per_bar) -> void | stateful
  # Raises an alert on a realtime bar, at most as often as freq says.
alertcondition(condition: series bool, title: const string = {the position of the call}, message: const string = "")
    -> void | global
  # Declares a condition on which users can set an alert; the message may hold {{placeholders}}.
indicator(title: const string, shorttitle: const string = {the title}, overlay: const bool = false,
    format: const string in format.inherit|format.price|format.volume|format.percent = format.inherit,
    precision: const int = {the chart's}, scale: const scale_type in scale.* = {the pane's},
    max_bars_back: const int = {as needed}, timeframe: const string = "", timeframe_gaps: const bool = true,
    explicit_plot_zorder: const bool = false, ${DRAWING_LIMITS},
    calc_bars_count: const int = 0, max_polylines_count: const int = 50, ${DYNAMIC},
    behind_chart: const bool = true) -> void | global
  # Declares the script as an indicator and sets how it is shown and calculated.
library(title: const string, overlay: const bool = false, ${DYNAMIC}) -> void | global
  # Declares the script as a library whose exported names other scripts import.
strategy(title: const string, shorttitle: const string = {the title}, overlay: const bool = false,
    format: const string in format.inherit|format.price|format.volume|format.percent = format.inherit,
    precision: const int = {the chart's}, scale: const scale_type in scale.* = {the pane's},
    pyramiding: const int = 0, calc_on_order_fills: const bool = false, calc_on_every_tick: const bool = false,
    max_bars_back: const int = 0, backtest_fill_limits_assumption: const int = 0,
    default_qty_type: const string in strategy.fixed|strategy.cash|strategy.percent_of_equity = strategy.fixed,
    default_qty_value: const float = 1, initial_capital: const float = 1000000,
    currency: const string = syminfo.currency, slippage: const int = 0,
    commission_type: const string in strategy.commission.* = strategy.commission.percent,
    commission_value: const float = 0, process_orders_on_close: const bool = false,
    close_entries_rule: const string in "FIFO"|"ANY" = "FIFO", margin_long: const float = 100 (v5 0),
    margin_short: const float = 100 (v5 0), explicit_plot_zorder: const bool = false, ${DRAWING_LIMITS},
    calc_bars_count: const int = 0, risk_free_rate: const float = 2, use_bar_magnifier: const bool = false,
    fill_orders_on_standard_ohlc: const bool = false, max_polylines_count: const int = 50, ${DYNAMIC},
    behind_chart: const bool = true, calc_on_every_history_tick: const bool = false @v6) -> void | global
  # Declares the script as a strategy and sets its capital, costs and order handling.
`,
};

const logFunction = (name: string, level: string) => `${name}(message: series string) -> void
${name}(formatString: series string, ...arg: series int/float/bool/string/array<int>/array<float>/array<bool>/array<string>)
    -> void
  # Writes ${level} to the script's log; the first argument may be a pattern as in str.format.`;

export const LOG: TableSource = {
  namespace: 'log',
  text: [logFunction('error', 'an error'), logFunction('info', 'a message'), logFunction('warning', 'a warning')].join(
    '\n',
  ),
};

export const RUNTIME: TableSource = {
  namespace: 'runtime',
  text: `
error(message: series string) -> void
  # Stops the script with the message.
`,
};
