// Time and date: the bar's times, parts of a date, timestamps, and the timeframe namespace.

import type { TableSource } from '../model.ts';

const parts = Object.entries({
  dayofmonth: 'Day of the month',
  dayofweek: 'Day of the week, where 1 is Sunday,',
  hour: 'Hour',
  minute: 'Minute',
  month: 'Month',
  second: 'Second',
  weekofyear: 'Week of the year',
  year: 'Year',
})
  .map(
    ([name, meaning]) => `${name}: series int  # ${meaning} of the bar's opening in the exchange's timezone.
${name}(time: series int, timezone: series string = syminfo.timezone) -> series int
  # ${meaning} of a time in a timezone.`,
  )
  .join('\n');

const OFFSETS = 'bars_back: series int = 0, timeframe_bars_back: series int = 0 @v6';
const barTime = (name: string, moment: string) => `${name}(timeframe: series string, ${OFFSETS}) -> series int
${name}(timeframe: series string, session: series string, ${OFFSETS}) -> series int
${name}(timeframe: series string, session: series string, timezone: series string, ${OFFSETS}) -> series int
  # ${moment} time of the timeframe's bar; na outside the session.`;

export const TIME: TableSource = {
  namespace: '',
  text: `
${parts}
time: series int  # Opening time of the bar.
time_close: series int  # Closing time of the bar.
time_tradingday: series int  # Midnight UTC of the trading day the bar belongs to.
timenow: series int  # The present time.
${barTime('time', 'Opening')}
${barTime('time_close', 'Closing')}
timestamp(dateString: series string) -> const.. int
timestamp(year: series int, month: series int, day: series int, hour: series int = 0, minute: series int = 0,
    second: series int = 0) -> simple.. int
timestamp(timezone: series string, year: series int, month: series int, day: series int, hour: series int = 0,
    minute: series int = 0, second: series int = 0) -> simple.. int
  # The time that a date text, or the parts of a date, stand for.
`,
};

export const TIMEFRAME: TableSource = {
  namespace: 'timeframe',
  text: `
isdaily: simple bool  # Whether the timeframe is counted in days.
isdwm: simple bool  # Whether the timeframe is counted in days, weeks or months.
isintraday: simple bool  # Whether the timeframe is shorter than a day.
isminutes: simple bool  # Whether the timeframe is counted in minutes.
ismonthly: simple bool  # Whether the timeframe is counted in months.
isseconds: simple bool  # Whether the timeframe is counted in seconds.
isticks: simple bool  # Whether the timeframe is counted in ticks.
isweekly: simple bool  # Whether the timeframe is counted in weeks.
main_period: simple string | v6  # The script's own timeframe, also inside a request.
multiplier: simple int  # The number in the timeframe: 60 of "60", 1 of "1D".
period: simple string  # The timeframe as text; since v6 always with its number: "1D", not "D".
change(timeframe: series string (v5 simple string) = timeframe.period) -> series bool
  # Whether a new bar of the timeframe begins here.
from_seconds(seconds: series int) -> simple.. string
  # The timeframe of that many seconds, or the next longer one there is.
in_seconds(timeframe: series string = timeframe.period) -> simple.. int
  # Number of seconds in the timeframe.
`,
};

export const DAYS: TableSource = {
  namespace: 'dayofweek',
  text: `
sunday: const int = 1  # Sunday.
monday: const int = 2  # Monday.
tuesday: const int = 3  # Tuesday.
wednesday: const int = 4  # Wednesday.
thursday: const int = 5  # Thursday.
friday: const int = 6  # Friday.
saturday: const int = 7  # Saturday.
`,
};
