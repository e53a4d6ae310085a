// A rectangle of whole pixels on a picture.

/** The right and bottom edges are outside. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}
