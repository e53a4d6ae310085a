// Lines, fills between lines, polylines and chart points: drawings a script makes, changes and deletes by reference.

import type { TableSource } from '../model.ts';

const XLOC = 'xloc: series string in xloc.* = xloc.bar_index';
const EXTEND = 'extend: series string in extend.* = extend.none';
const STYLES = `in line.style_solid|line.style_dotted|line.style_dashed|line.style_arrow_left|line.style_arrow_right
    |line.style_arrow_both`;
const LINE_LOOK = `${XLOC}, ${EXTEND}, color: series color = color.blue, style: series string ${STYLES} = line.style_solid,
    width: series int = 1, force_overlay: const bool = false`;

export const LINE: TableSource = {
  namespace: 'line',
  text: `
all: series array<line>  # All lines the script has on the chart, the oldest first.
style_arrow_both: const string  # A line with arrows at both ends.
style_arrow_left: const string  # A line with an arrow at its first point.
style_arrow_right: const string  # A line with an arrow at its second point.
style_dashed: const string  # A dashed line.
style_dotted: const string  # A dotted line.
style_solid: const string  # An unbroken line.
new(x1: series int, y1: series float, x2: series int, y2: series float, ${LINE_LOOK}) -> series line
new(first_point: chart.point, second_point: chart.point, ${LINE_LOOK}) -> series line
  # Draws a line between two points.
copy(id: series line) -> series line
  # Draws the same line again.
delete(id: series line) -> void
  # Removes the line.
get_price(id: series line, x: series int) -> series float
  # Price of the line, taken as endless, at a bar index.
get_x1(id: series line) -> series int
  # Bar index or time of the first point.
get_x2(id: series line) -> series int
  # Bar index or time of the second point.
get_y1(id: series line) -> series float
  # Price of the first point.
get_y2(id: series line) -> series float
  # Price of the second point.
set_color(id: series line, color: series color) -> void
  # Sets the color.
set_extend(id: series line, extend: series string in extend.*) -> void
  # Sets at which ends the line goes on without end.
set_first_point(id: series line, point: chart.point) -> void
  # Moves the first point.
set_second_point(id: series line, point: chart.point) -> void
  # Moves the second point.
set_style(id: series line, style: series string ${STYLES}) -> void
  # Sets the style.
set_width(id: series line, width: series int) -> void
  # Sets the width in pixels.
set_x1(id: series line, x: series int) -> void
  # Sets the bar index or time of the first point.
set_x2(id: series line, x: series int) -> void
  # Sets the bar index or time of the second point.
set_xloc(id: series line, x1: series int, x2: series int, xloc: series string in xloc.*) -> void
  # Sets both places and whether they are bar indices or times.
set_xy1(id: series line, x: series int, y: series float) -> void
  # Sets place and price of the first point.
set_xy2(id: series line, x: series int, y: series float) -> void
  # Sets place and price of the second point.
set_y1(id: series line, y: series float) -> void
  # Sets the price of the first point.
set_y2(id: series line, y: series float) -> void
  # Sets the price of the second point.
`,
};

export const LINEFILL: TableSource = {
  namespace: 'linefill',
  text: `
all: series array<linefill>  # All fills between lines, the oldest first.
new(line1: series line, line2: series line, color: series color) -> series linefill
  # Fills the space between two lines.
delete(id: series linefill) -> void
  # Removes the fill.
get_line1(id: series linefill) -> series line
  # The first of the two lines.
get_line2(id: series linefill) -> series line
  # The second of the two lines.
set_color(id: series linefill, color: series color) -> void
  # Sets the color.
`,
};

export const POLYLINE: TableSource = {
  namespace: 'polyline',
  text: `
all: series array<polyline>  # All polylines the script has on the chart, the oldest first.
new(points: array<chart.point>, curved: series bool = false, closed: series bool = false, ${XLOC},
    line_color: series color = color.blue, fill_color: series color = na,
    line_style: series string ${STYLES} = line.style_solid, line_width: series int = 1,
    force_overlay: const bool = false) -> series polyline
  # Draws a line through all points of an array.
delete(id: series polyline) -> void
  # Removes the polyline.
`,
};

export const CHART_POINT: TableSource = {
  namespace: 'chart.point',
  text: `
new(time: series int, index: series int, price: series float) -> chart.point
  # A point with a time, a bar index and a price.
copy(id: chart.point) -> chart.point
  # A point with the same coordinates.
from_index(index: series int, price: series float) -> chart.point
  # A point at a bar index.
from_time(time: series int, price: series float) -> chart.point
  # A point at a time.
now(price: series float = close) -> chart.point
  # A point at the present bar.
`,
};
