// Where the guides stand: by the path of their file below docs, and by the link that opens one here.

/** The first of them, which lists the others. */
const FIRST = 'README';
const FOLDER = 'guides/';

/** `#/guides/limits`, `#/guides/api/gateway?at=errors`, of a file below docs such as guides/limits.md. */
export function guideLink(file: string, anchor = ''): string {
  const path = file.replace(/\.md$/, '');
  const place = path === FIRST ? '' : `/${path.startsWith(FOLDER) ? path.slice(FOLDER.length) : path}`;
  return `#/guides${place}${anchor === '' ? '' : `?at=${encodeURIComponent(anchor)}`}`;
}

/** The file that such a link means. */
export function fileOf(rest: readonly string[], files: ReadonlySet<string>): string | undefined {
  const path = rest.length === 0 ? FIRST : rest.join('/');
  return [`${FOLDER}${path}.md`, `${path}.md`].find((file) => files.has(file));
}

/** What a link in one of them leads to; undefined where that is not here. */
export function linkIn(file: string, to: string, files: ReadonlySet<string>): string | undefined {
  if (/^https?:/.test(to)) return to;
  const [path = '', anchor] = to.split('#', 2);
  if (path === '') return guideLink(file, anchor);
  // Below a folder of its own, so that what leads out of the docs is found to.
  const target = new URL(path, new URL(file, 'file:///docs/')).pathname.replace(/^\/docs\//, '');
  return files.has(target) ? guideLink(target, anchor) : undefined;
}
