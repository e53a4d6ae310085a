// Inputs: values a user can set before the script runs.

import type { TableSource } from '../model.ts';

const DISPLAYS = 'in display.none|display.data_window|display.status_line|display.all';
const TITLE = 'title: const string = {the variable}';
const LINE = 'tooltip: const string = "", inline: const string = "", group: const string = ""';
const CONFIRM = 'confirm: const bool = false';
const ACTIVE = 'active: input bool = true @v6';
const shown = (where: string) => `display: const plot_display ${DISPLAYS} = display.${where}, ${ACTIVE}`;
const tail = (where = 'all') => `${LINE}, ${CONFIRM}, ${shown(where)}`;
const options = (type: string) => `options: const choices<${type}> = {no list}`;

const generic = (type: string) =>
  `input(defval: const ${type}, ${TITLE}, ${LINE}, ${shown(type === 'bool' || type === 'color' ? 'none' : 'all')})
    -> input ${type}`;

export const INPUT_FUNCTION: TableSource = {
  namespace: '',
  text: `
${['int', 'float', 'bool', 'color', 'string'].map(generic).join('\n')}
input(defval: series float, ${TITLE}, inline: const string = "", group: const string = "", tooltip: const string = "",
    ${shown('all')}) -> series float
  # An input whose kind follows from its default: a number, text, color, switch, or a source such as close.
`,
};

const bounded = (
  type: string,
  step: string,
) => `${type}(defval: const ${type}, ${TITLE}, minval: const ${type} = {no limit},
    maxval: const ${type} = {no limit}, step: const ${type} = ${step}, ${tail()}) -> input ${type}
${type}(defval: const ${type}, ${TITLE}, ${options(type)}, ${tail()}) -> input ${type}`;

export const INPUT: TableSource = {
  namespace: 'input',
  text: `
bool(defval: const bool, ${TITLE}, ${tail('none')}) -> input bool
  # A switch.
color(defval: const color, ${TITLE}, ${tail('none')}) -> input color
  # A color with its transparency.
enum(defval: const E, ${TITLE}, ${options('E')}, ${tail()}) -> input E
  # A choice among the fields of an enum.
${bounded('float', '1')}
  # A number, within limits or from a list.
${bounded('int', '1')}
  # A whole number, within limits or from a list.
price(defval: const float, ${TITLE}, ${tail()}) -> input float
  # A price that can be set by a click on the chart.
session(defval: const string, ${TITLE}, ${options('string')}, ${tail()}) -> input string
  # Begin and end of a session, such as "0930-1600".
source(defval: series float, ${TITLE}, ${LINE}, ${shown('all')}, ${CONFIRM}) -> series float
  # A series to calculate from: close, hl2... or the output of another script.
string(defval: const string, ${TITLE}, ${options('string')}, ${tail()}) -> input string
  # A text, free or from a list.
symbol(defval: const string, ${TITLE}, ${tail()}) -> input string
  # A symbol with its exchange.
text_area(defval: const string, ${TITLE}, tooltip: const string = "", group: const string = "", ${CONFIRM},
    ${shown('none')}) -> input string
  # A text of several lines.
time(defval: const int, ${TITLE}, ${tail('none')}) -> input int
  # A date and time.
timeframe(defval: const string, ${TITLE}, ${options('string')}, ${tail()}) -> input string
  # A timeframe.
`,
};
