// Every day with what it came to, month by month; a day leads to what was traded on it.

import type { Performance } from '../../server/answers.ts';
import { gainOrLoss, signed } from '../../ui/numbers.ts';
import { Panel } from '../../ui/panel.tsx';
import { linkWith, type Place } from '../../ui/places.ts';
import { words } from '../../ui/words.ts';
import { type CalendarDay, monthsOf, shortNet } from './calendar.ts';

type Day = Performance['groups'][number];

const MOST_MONTHS = 12;
const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

export function DayCalendar({ place, days }: { readonly place: Place; readonly days: readonly Day[] }) {
  const months = monthsOf(new Map(days.map((day) => [day.group ?? '', day])), MOST_MONTHS);
  if (months.length === 0) return null;
  return (
    <Panel title="Day by day" aside="net, USDT; days of UTC">
      <div class="calendar">
        {months.map(({ month, title, weeks }) => (
          <table key={month}>
            <caption>{title}</caption>
            <thead>
              <tr>
                {WEEKDAYS.map((weekday) => (
                  <th key={weekday} scope="col">
                    {weekday}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {weeks.map((week, index) => (
                <tr key={index}>
                  {week.map((day, weekday) => (
                    <td key={weekday} class={words(day?.value && gainOrLoss(day.value.net))}>
                      {day !== undefined && <DayCell place={place} day={day} />}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        ))}
      </div>
    </Panel>
  );
}

const DayCell = ({ place, day: { day, number, value } }: { readonly place: Place; readonly day: CalendarDay<Day> }) =>
  value === undefined ? (
    <span class="quiet">{number}</span>
  ) : (
    <a
      href={linkWith(place, { day, by: 'symbol' })}
      title={`${day}: ${value.trades} closed, ${value.wins} won, ${signed(value.net)} USDT`}
    >
      <span class="quiet">{number}</span> <span class="net">{shortNet(value.net)}</span>
    </a>
  );
