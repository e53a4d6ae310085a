// Every name of the public language reference, written down by hand, so that a forgotten or invented built-in fails.

import { describe, expect, it } from 'vitest';
import { allEntries, allWords, membersOf, namespaces } from './index.ts';
import type { Entry } from './model.ts';

const list = (text: string) => text.split(/\s+/).filter((word) => word !== '');

const FUNCTIONS: Readonly<Record<string, string>> = {
  '': `alert alertcondition barcolor bgcolor bool box color dayofmonth dayofweek fill fixnan float hline hour indicator
    input int label library line linefill max_bars_back minute month na nz plot plotarrow plotbar plotcandle plotchar
    plotshape second strategy string table time time_close timestamp weekofyear year`,
  array: `abs avg binary_search binary_search_leftmost binary_search_rightmost clear concat copy covariance every fill
    first from get includes indexof insert join last lastindexof max median min mode new new_bool new_box new_color
    new_float new_int new_label new_line new_linefill new_string new_table percentile_linear_interpolation
    percentile_nearest_rank percentrank pop push range remove reverse set shift size slice some sort sort_indices
    standardize stdev sum unshift variance`,
  box: `copy delete get_bottom get_left get_right get_top new set_bgcolor set_border_color set_border_style
    set_border_width set_bottom set_bottom_right_point set_extend set_left set_lefttop set_right set_rightbottom set_text
    set_text_color set_text_font_family set_text_formatting set_text_halign set_text_size set_text_valign set_text_wrap
    set_top set_top_left_point set_xloc`,
  'chart.point': 'copy from_index from_time new now',
  color: 'b from_gradient g new r rgb t',
  footprint: 'buy_volume delta get_row_by_price poc rows sell_volume total_volume vah val',
  input: 'bool color enum float int price session source string symbol text_area time timeframe',
  label: `copy delete get_text get_x get_y new set_color set_point set_size set_style set_text set_text_font_family
    set_text_formatting set_textalign set_textcolor set_tooltip set_x set_xloc set_xy set_y set_yloc`,
  line: `copy delete get_price get_x1 get_x2 get_y1 get_y2 new set_color set_extend set_first_point set_second_point
    set_style set_width set_x1 set_x2 set_xloc set_xy1 set_xy2 set_y1 set_y2`,
  linefill: 'delete get_line1 get_line2 new set_color',
  log: 'error info warning',
  map: 'clear contains copy get keys new put put_all remove size values',
  math: `abs acos asin atan avg ceil cos exp floor log log10 max min pow random round round_to_mintick sign sin sqrt sum
    tan todegrees toradians`,
  matrix: `add_col add_row avg col columns concat copy det diff eigenvalues eigenvectors elements_count fill get inv
    is_antidiagonal is_antisymmetric is_binary is_diagonal is_identity is_square is_stochastic is_symmetric is_triangular
    is_zero kron max median min mode mult new pinv pow rank remove_col remove_row reshape reverse row rows set sort
    submatrix sum swap_columns swap_rows trace transpose`,
  polyline: 'delete new',
  request: `currency_rate dividends earnings economic financial footprint quandl security security_lower_tf seed splits`,
  runtime: 'error',
  str: `contains endswith format format_time length lower match pos repeat replace replace_all split startswith substring
    tonumber tostring trim upper`,
  strategy: 'cancel cancel_all close close_all convert_to_account convert_to_symbol default_entry_qty entry exit order',
  'strategy.closedtrades': `commission entry_bar_index entry_comment entry_id entry_price entry_time exit_bar_index
    exit_comment exit_id exit_price exit_time max_drawdown max_drawdown_percent max_runup max_runup_percent profit
    profit_percent size`,
  'strategy.opentrades': `commission entry_bar_index entry_comment entry_id entry_price entry_time max_drawdown
    max_drawdown_percent max_runup max_runup_percent profit profit_percent size`,
  'strategy.risk': `allow_entry_in max_cons_loss_days max_drawdown max_intraday_filled_orders max_intraday_loss
    max_position_size`,
  syminfo: 'prefix ticker',
  ta: `alma atr barssince bb bbw cci change cmo cog correlation cross crossover crossunder cum dev dmi ema falling highest
    highestbars hma kc kcw linreg lowest lowestbars macd max median mfi min mode mom percentile_linear_interpolation
    percentile_nearest_rank percentrank pivot_point_levels pivothigh pivotlow range rci rising rma roc rsi sar sma stdev
    stoch supertrend swma tr tsi valuewhen variance vwap vwma wma wpr`,
  table: `cell cell_set_bgcolor cell_set_height cell_set_text cell_set_text_color cell_set_text_font_family
    cell_set_text_formatting cell_set_text_halign cell_set_text_size cell_set_text_valign cell_set_tooltip cell_set_width
    clear delete merge_cells new set_bgcolor set_border_color set_border_width set_frame_color set_frame_width
    set_position`,
  ticker: 'heikinashi inherit kagi linebreak modify new pointfigure renko standard',
  timeframe: 'change from_seconds in_seconds',
  volume_row: 'buy_volume delta down_price has_buy_imbalance has_sell_imbalance sell_volume total_volume up_price',
};

