// The page's own script: shows what stood under the pointer, and fits the heights of a price chart that was made wider.

/** Reads the numbers that the page carries in `#data`. Without a script the page is whole, only nothing moves. */
export const PAGE_SCRIPT = `
(function () {
  var data = JSON.parse(document.getElementById('data').textContent);
  function nearest(list, bar) {
    var low = 0, high = list.length - 1;
    while (low < high) { var middle = (low + high + 1) >> 1; if (list[middle] <= bar) low = middle; else high = middle - 1; }
    return low;
  }
  function words(id, bar) {
    var at = nearest(id === 'price' ? data.bars : data.points, bar);
    var time = new Date(id === 'price' ? data.times[at] : data.pointTimes[at]).toISOString().slice(0, 16).replace('T', ' ');
    if (id === 'price') return time + '\\nclose ' + data.closes[at];
    if (id === 'equity') return time + '\\nequity ' + data.equity[at].toFixed(2);
    return time + '\\ndrawdown ' + data.drawdowns[at].toFixed(2) + ' %';
  }
  document.querySelectorAll('.chart').forEach(function (chart) {
    var plot = chart.querySelector('.plot'), drawing = plot.querySelector('svg'), cursor = plot.querySelector('.cursor');
    var from = Number(chart.dataset.from), to = Number(chart.dataset.to);
    plot.addEventListener('pointermove', function (event) {
      var box = drawing.getBoundingClientRect(), share = (event.clientX - box.left) / box.width;
      cursor.hidden = share < 0 || share > 1;
      if (cursor.hidden) return;
      cursor.style.left = share * box.width + 'px';
      cursor.classList.toggle('left', event.clientX > plot.getBoundingClientRect().left + plot.clientWidth * 0.6);
      cursor.dataset.text = words(chart.id, Math.floor(from + share * (to - from)));
    });
    plot.addEventListener('pointerleave', function () { cursor.hidden = true; });
  });

  var price = document.getElementById('price'), pane = price.querySelector('.pane'), picture = price.querySelector('svg');
  var values = price.querySelector('.values'), whole = values.innerHTML, height = picture.viewBox.baseVal.height;
  var bottom = Number(price.dataset.low), top = Number(price.dataset.high);
  function fit() {
    var from = Number(price.dataset.from), count = Number(price.dataset.to) - from;
    var isWhole = pane.scrollWidth <= pane.clientWidth + 1;
    price.classList.toggle('wider', !isWhole);
    if (isWhole) { picture.setAttribute('viewBox', '0 0 1000 ' + height); values.innerHTML = whole; return; }
    var first = nearest(data.bars, from + (pane.scrollLeft / pane.scrollWidth) * count);
    var last = nearest(data.bars, from + ((pane.scrollLeft + pane.clientWidth) / pane.scrollWidth) * count);
    var low = Math.min.apply(null, data.lows.slice(first, last + 1)), high = Math.max.apply(null, data.highs.slice(first, last + 1));
    var room = (high - low) * 0.08 || Math.abs(high) * 0.01 || 1;
    var upper = ((top - high - room) / (top - bottom)) * height, span = ((high - low + 2 * room) / (top - bottom)) * height;
    picture.setAttribute('viewBox', '0 ' + upper + ' 1000 ' + span);
    values.innerHTML = [0.1, 0.3, 0.5, 0.7, 0.9].map(function (share) {
      var value = high + room - share * (high - low + 2 * room);
      return '<span style="--at:' + share * 100 + '%">' + Number(value.toPrecision(6)) + '</span>';
    }).join('');
  }
  pane.addEventListener('scroll', fit);
  price.querySelectorAll('.zoom input').forEach(function (choice) {
    choice.addEventListener('change', function () { pane.scrollLeft = pane.scrollWidth; fit(); });
  });
})();
`;
