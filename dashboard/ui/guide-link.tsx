// The way to one of the guides, from where one is needed.

interface GuideLinkProps {
  /** The name of its file in docs/guides, without the ending. */
  readonly guide: string;
  readonly words?: string;
}

export const GuideLink = ({ guide, words = 'The guide' }: GuideLinkProps) => <a href={`#/guides/${guide}`}>{words}</a>;
