// Labels, boxes and tables: drawings that hold text.

import type { TableSource } from '../model.ts';

const XLOC = 'xloc: series string in xloc.* = xloc.bar_index';
const FONT = 'text_font_family: series string in font.* = font.family_default';
const FORMATTING =
  'text_formatting: series text_format in text.format_none|text.format_bold|text.format_italic = text.format_none @v6';
const SIZE = 'series int/string (v5 series string)';
const HALIGN = 'in text.align_left|text.align_center|text.align_right';
const VALIGN = 'in text.align_top|text.align_center|text.align_bottom';
const BORDERS = 'in line.style_solid|line.style_dotted|line.style_dashed';
const LABEL_LOOK = `text: series string = "", ${XLOC}, yloc: series string in yloc.* = yloc.price,
    color: series color = color.blue, style: series string in label.style_* = label.style_label_down,
    textcolor: series color = color.white (v5 color.black), size: ${SIZE} in size.* = size.normal,
    textalign: series string ${HALIGN} = text.align_center, tooltip: series string = "", ${FONT},
    force_overlay: const bool = false, ${FORMATTING}`;
const BOX_LOOK = `border_color: series color = color.blue, border_width: series int = 1,
    border_style: series string ${BORDERS} = line.style_solid, extend: series string in extend.* = extend.none, ${XLOC},
    bgcolor: series color = color.blue, text: series string = "", text_size: ${SIZE} in size.* = size.auto,
    text_color: series color = color.black, text_halign: series string ${HALIGN} = text.align_center,
    text_valign: series string ${VALIGN} = text.align_center,
    text_wrap: series string in text.wrap_none|text.wrap_auto = text.wrap_none, ${FONT},
    force_overlay: const bool = false, ${FORMATTING}`;
const FORMATS = 'text_formatting: series text_format in text.format_none|text.format_bold|text.format_italic';

const labelStyles = Object.entries({
  arrowdown: 'An arrow down.',
  arrowup: 'An arrow up.',
  circle: 'A circle.',
  cross: 'An upright cross.',
  diamond: 'A diamond.',
  flag: 'A flag.',
  label_center: 'A box with its middle on the point.',
  label_down: 'A box above the point, pointing down.',
  label_left: 'A box to the right of the point, pointing left.',
  label_lower_left: 'A box whose lower left corner points at the point.',
  label_lower_right: 'A box whose lower right corner points at the point.',
  label_right: 'A box to the left of the point, pointing right.',
  label_up: 'A box below the point, pointing up.',
  label_upper_left: 'A box whose upper left corner points at the point.',
  label_upper_right: 'A box whose upper right corner points at the point.',
  none: 'Text only.',
  square: 'A square.',
  text_outline: 'Text with an outline.',
  triangledown: 'A triangle pointing down.',
  triangleup: 'A triangle pointing up.',
  xcross: 'A diagonal cross.',
})
  .map(([name, doc]) => `style_${name}: const string  # ${doc}`)
  .join('\n');

export const LABEL: TableSource = {
  namespace: 'label',
  text: `
all: series array<label>  # All labels the script has on the chart, the oldest first.
${labelStyles}
new(x: series int, y: series float, ${LABEL_LOOK}) -> series label
new(point: chart.point, ${LABEL_LOOK}) -> series label
  # Draws a label at a point.
copy(id: series label) -> series label
  # Draws the same label again.
delete(id: series label) -> void
  # Removes the label.
get_text(id: series label) -> series string
  # Text of the label.
get_x(id: series label) -> series int
  # Bar index or time of the label.
get_y(id: series label) -> series float
  # Price of the label.
set_color(id: series label, color: series color) -> void
  # Sets the color of the label's body.
set_point(id: series label, point: chart.point) -> void
  # Moves the label.
set_size(id: series label, size: ${SIZE} in size.*) -> void
  # Sets the size; since v6 also in points.
set_style(id: series label, style: series string in label.style_*) -> void
  # Sets the style.
set_text(id: series label, text: series string) -> void
  # Sets the text.
set_text_font_family(id: series label, text_font_family: series string in font.*) -> void
  # Sets the font.
set_text_formatting(id: series label, ${FORMATS}) -> void | v6
  # Makes the text bold or italic.
set_textalign(id: series label, textalign: series string ${HALIGN}) -> void
  # Sets where lines of text are aligned.
set_textcolor(id: series label, textcolor: series color) -> void
  # Sets the color of the text.
set_tooltip(id: series label, tooltip: series string) -> void
  # Sets the text shown when the mouse is over the label.
set_x(id: series label, x: series int) -> void
  # Sets the bar index or time.
set_xloc(id: series label, x: series int, xloc: series string in xloc.*) -> void
  # Sets the place and whether it is a bar index or a time.
set_xy(id: series label, x: series int, y: series float) -> void
  # Sets place and price.
set_y(id: series label, y: series float) -> void
  # Sets the price.
set_yloc(id: series label, yloc: series string in yloc.*) -> void
  # Sets whether the label stands at its price, above or below the bar.
`,
};

