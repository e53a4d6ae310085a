// What this browser tells its reader by itself: what was chosen, which is kept here, and whether the browser allows it.

export interface NotifyChoice {
  readonly fills: boolean;
  readonly alarms: boolean;
}

export const NOTHING: NotifyChoice = { fills: false, alarms: false };
export const EVERYTHING: NotifyChoice = { fills: true, alarms: true };

/** `impossible`: there is nobody to ask, because the browser has none for a page like this. */
export type Allowance = NotificationPermission | 'impossible';

const KEY = 'signalbox.notify';

export function notifyChoice(): NotifyChoice {
  const stored = localStorage.getItem(KEY)?.split(',') ?? [];
  return { fills: stored.includes('fills'), alarms: stored.includes('alarms') };
}

/** Where a page came without TLS from another machine, some browsers say that they refuse: no setting of theirs would help. */
export const notifyAllowance = (): Allowance =>
  globalThis.isSecureContext ? (globalThis.Notification?.permission ?? 'impossible') : 'impossible';

/** What was chosen and may be shown. */
export const notifiedOf = (): NotifyChoice => (notifyAllowance() === 'granted' ? notifyChoice() : NOTHING);

export const isNotifying = (): boolean => Object.values(notifiedOf()).includes(true);

/** The browser asks its reader where it has to. Without a yes nothing changes. Tells whether it did. */
export async function chooseNotifications(choice: NotifyChoice): Promise<boolean> {
  const wanted = Object.entries(choice).flatMap(([name, isWanted]) => (isWanted ? [name] : []));
  const isAllowed = wanted.length === 0 || (await askForAllowance()) === 'granted';
  if (isAllowed && wanted.length > 0) localStorage.setItem(KEY, wanted.join(','));
  else if (isAllowed) localStorage.removeItem(KEY);
  for (const listener of listeners) listener();
  return isAllowed;
}

const askForAllowance = async (): Promise<Allowance> =>
  notifyAllowance() === 'default' ? await Notification.requestPermission() : notifyAllowance();

type Listener = () => void;
const listeners = new Set<Listener>();

/** Whoever shows it is called when it is chosen here or in another tab, and when the page is looked at again. Returns how to stop. */
export function watchNotifyChoice(listener: Listener): () => void {
  listeners.add(listener);
  addEventListener('storage', listener);
  addEventListener('focus', listener);
  return () => {
    listeners.delete(listener);
    removeEventListener('storage', listener);
    removeEventListener('focus', listener);
  };
}
