// The color namespace: the palette, and making and taking apart colors.

import type { TableSource } from '../model.ts';

export const COLOR: TableSource = {
  namespace: 'color',
  text: `
aqua: const color = #00BCD4  # Aqua, #00BCD4.
black: const color = #363A45  # Black, #363A45.
blue: const color = #2962FF  # Blue, #2962FF.
fuchsia: const color = #E040FB  # Fuchsia, #E040FB.
gray: const color = #787B86  # Gray, #787B86.
green: const color = #4CAF50  # Green, #4CAF50.
lime: const color = #00E676  # Lime, #00E676.
maroon: const color = #880E4F  # Maroon, #880E4F.
navy: const color = #311B92  # Navy, #311B92.
olive: const color = #808000  # Olive, #808000.
orange: const color = #FF9800  # Orange, #FF9800.
purple: const color = #9C27B0  # Purple, #9C27B0.
red: const color = #F23645 (v5 #FF5252)  # Red, #F23645; #FF5252 in v5.
silver: const color = #B2B5BE  # Silver, #B2B5BE.
teal: const color = #089981 (v5 #00897B)  # Teal, #089981; #00897B in v5.
white: const color = #FFFFFF  # White, #FFFFFF.
yellow: const color = #FDD835 (v5 #FFEB3B)  # Yellow, #FDD835; #FFEB3B in v5.
b(color: series color) -> const.. float
  # Blue part of a color, 0 to 255.
from_gradient(value: series float, bottom_value: series float, top_value: series float, bottom_color: series color,
    top_color: series color) -> series color
  # The color at the value's place between two colors.
g(color: series color) -> const.. float
  # Green part of a color, 0 to 255.
new(color: series color, transp: series float) -> const.. color
  # The color with a transparency from 0 (opaque) to 100 (invisible).
r(color: series color) -> const.. float
  # Red part of a color, 0 to 255.
rgb(red: series float, green: series float, blue: series float, transp: series float = 0) -> const.. color
  # The color of three parts from 0 to 255 and a transparency from 0 to 100.
t(color: series color) -> const.. float
  # Transparency of a color, 0 to 100.
`,
};