export const BOX: TableSource = {
  namespace: 'box',
  text: `
all: series array<box>  # All boxes the script has on the chart, the oldest first.
new(left: series int, top: series float, right: series int, bottom: series float, ${BOX_LOOK}) -> series box
new(top_left: chart.point, bottom_right: chart.point, ${BOX_LOOK}) -> series box
  # Draws a box between two corners.
copy(id: series box) -> series box
  # Draws the same box again.
delete(id: series box) -> void
  # Removes the box.
get_bottom(id: series box) -> series float
  # Price of the lower border.
get_left(id: series box) -> series int
  # Bar index or time of the left border.
get_right(id: series box) -> series int
  # Bar index or time of the right border.
get_top(id: series box) -> series float
  # Price of the upper border.
set_bgcolor(id: series box, color: series color) -> void
  # Sets the background color.
set_border_color(id: series box, color: series color) -> void
  # Sets the color of the borders.
set_border_style(id: series box, style: series string ${BORDERS}) -> void
  # Sets the style of the borders.
set_border_width(id: series box, width: series int) -> void
  # Sets the width of the borders in pixels.
set_bottom(id: series box, bottom: series float) -> void
  # Sets the price of the lower border.
set_bottom_right_point(id: series box, point: chart.point) -> void
  # Moves the lower right corner.
set_extend(id: series box, extend: series string in extend.*) -> void
  # Sets at which sides the box goes on without end.
set_left(id: series box, left: series int) -> void
  # Sets the bar index or time of the left border.
set_lefttop(id: series box, left: series int, top: series float) -> void
  # Sets the left and upper borders.
set_right(id: series box, right: series int) -> void
  # Sets the bar index or time of the right border.
set_rightbottom(id: series box, right: series int, bottom: series float) -> void
  # Sets the right and lower borders.
set_text(id: series box, text: series string) -> void
  # Sets the text.
set_text_color(id: series box, text_color: series color) -> void
  # Sets the color of the text.
set_text_font_family(id: series box, text_font_family: series string in font.*) -> void
  # Sets the font.
set_text_formatting(id: series box, ${FORMATS}) -> void | v6
  # Makes the text bold or italic.
set_text_halign(id: series box, text_halign: series string ${HALIGN}) -> void
  # Sets where the text stands from left to right.
set_text_size(id: series box, text_size: ${SIZE} in size.*) -> void
  # Sets the size of the text; since v6 also in points.
set_text_valign(id: series box, text_valign: series string ${VALIGN}) -> void
  # Sets where the text stands from top to bottom.
set_text_wrap(id: series box, text_wrap: series string in text.wrap_none|text.wrap_auto) -> void
  # Sets whether long text goes on in a new line.
set_top(id: series box, top: series float) -> void
  # Sets the price of the upper border.
set_top_left_point(id: series box, point: chart.point) -> void
  # Moves the upper left corner.
set_xloc(id: series box, left: series int, right: series int, xloc: series string in xloc.*) -> void | v6
  # Sets left and right borders and whether they are bar indices or times.
`,
};

const CELL = 'table_id: series table, column: series int, row: series int';

export const TABLE: TableSource = {
  namespace: 'table',
  text: `
all: series array<table>  # All tables the script has on the chart, the oldest first.
new(position: series string in position.*, columns: series int, rows: series int, bgcolor: series color = na,
    frame_color: series color = na, frame_width: series int = 0, border_color: series color = na,
    border_width: series int = 0, force_overlay: const bool = false) -> series table
  # Puts a table in a corner or at an edge of the pane.
cell(${CELL}, text: series string = "", width: series float = 0, height: series float = 0,
    text_color: series color = color.black, text_halign: series string ${HALIGN} = text.align_center,
    text_valign: series string ${VALIGN} = text.align_center, text_size: ${SIZE} in size.* = size.normal,
    bgcolor: series color = na, tooltip: series string = "", ${FONT}, ${FORMATTING}) -> void
  # Sets everything of a cell; what is not given goes back to its default.
cell_set_bgcolor(${CELL}, bgcolor: series color) -> void
  # Sets the cell's background color.
cell_set_height(${CELL}, height: series float) -> void
  # Sets the cell's height in percent of the pane.
cell_set_text(${CELL}, text: series string) -> void
  # Sets the cell's text.
cell_set_text_color(${CELL}, text_color: series color) -> void
  # Sets the color of the cell's text.
cell_set_text_font_family(${CELL}, text_font_family: series string in font.*) -> void
  # Sets the font of the cell's text.
cell_set_text_formatting(${CELL}, ${FORMATS}) -> void | v6
  # Makes the cell's text bold or italic.
cell_set_text_halign(${CELL}, text_halign: series string ${HALIGN}) -> void
  # Sets where the cell's text stands from left to right.
cell_set_text_size(${CELL}, text_size: ${SIZE} in size.*) -> void
  # Sets the size of the cell's text; since v6 also in points.
cell_set_text_valign(${CELL}, text_valign: series string ${VALIGN}) -> void
  # Sets where the cell's text stands from top to bottom.
cell_set_tooltip(${CELL}, tooltip: series string) -> void
  # Sets the text shown when the mouse is over the cell.
cell_set_width(${CELL}, width: series float) -> void
  # Sets the cell's width in percent of the pane.
clear(table_id: series table, start_column: series int, start_row: series int, end_column: series int = {start_column},
    end_row: series int = {start_row}) -> void
  # Empties a rectangle of cells.
delete(table_id: series table) -> void
  # Removes the table.
merge_cells(table_id: series table, start_column: series int, start_row: series int, end_column: series int,
    end_row: series int) -> void
  # Makes one cell of a rectangle of cells.
set_bgcolor(table_id: series table, bgcolor: series color) -> void
  # Sets the table's background color.
set_border_color(table_id: series table, border_color: series color) -> void
  # Sets the color of the borders between cells.
set_border_width(table_id: series table, border_width: series int) -> void
  # Sets the width of the borders between cells.
set_frame_color(table_id: series table, frame_color: series color) -> void
  # Sets the color of the outer frame.
set_frame_width(table_id: series table, frame_width: series int) -> void
  # Sets the width of the outer frame.
set_position(table_id: series table, position: series string in position.*) -> void
  # Moves the table.
`,
};
