// The venue cannot be reached, or said something senseless: asking again later may help.

export class UpstreamError extends Error {
  override readonly name = 'UpstreamError';
}
