// Notifications of this browser: which ones it shows, and what stands in the way where it shows none.

import { useLayoutEffect, useState } from 'preact/hooks';
import {
  type Allowance,
  chooseNotifications,
  type NotifyChoice,
  notifiedOf,
  notifyAllowance,
  watchNotifyChoice,
} from '../../ui/notify-choice.ts';
import { Panel } from '../../ui/panel.tsx';

const CHOICES: readonly (readonly [name: keyof NotifyChoice, title: string, words: string])[] = [
  ['fills', 'Fills', 'Each order that has filled, whole or in part.'],
  ['alarms', 'Alarms', 'What needs you at once: a stop that could not be placed, an exchange that does not answer.'],
];

const ALLOWANCES: Readonly<Record<Allowance, string>> = {
  granted:
    'Shown while a page of the dashboard is open, also behind other windows. What reaches you elsewhere is under Who is told.',
  default: 'The browser asks you once whether it may.',
  denied:
    'This browser refuses notifications of this address. Allow them beside the address, in its settings of this site, and come back.',
  impossible:
    'This browser has no notifications for this page. It takes HTTPS or the machine of Signalbox itself; on an iPhone also that the page was added to the home screen.',
};

export function NotificationsPanel() {
  const [, setTurn] = useState(0);
  useLayoutEffect(() => watchNotifyChoice(() => setTurn((turn) => turn + 1)), []);
  const chosen = notifiedOf();
  const allowance = notifyAllowance();
  return (
    <Panel title="Notifications" aside="of this browser">
      <fieldset class="choices" disabled={allowance === 'denied' || allowance === 'impossible'}>
        <legend class="sr-only">Notifications of this browser</legend>
        {CHOICES.map(([name, title, words]) => (
          <label key={name}>
            <input
              type="checkbox"
              checked={chosen[name]}
              onChange={() => void chooseNotifications({ ...chosen, [name]: !chosen[name] })}
            />
            <span>
              <strong>{title}</strong>
              <small>{words}</small>
            </span>
          </label>
        ))}
      </fieldset>
      <p class="hint" role="status">
        {ALLOWANCES[allowance]}
      </p>
    </Panel>
  );
}