const VARIABLES: Readonly<Record<string, string>> = {
  '': `ask bar_index bid close dayofmonth dayofweek high hl2 hlc3 hlcc4 hour last_bar_index last_bar_time low minute month
    na ohlc4 open second time time_close time_tradingday timenow volume weekofyear year`,
  barstate: 'isconfirmed isfirst ishistory islast islastconfirmedhistory isnew isrealtime',
  box: 'all',
  chart: `bg_color fg_color is_heikinashi is_kagi is_linebreak is_pnf is_range is_renko is_standard left_visible_bar_time
    right_visible_bar_time`,
  dividends: 'future_amount future_ex_date future_pay_date',
  earnings: 'future_eps future_period_end_time future_revenue future_time',
  label: 'all',
  line: 'all',
  linefill: 'all',
  polyline: 'all',
  session: 'isfirstbar isfirstbar_regular islastbar islastbar_regular ismarket ispostmarket ispremarket',
  strategy: `account_currency avg_losing_trade avg_losing_trade_percent avg_trade avg_trade_percent avg_winning_trade
    avg_winning_trade_percent closedtrades equity eventrades grossloss grossloss_percent grossprofit grossprofit_percent
    initial_capital losstrades margin_liquidation_price max_contracts_held_all max_contracts_held_long
    max_contracts_held_short max_drawdown max_drawdown_percent max_runup max_runup_percent netprofit netprofit_percent
    openprofit openprofit_percent opentrades position_avg_price position_entry_name position_size wintrades`,
  'strategy.closedtrades': 'first_index',
  'strategy.opentrades': 'capital_held',
  syminfo: `basecurrency country currency current_contract description employees expiration_date industry isin
    main_tickerid mincontract minmove mintick pointvalue prefix pricescale recommendations_buy recommendations_buy_strong
    recommendations_date recommendations_hold recommendations_sell recommendations_sell_strong recommendations_total root
    sector session shareholders shares_outstanding_float shares_outstanding_total target_price_average target_price_date
    target_price_estimates target_price_high target_price_low target_price_median ticker tickerid timezone type
    volumetype`,
  ta: 'accdist iii nvi obv pvi pvt tr vwap wad wvad',
  table: 'all',
  timeframe: `isdaily isdwm isintraday isminutes ismonthly isseconds isticks isweekly main_period multiplier period`,
};

