// Output drawn once per bar: plots, shapes, candles, levels, fills and colors; with the constants of plot and hline.

import type { TableSource } from '../model.ts';

const OFFSET = 'offset: simple int (v5 series int) = 0';
const EDITABLE = 'editable: input bool = true, show_last: input int = {all bars}';
const DISPLAY = 'display: input plot_display in display.* = display.all';
const SIMPLE_DISPLAY = 'display: input plot_simple_display in display.none|display.all = display.all';
const FORMAT = `format: input string in format.price|format.percent|format.volume = {the script's},
    precision: input int = {the script's}, force_overlay: const bool = false`;
const TITLE = 'title: const string = {its kind and number}';
const OWN_COLOR = "series color = {the style's}";
const TRANSP = 'transp: input int = 0 @v5 {set the transparency with color.new()}';
const MARK = `location: input string in location.* = location.abovebar, color: ${OWN_COLOR}, ${OFFSET},
    text: const string = "", textcolor: ${OWN_COLOR}, editable: input bool = true,
    size: const string in size.* = size.auto, show_last: input int = {all bars}, ${DISPLAY}, ${FORMAT}, ${TRANSP}`;
const BAR = 'open: series float, high: series float, low: series float, close: series float';

const gradient = (kind: string) => `fill(${kind}1: ${kind}, ${kind}2: ${kind}, top_value: series float,
    bottom_value: series float, top_color: series color, bottom_color: series color, title: const string = {none},
    ${SIMPLE_DISPLAY}, fillgaps: const bool = false, editable: input bool = true) -> void | global`;

export const PLOTS: TableSource = {
  namespace: '',
  text: `
barcolor(color: series color, ${OFFSET}, ${EDITABLE}, title: const string = {none}, ${SIMPLE_DISPLAY}) -> void | global
  # Colors the chart's bars.
bgcolor(color: series color, ${OFFSET}, ${EDITABLE}, title: const string = {none}, ${SIMPLE_DISPLAY},
    force_overlay: const bool = false, ${TRANSP}) -> void | global
  # Colors the background behind the bars.
fill(hline1: hline, hline2: hline, color: series color = color.blue, title: const string = {none},
    editable: input bool = true, fillgaps: const bool = false, ${SIMPLE_DISPLAY}, ${TRANSP}) -> void | global
fill(plot1: plot, plot2: plot, color: series color = color.blue, title: const string = {none},
    editable: input bool = true, show_last: input int = {all bars}, fillgaps: const bool = false, ${SIMPLE_DISPLAY},
    ${TRANSP}) -> void | global
${gradient('hline')}
${gradient('plot')}
  # Fills the space between two plots or levels, with one color or a gradient.
hline(price: input float, ${TITLE}, color: input color = color.blue,
    linestyle: input hline_style in hline.* = hline.style_dashed, linewidth: input int = 1,
    editable: input bool = true, ${SIMPLE_DISPLAY}) -> hline | global
  # A level across the whole chart.
plot(series: series float, ${TITLE}, color: series color = color.blue, linewidth: input int = 1,
    style: input plot_style in plot.style_* = plot.style_line, trackprice: input bool = false,
    histbase: input float = 0, ${OFFSET}, join: input bool = false, ${EDITABLE}, ${DISPLAY}, ${FORMAT},
    linestyle: input plot_line_style in plot.linestyle_* = plot.linestyle_solid @v6, ${TRANSP}) -> plot | global
  # Draws a series of numbers and keeps it as an output of the script.
plotarrow(series: series float, ${TITLE}, colorup: series color = color.lime, colordown: series color = color.red,
    ${OFFSET}, minheight: input int = 5, maxheight: input int = 100, ${EDITABLE}, ${DISPLAY}, ${FORMAT}, ${TRANSP})
    -> void | global
  # Draws an arrow up for positive and down for negative numbers, longer for larger ones.
plotbar(${BAR}, ${TITLE}, color: ${OWN_COLOR}, ${EDITABLE}, ${DISPLAY}, ${FORMAT}) -> void | global
  # Draws bars of four series.
plotcandle(${BAR}, ${TITLE}, color: ${OWN_COLOR}, wickcolor: ${OWN_COLOR}, ${EDITABLE}, bordercolor: ${OWN_COLOR},
    ${DISPLAY}, ${FORMAT}) -> void | global
  # Draws candles of four series.
plotchar(series: series int/float/bool, ${TITLE}, char: input string = {a star}, ${MARK}) -> void | global
  # Marks bars with a character.
plotshape(series: series int/float/bool, ${TITLE}, style: input string in shape.* = shape.xcross, ${MARK}) -> void | global
  # Marks bars with a shape.
`,
};

export const PLOT_CONSTANTS: TableSource = {
  namespace: 'plot',
  text: `
linestyle_dashed: const plot_line_style | v6  # A dashed line.
linestyle_dotted: const plot_line_style | v6  # A dotted line.
linestyle_solid: const plot_line_style | v6  # An unbroken line.
style_area: const plot_style  # A line with the space below it filled.
style_areabr: const plot_style  # A filled line that breaks where values are na.
style_circles: const plot_style  # A circle at every value.
style_columns: const plot_style  # A wide column to every value.
style_cross: const plot_style  # A cross at every value.
style_histogram: const plot_style  # A thin column to every value.
style_line: const plot_style  # A line that bridges na.
style_linebr: const plot_style  # A line that breaks where values are na.
style_stepline: const plot_style  # A line of steps.
style_stepline_diamond: const plot_style  # A line of steps with a diamond at every change.
style_steplinebr: const plot_style  # A line of steps that breaks where values are na.
`,
};

export const HLINE_CONSTANTS: TableSource = {
  namespace: 'hline',
  text: `
style_dashed: const hline_style  # A dashed level.
style_dotted: const hline_style  # A dotted level.
style_solid: const hline_style  # An unbroken level.
`,
};
