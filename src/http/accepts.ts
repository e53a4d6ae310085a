// Whether a client asks for a media type by name.

/** `*` and ranges do not count: who does not care gets what everybody gets. */
export function accepts(accept: string | undefined, wanted: string): boolean {
  return (accept ?? '').split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return type === wanted && !parameters.some((parameter) => /^q=0(?:\.0{0,3})?$/.test(parameter));
  });
}