const CONSTANTS: Readonly<Record<string, string>> = {
  '': 'false true',
  adjustment: 'dividends none splits',
  alert: 'freq_all freq_once_per_bar freq_once_per_bar_close',
  backadjustment: 'inherit off on',
  barmerge: 'gaps_off gaps_on lookahead_off lookahead_on',
  color: `aqua black blue fuchsia gray green lime maroon navy olive orange purple red silver teal white yellow`,
  currency: `AED ARS AUD BDT BHD BRL BTC CAD CHF CLP CNY COP CZK DKK EGP ETH EUR GBP HKD HUF IDR ILS INR ISK JPY KES KRW
    KWD LKR MAD MXN MYR NGN NOK NONE NZD PEN PHP PKR PLN QAR RON RSD RUB SAR SEK SGD THB TND TRY TWD USD USDT VES VND
    ZAR`,
  dayofweek: 'friday monday saturday sunday thursday tuesday wednesday',
  display: 'all data_window none pane pine_screener price_scale status_line',
  dividends: 'gross net',
  earnings: 'actual estimate standardized',
  extend: 'both left none right',
  font: 'family_default family_monospace',
  format: 'inherit mintick percent price volume',
  hline: 'style_dashed style_dotted style_solid',
  label: `style_arrowdown style_arrowup style_circle style_cross style_diamond style_flag style_label_center
    style_label_down style_label_left style_label_lower_left style_label_lower_right style_label_right style_label_up
    style_label_upper_left style_label_upper_right style_none style_square style_text_outline style_triangledown
    style_triangleup style_xcross`,
  line: 'style_arrow_both style_arrow_left style_arrow_right style_dashed style_dotted style_solid',
  location: 'abovebar absolute belowbar bottom top',
  math: 'e phi pi rphi',
  order: 'ascending descending',
  plot: `linestyle_dashed linestyle_dotted linestyle_solid style_area style_areabr style_circles style_columns style_cross
    style_histogram style_line style_linebr style_stepline style_stepline_diamond style_steplinebr`,
  position: `bottom_center bottom_left bottom_right middle_center middle_left middle_right top_center top_left top_right`,
  scale: 'left none right',
  session: 'extended regular',
  settlement_as_close: 'inherit off on',
  shape: `arrowdown arrowup circle cross diamond flag labeldown labelup square triangledown triangleup xcross`,
  size: 'auto huge large normal small tiny',
  splits: 'denominator numerator',
  strategy: 'cash fixed long percent_of_equity short',
  'strategy.commission': 'cash_per_contract cash_per_order percent',
  'strategy.direction': 'all long short',
  'strategy.oca': 'cancel none reduce',
  text: `align_bottom align_center align_left align_right align_top format_bold format_italic format_none wrap_auto
    wrap_none`,
  xloc: 'bar_index bar_time',
  yloc: 'abovebar belowbar price',
};

const ONLY_IN_V6 = `ask bid box.set_text_formatting box.set_xloc display.pine_screener footprint.buy_volume
  footprint.delta footprint.get_row_by_price footprint.poc footprint.rows footprint.sell_volume footprint.total_volume
  footprint.vah footprint.val label.set_text_formatting plot.linestyle_dashed plot.linestyle_dotted plot.linestyle_solid
  request.footprint strategy.closedtrades.first_index syminfo.current_contract syminfo.isin syminfo.main_tickerid
  syminfo.mincontract table.cell_set_text_formatting text.format_bold text.format_italic text.format_none
  timeframe.main_period volume_row.buy_volume volume_row.delta volume_row.down_price volume_row.has_buy_imbalance
  volume_row.has_sell_imbalance volume_row.sell_volume volume_row.total_volume volume_row.up_price`;

const WORDS: Readonly<Record<string, string>> = {
  keyword: `and as break by continue else enum export for if import in method not once or switch to type var varip while`,
  type: `array bool box chart.point color const float footprint int label line linefill map matrix polyline series simple
    string table volume_row`,
  annotation: `@description @enum @field @function @param @returns @strategy_alert_message @type @variable @version=`,
  operator: '- -= := != ?: [] * *= / /= % %= + += < <= = => == > >=',
};

const named = (namespace: string, kind: Entry['kind']) =>
  membersOf(namespace, 6).flatMap((entry) => (entry.kind === kind ? [entry.member] : []));

const KINDS = [
  ['function', FUNCTIONS],
  ['variable', VARIABLES],
  ['constant', CONSTANTS],
] as const;

describe.each(KINDS)('every %s of the reference', (kind, lists) => {
  it.each(Object.entries(lists))('is in the namespace "%s", and no other', (namespace, text) => {
    expect(named(namespace, kind)).toEqual(list(text).sort());
  });

  it('is in a namespace of the list', () => {
    expect(namespaces().filter((namespace) => named(namespace, kind).length > 0 && !(namespace in lists))).toEqual([]);
  });
});

describe('the versions', () => {
  it('has in v5 everything of v6 but what came later', () => {
    const missing = allEntries().flatMap((entry) => (entry.versions.includes(5) ? [] : [entry.name]));
    expect(missing.sort()).toEqual(list(ONLY_IN_V6).sort());
  });

  it('has no name that only v5 knows', () => {
    expect(allEntries().filter((entry) => !entry.versions.includes(6))).toEqual([]);
  });
});

describe('the words of the language', () => {
  it.each(Object.entries(WORDS))('has every %s', (kind, text) => {
    const found = allWords().flatMap((word) => (word.kind === kind ? [word.name] : []));
    expect(found.sort()).toEqual(list(text).sort());
  });

  it('marks the words of v6', () => {
    const newest = allWords().flatMap((word) => (word.versions.includes(5) ? [] : [word.name]));
    expect(newest.sort()).toEqual(['footprint', 'once', 'volume_row']);
  });
});
