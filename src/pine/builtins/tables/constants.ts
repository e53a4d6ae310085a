// Families of constants that name an option: where, how large, which style, which currency.

import type { TableSource } from '../model.ts';

type Family = Readonly<Record<string, string>>;

/** A family of one type; the value of a constant is its own name unless written otherwise. */
const family = (namespace: string, type: string, members: Family): TableSource => ({
  namespace,
  text: Object.entries(members)
    .map(([name, doc]) => `${name}: const ${type}  # ${doc}`)
    .join('\n'),
});

export const CONSTANTS: readonly TableSource[] = [
  family('adjustment', 'string', {
    dividends: 'Prices adjusted for dividends.',
    none: 'Prices not adjusted.',
    splits: 'Prices adjusted for splits.',
  }),
  family('alert', 'string', {
    freq_all: 'Every call alerts.',
    freq_once_per_bar: 'The first call on a bar alerts.',
    freq_once_per_bar_close: 'A call on the closing update of a bar alerts.',
  }),
  family('backadjustment', 'backadjustment', {
    inherit: "Back-adjustment as the symbol's default.",
    off: 'Past contracts not back-adjusted.',
    on: 'Past contracts back-adjusted.',
  }),
  {
    namespace: 'barmerge',
    text: `
gaps_off: const barmerge_gaps  # Gaps in requested data are filled with the last value.
gaps_on: const barmerge_gaps  # Gaps in requested data stay na.
lookahead_off: const barmerge_lookahead  # Requested values appear when their bar has closed.
lookahead_on: const barmerge_lookahead  # Requested values appear when their bar opens: history then knows the future.
`,
  },
  {
    namespace: 'display',
    text: `
all: const plot_simple_display  # Shown everywhere.
data_window: const plot_display  # Shown in the data window.
none: const plot_simple_display  # Shown nowhere.
pane: const plot_display  # Shown in the pane.
pine_screener: const plot_display | v6  # Shown as a column of the screener.
price_scale: const plot_display  # Shown on the price scale.
status_line: const plot_display  # Shown in the status line.
`,
  },
  family('extend', 'string', {
    both: 'Without end on both sides.',
    left: 'Without end to the left.',
    none: 'From point to point.',
    right: 'Without end to the right.',
  }),
  family('font', 'string', {
    family_default: 'The usual font.',
    family_monospace: 'A font with letters of equal width.',
  }),
  family('format', 'string', {
    inherit: 'Numbers as the chart shows them.',
    mintick: 'Numbers rounded to the tick of the symbol.',
    percent: 'Numbers with a percent sign.',
    price: 'Numbers as prices.',
    volume: 'Numbers as volume: 5.183K.',
  }),
  family('location', 'string', {
    abovebar: 'Above the bar.',
    absolute: "At the series' value.",
    belowbar: 'Below the bar.',
    bottom: 'At the bottom of the pane.',
    top: 'At the top of the pane.',
  }),
  family('order', 'sort_order', { ascending: 'Smallest first.', descending: 'Largest first.' }),
  family('position', 'string', {
    bottom_center: 'At the bottom, in the middle.',
    bottom_left: 'In the lower left corner.',
    bottom_right: 'In the lower right corner.',
    middle_center: 'In the middle of the pane.',
    middle_left: 'At the left edge.',
    middle_right: 'At the right edge.',
    top_center: 'At the top, in the middle.',
    top_left: 'In the upper left corner.',
    top_right: 'In the upper right corner.',
  }),
  family('scale', 'scale_type', {
    left: 'A price scale at the left.',
    none: 'No price scale of its own.',
    right: 'A price scale at the right.',
  }),
  family('settlement_as_close', 'settlement', {
    inherit: "The close as the symbol's default says.",
    off: 'The close is the last trade.',
    on: 'The close is the settlement price.',
  }),
  family('shape', 'string', {
    arrowdown: 'An arrow down.',
    arrowup: 'An arrow up.',
    circle: 'A circle.',
    cross: 'An upright cross.',
    diamond: 'A diamond.',
    flag: 'A flag.',
    labeldown: 'A label pointing down.',
    labelup: 'A label pointing up.',
    square: 'A square.',
    triangledown: 'A triangle pointing down.',
    triangleup: 'A triangle pointing up.',
    xcross: 'A diagonal cross.',
  }),
  family('size', 'string', {
    auto: 'A size that fits.',
    huge: 'Huge.',
    large: 'Large.',
    normal: 'Normal.',
    small: 'Small.',
    tiny: 'Tiny.',
  }),
  family('splits', 'string', {
    denominator: "Lower number of a split's ratio.",
    numerator: "Upper number of a split's ratio.",
  }),
  {
    namespace: 'text',
    text: `
align_bottom: const string = "bottom"  # At the bottom.
align_center: const string = "center"  # In the middle.
align_left: const string = "left"  # At the left.
align_right: const string = "right"  # At the right.
align_top: const string = "top"  # At the top.
format_bold: const text_format | v6  # Bold text.
format_italic: const text_format | v6  # Italic text.
format_none: const text_format | v6  # Plain text.
wrap_auto: const string = "auto"  # Long text goes on in a new line.
wrap_none: const string = "none"  # Long text stays on one line.
`,
  },
  family('xloc', 'string', { bar_index: 'Places are bar indices.', bar_time: 'Places are times.' }),
  family('yloc', 'string', {
    abovebar: 'Above the bar, whatever the price.',
    belowbar: 'Below the bar, whatever the price.',
    price: 'At the price.',
  }),
];

