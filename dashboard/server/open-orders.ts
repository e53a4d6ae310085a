// The orders that rest at the venues or are on their way there: one question for the list, its count in the rail and the kill switch.

/** More than anybody looks through; the server allows no more. */
export const MOST_OPEN_ORDERS = 500;

export const OPEN_ORDERS = `/orders?limit=${MOST_OPEN_ORDERS}`;
