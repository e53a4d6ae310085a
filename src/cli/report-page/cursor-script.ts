// The page's own script: under the pointer it shows the time of a bar, its close, and what the account stood at.

/** Reads the numbers that the page carries in `#data`; without it the page is whole, only nothing follows the pointer. */
export const CURSOR_SCRIPT = `
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
      cursor.classList.toggle('left', share > 0.6);
      cursor.dataset.text = words(chart.id, Math.floor(from + share * (to - from)));
    });
    plot.addEventListener('pointerleave', function () { cursor.hidden = true; });
  });
})();
`;
