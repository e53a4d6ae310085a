// The one error every storage port throws: the message holds the remedy, and nothing of the failed step was stored.

export class StorageError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StorageError';
  }
}

/**
 * The one exception: the step may be stored, or not. A disk failed in the very moment of the commit, and only the next start will
 * show its outcome; or the connection to PostgreSQL was lost then, and it may be there already. Who writes it again must look.
 */
export class UnknownOutcomeError extends StorageError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UnknownOutcomeError';
  }
}

/** It is stored, and could not be read back yet: it will be in force in a moment. */
export class UnseenChangeError extends UnknownOutcomeError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UnseenChangeError';
  }
}

/** The storage is sound, and somebody else was first: the same may succeed in a moment, if it is still wanted then. */
export class OvertakenError extends StorageError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OvertakenError';
  }
}

/** Another process has taken over what this one did: nothing that it writes is stored any more. */
export class FencedError extends OvertakenError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'FencedError';
  }
}

/** The controls were changed after somebody had judged by them: what he decided is not stored, and is to be judged again. */
export class StaleControlsError extends OvertakenError {
  constructor() {
    super('the controls were changed at this very moment; try again');
    this.name = 'StaleControlsError';
  }
}

/** A folder may hold spaces, so a path is known by where it starts and by the dot in the file's name. */
const FILE_FOLLOWS = String.raw`[\\/](?=[^\s\\/]+\.\w)`;
const ROOT = String.raw`(?:[A-Za-z]:|\.{1,2})?[\\/]`;
/** One message may name several paths: what lies between them stays. */
const SAME_PATH = String.raw`(?:(?!["'=;]|\s${ROOT}).)*`;
const FOLDERS = new RegExp(
  String.raw`(?<![^\s"'(=])(?:${ROOT}(?:${SAME_PATH}${FILE_FOLLOWS}|[^\s"'=;]*[\\/]|)|[^\s"'(=]*${FILE_FOLLOWS})`,
  'g',
);

/** For strangers: a message names the file, but where the owner keeps it is nobody else's business. */
export const withoutFolders = (message: string): string => message.replace(FOLDERS, '');
