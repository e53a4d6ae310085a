// Short lists that are emptied and filled all the time.

/** A list of one takes no room for more: most lists of orders and lots never have a second member. */
export function added<T>(list: T[], member: T): T[] {
  if (list.length === 0) return [member];
  list.push(member);
  return list;
}
