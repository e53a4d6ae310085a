// The one error every storage port throws: the message holds the remedy, and nothing of the failed step was stored.

export class StorageError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StorageError';
  }
}

/** A folder may hold spaces, so a path is known by where it starts and by the dot in the file's name. */
const FILE_FOLLOWS = String.raw`[\\/](?=[^\s\\/]+\.\w)`;
const ROOT = String.raw`(?:[A-Za-z]:|\.{1,2})?[\\/]`;
const FOLDERS = new RegExp(
  String.raw`(?<![^\s"'(])(?:${ROOT}(?:.*${FILE_FOLLOWS}|\S*[\\/]|)|[^\s"'(]*${FILE_FOLLOWS})`,
  'g',
);

/** For strangers: a message names the file, but where the owner keeps it is nobody else's business. */
export const withoutFolders = (message: string): string => message.replace(FOLDERS, '');
