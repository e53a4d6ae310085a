// The search box: shows the endpoints that have every typed word in their method, path, name or description.

/** `entries`: the text of an endpoint and the nodes it is shown by; `groups`: headings, each with its entries. */
export function wireSearch(input, nothing, groups) {
  const filter = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    for (const { headings, entries } of groups) {
      let shown = 0;
      for (const { text, nodes } of entries) {
        const fits = words.every((word) => text.includes(word));
        for (const node of nodes) node.hidden = !fits;
        if (fits) shown += 1;
      }
      for (const heading of headings) heading.hidden = shown === 0;
      found += shown;
    }
    nothing.hidden = found > 0;
  };
  input.addEventListener('input', filter);
}
