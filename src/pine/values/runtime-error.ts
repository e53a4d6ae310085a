// The error a running script ends with, in the words of the language.

/** Thrown by value functions and kernels; the bar loop adds the bar and the line of the script. */
export class PineRuntimeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PineRuntimeError';
  }
}
