// Closes what tests have opened: what a test opened at the end of that test, all else when its file ends. Files share a
// process, and what one leaves open would stay; and a gateway that is closed leaves its thread to the next one, which
// opens in a fifth of the time.

type Close = () => Promise<unknown>;

/** Kept outside of this module: the setup of a test file, which asks for it, is loaded anew for each of them. */
const KEY = Symbol.for('signalbox.close-at-end');
const holder = globalThis as typeof globalThis & { [KEY]?: { ofTests: Close[]; ofFile: Close[]; running: number } };
holder[KEY] ??= { ofTests: [], ofFile: [], running: 0 };
const opened = holder[KEY];

/** A helper that is loaded once for many files cannot say `afterAll`: only the first file would hear it. */
export const closeAtEnd = (close: Close): void => {
  (opened.running > 0 ? opened.ofTests : opened.ofFile).push(close);
};

/** For what a test opens and later tests use. */
export const closeWithFile = (close: Close): void => void opened.ofFile.push(close);

export const testBegins = (): void => {
  opened.running++;
};

/** Of tests that run side by side nobody knows which has opened what, so the last of them to end closes it all. */
export const testEnds = async (): Promise<void> => {
  opened.running--;
  if (opened.running === 0) await closeAll(opened.ofTests);
};

export const fileEnds = async (): Promise<void> => {
  opened.running = 0;
  await Promise.all([closeAll(opened.ofTests), closeAll(opened.ofFile)]);
};

/** What was opened last is told first; what hangs holds up nobody else. */
const closeAll = (closes: Close[]): Promise<unknown> =>
  Promise.all(
    closes
      .splice(0)
      .reverse()
      .map((close) => close()),
  );
