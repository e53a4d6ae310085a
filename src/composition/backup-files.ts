// How the files of backups are called, and which of a folder's files are ours to count and to remove.

const NAMED = /^signalbox-(\d{4}-\d{2}-\d{2})T(\d{2})-(\d{2})-(\d{2})Z\.tar\.gz(\.sealed)?$/;

/** Sorted by name they are sorted by time. */
export function backupName(atMs: number, isEncrypted: boolean): string {
  const stamp = new Date(atMs).toISOString().slice(0, 19).replaceAll(':', '-');
  return `signalbox-${stamp}Z.tar.gz${isEncrypted ? '.sealed' : ''}`;
}

/** To the second; of a name that is ours. */
export const madeAtMsOf = (name: string): number => Date.parse(name.replace(NAMED, '$1T$2:$3:$4Z'));

/** Newest first, of everything that is in a folder. */
export const backupsAmong = (names: readonly string[]): readonly string[] =>
  names
    .filter((name) => NAMED.test(name))
    .sort()
    .reverse();
