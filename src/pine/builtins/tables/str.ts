// The str namespace: searching, cutting, replacing and formatting text.

import type { TableSource } from '../model.ts';

export const STR: TableSource = {
  namespace: 'str',
  text: `
contains(source: series string, str: series string) -> const.. bool
  # Whether the text holds the other text.
endswith(source: series string, str: series string) -> const.. bool
  # Whether the text ends with the other text.
format(formatString: series string, ...arg: series int/float/bool/string/array<int>/array<float>/array<bool>/array<string> = {none})
    -> simple.. string
  # Text in which {0}, {1}... are replaced by the arguments, with number and date patterns if asked.
format_time(time: series int, format: series string = "yyyy-MM-dd'T'HH:mm:ssZ", timezone: series string = syminfo.timezone)
    -> series string
  # A time as text by a pattern of letters such as yyyy-MM-dd HH:mm.
length(string: series string) -> const.. int
  # Number of characters.
lower(source: series string) -> const.. string
  # The text in lower case.
match(source: series string, regex: series string) -> simple.. string
  # First part of the text that fits the regular expression; empty when none does.
pos(source: series string, str: series string) -> const.. int
  # Index of the first place where the other text starts; na when it does not occur.
repeat(source: series string, repeat: series int, separator: series string = "") -> const.. string
  # The text several times, with a separator between.
replace(source: series string, target: series string, replacement: series string, occurrence: series int = 0)
    -> const.. string
  # The text with one occurrence of target replaced; occurrence 0 is the first.
replace_all(source: series string, target: series string, replacement: series string) -> simple.. string
  # The text with every occurrence of target replaced.
split(string: series string, separator: series string) -> array<string>
  # The parts of the text between separators.
startswith(source: series string, str: series string) -> const.. bool
  # Whether the text starts with the other text.
substring(source: series string, begin_pos: series int) -> const.. string
substring(source: series string, begin_pos: series int, end_pos: series int) -> const.. string
  # The part of the text from begin_pos up to but without end_pos, or to the end.
tonumber(string: series string) -> const.. float
  # The number the text spells; na when it spells none.
tostring(value: series int/float, format: series string in format.* = "#.##########") -> simple.. string
tostring(value: series bool) -> simple.. string
tostring(value: series string) -> simple.. string
tostring(value: series E) -> const.. string
tostring(value: array<S>, format: series string in format.* = "#.##########") -> series string
tostring(value: array<bool>) -> series string
tostring(value: matrix<S>, format: series string in format.* = "#.##########") -> series string
tostring(value: matrix<bool>) -> series string
  # The value as text; numbers by a pattern such as "#.##" or by format.mintick.
trim(source: series string) -> const.. string
  # The text without white space at both ends.
upper(source: series string) -> const.. string
  # The text in upper case.
`,
};
