// Closes what a test file has opened when the file ends: files share a process, and what one leaves open would stay.

type Close = () => Promise<unknown>;

/** Kept outside of this module: the setup of a test file, which asks for it, is loaded anew for each of them. */
const KEY = Symbol.for('signalbox.close-at-end');
const holder = globalThis as typeof globalThis & { [KEY]?: Close[] };
holder[KEY] ??= [];
const opened: Close[] = holder[KEY];

/** A helper that is loaded once for many files cannot say `afterAll`: only the first file would hear it. */
export const closeAtEnd = (close: Close): void => void opened.push(close);

/** What was opened last is told first; what hangs holds up nobody else. */
export const closeOpened = async (): Promise<void> => {
  await Promise.all(
    opened
      .splice(0)
      .reverse()
      .map((close) => close()),
  );
};