export const CURRENCY: TableSource = family('currency', 'string', {
  AED: 'United Arab Emirates dirham.',
  ARS: 'Argentine peso.',
  AUD: 'Australian dollar.',
  BDT: 'Bangladeshi taka.',
  BHD: 'Bahraini dinar.',
  BRL: 'Brazilian real.',
  BTC: 'Bitcoin.',
  CAD: 'Canadian dollar.',
  CHF: 'Swiss franc.',
  CLP: 'Chilean peso.',
  CNY: 'Chinese yuan.',
  COP: 'Colombian peso.',
  CZK: 'Czech koruna.',
  DKK: 'Danish krone.',
  EGP: 'Egyptian pound.',
  ETH: 'Ether.',
  EUR: 'Euro.',
  GBP: 'Pound sterling.',
  HKD: 'Hong Kong dollar.',
  HUF: 'Hungarian forint.',
  IDR: 'Indonesian rupiah.',
  ILS: 'Israeli shekel.',
  INR: 'Indian rupee.',
  ISK: 'Icelandic krona.',
  JPY: 'Japanese yen.',
  KES: 'Kenyan shilling.',
  KRW: 'South Korean won.',
  KWD: 'Kuwaiti dinar.',
  LKR: 'Sri Lankan rupee.',
  MAD: 'Moroccan dirham.',
  MXN: 'Mexican peso.',
  MYR: 'Malaysian ringgit.',
  NGN: 'Nigerian naira.',
  NOK: 'Norwegian krone.',
  NONE: 'No currency.',
  NZD: 'New Zealand dollar.',
  PEN: 'Peruvian sol.',
  PHP: 'Philippine peso.',
  PKR: 'Pakistani rupee.',
  PLN: 'Polish zloty.',
  QAR: 'Qatari riyal.',
  RON: 'Romanian leu.',
  RSD: 'Serbian dinar.',
  RUB: 'Russian ruble.',
  SAR: 'Saudi riyal.',
  SEK: 'Swedish krona.',
  SGD: 'Singapore dollar.',
  THB: 'Thai baht.',
  TND: 'Tunisian dinar.',
  TRY: 'Turkish lira.',
  TWD: 'New Taiwan dollar.',
  USD: 'United States dollar.',
  USDT: 'Tether.',
  VES: 'Venezuelan bolivar.',
  VND: 'Vietnamese dong.',
  ZAR: 'South African rand.',
});
