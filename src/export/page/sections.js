// SPDX-License-Identifier: MIT
// What stands below the desk: correlations, batches, numbers of topics, and how
// the model was made.

// ---- correlations

const heat = { row: 0, column: 0, canvas: null };

// Colours end where the strongest of a hundred pairs begins: a single pair
// would make all others pale.
function heatTop() {
  const sizes = data.coefficient.map(Math.abs).sort((a, b) => a - b);
  return sizes[Math.floor(0.99 * (sizes.length - 1))] || 1;
}
const heatMost = heatTop();

function mixed(style, from, to, part) {
  const parse = (name) => style.getPropertyValue(name).trim().slice(1)
    .match(/../g).map((hex) => parseInt(hex, 16));
  const [a, b] = [parse(from), parse(to)];
  return `rgb(${a.map((v, i) => Math.round(v + (b[i] - v) * part)).join()})`;
}

function drawHeat() {
  const canvas = heat.canvas, k = topics.length;
  const cell = Math.max(4, Math.floor(900 / (k + 2)));
  const band = Math.max(6, Math.round(cell / 2));
  const pen = canvas.getContext('2d');
  const style = getComputedStyle(document.documentElement);
  canvas.width = canvas.height = cell * k + band;
  data.order.forEach((topic, place) => {
    pen.fillStyle = style.getPropertyValue(`--g${topics[topic].group % 8}`);
    pen.fillRect(0, band + place * cell, band - 2, cell);
    pen.fillRect(band + place * cell, 0, cell, band - 2);
    data.order.forEach((other, column) => {
      const c = topic === other ? 0 : coefficient(topic, other) / heatMost;
      pen.fillStyle = topic === other ? style.getPropertyValue('--line')
        : mixed(style, '--card', c > 0 ? '--more' : '--less',
          Math.min(1, Math.abs(c)));
      pen.fillRect(band + column * cell, band + place * cell,
        cell - (cell > 6), cell - (cell > 6));
    });
  });
  Object.assign(heat, { cell, band });
  drawCursor(pen, style);
}

function drawCursor(pen, style) {
  pen.strokeStyle = style.getPropertyValue('--ink');
  pen.lineWidth = Math.max(1.5, heat.cell / 12);
  pen.strokeRect(heat.band + heat.column * heat.cell,
    heat.band + heat.row * heat.cell, heat.cell, heat.cell);
}

function tellPair() {
  const a = data.order[heat.row], b = data.order[heat.column];
  at('pair').textContent = a === b ? called(a)
    : `${called(a)} – ${called(b)}: ${signed(coefficient(a, b))}, `
      + `co-occurrence ${real(joint(a, b), 2)}`;
}

function moveHeat(row, column) {
  const last = topics.length - 1;
  heat.row = Math.min(last, Math.max(0, row));
  heat.column = Math.min(last, Math.max(0, column));
  drawHeat();
  tellPair();
}

function heatPoint(event) {
  const box = heat.canvas.getBoundingClientRect();
  const cellAt = (x, size) =>
    Math.floor((x / size * heat.canvas.width - heat.band) / heat.cell);
  return [cellAt(event.clientY - box.top, box.height),
    cellAt(event.clientX - box.left, box.width)];
}

function heatKey(event) {
  const way = WAYS[event.key];
  if (way) moveHeat(heat.row + way[1], heat.column + way[0]);
  else if (event.key === 'Enter') select(data.order[heat.row], true);
  else return;
  event.preventDefault();
}

function pairList(pairs) {
  return el('ul', { class: 'pairs' }, pairs.map(([i, j, c]) =>
    el('li', null, el('span', { class: 'figure' }, signed(c)),
      el('span', { class: 'chips' }, chip(i), chip(j)))));
}

function allPairs() {
  const pairs = [];
  topics.forEach((_, i) => {
    for (let j = 0; j < i; j++) pairs.push([i, j, coefficient(i, j)]);
  });
  return pairs.sort((a, b) => b[2] - a[2]);
}

function makeCorrelations() {
  const pairs = allPairs();
  heat.canvas = el('canvas', { class: 'heat', tabindex: '0', role: 'img',
    'aria-label': 'Correlations of all pairs of topics; arrow keys go from '
      + 'pair to pair', 'aria-describedby': 'pair',
    onpointermove: (event) => moveHeat(...heatPoint(event)),
    onclick: (event) => {
      moveHeat(...heatPoint(event));
      select(data.order[heat.row], true);
    },
    onkeydown: heatKey });
  put('correlations',
    el('h2', { id: 'correlations-head' }, 'Which topics occur together'),
    el('p', { class: 'lead' }, 'Correlation of the proportions of two topics '
      + 'in documents, from −1 to 1. Similar rows are next to each other.'),
    el('div', { class: 'halves' },
      el('div', null, heat.canvas,
        el('p', { id: 'pair', role: 'status', class: 'note' }),
        el('div', { class: 'scale', 'aria-hidden': 'true' }),
        el('p', { class: 'note ends' },
          el('span', null, `seldom together (−${heatMost.toFixed(2)})`),
          el('span', null, `often together (+${heatMost.toFixed(2)})`))),
      el('div', null, el('h3', null, 'Most often together'),
        pairList(pairs.slice(0, 10).filter(([, , c]) => c > 0)),
        el('h3', null, 'Most seldom together'),
        pairList(pairs.slice(-5).reverse().filter(([, , c]) => c < 0)))));
  drawHeat();
  tellPair();
}

// ---- batches

const batchNames = data.batches.map((b) => visible(b.name || 'no batch'));

function batchChart(topic) {
  const ys = data.batches.map((b) => b.shares[topic]);
  return chart({ xs: ys.map((_, i) => i), ys, names: batchNames, base: true,
    text: percent, what: `Share of topic ${topic + 1} by batch: `
      + ys.map((y, i) => `${batchNames[i]} ${percent(y)}`).join(', ') });
}

// How far a topic's shares are from their mean.
function change(topic) {
  const ys = data.batches.map((b) => b.shares[topic]);
  const mean = ys.reduce((a, b) => a + b, 0) / ys.length;
  return Math.sqrt(ys.reduce((sum, y) => sum + (y - mean) ** 2, 0));
}

function makeTime() {
  if (data.batches.length < 2) return;
  const list = topics.map((_, t) => t)
    .sort((a, b) => change(b) - change(a) || a - b);
  at('time').hidden = false;
  put('time', el('h2', { id: 'time-head' }, 'Topics over batches'),
    el('p', { class: 'lead' }, `Mean proportion of each topic in the documents `
      + `of ${data.batches.length} batches, in the order of ingestion. Topics `
      + 'that change most come first.'),
    el('div', { class: 'charts small' }, list.map((topic) =>
      figure(el('button', { type: 'button', class: 'word',
        onclick: () => select(topic, true) }, dot(topic),
      `${topic + 1} ${label(topic)}`), batchChart(topic)))));
}

// ---- how many topics

// Of what models are compared by, in this order.
const COMPARED = ['relative_error', 'npmi', 'c_v', 'umass',
  'mst_incoherence', 'specificity', 'dissimilarity', 'document_coverage'];

const CALLED = { npmi: 'NPMI', c_v: 'C_V', nmi: 'NMI',
  mst_incoherence: 'MST-Incoherence' };
const spaced = (key) => CALLED[key] || key.replaceAll('_', ' ');

function betterNote(better) {
  return better > 0 ? 'larger is better' : better < 0 ? 'smaller is better'
    : 'neither way is better';
}

function comparison(key) {
  const place = data.glossary.findIndex((g) => g.key === key);
  const ys = data.models.map((m) => m.measures[place]);
  if (!ys.some((y) => Number.isFinite(y))) return [];
  const xs = data.models.map((m) => m.topics);
  const better = betterNote(data.glossary[place].better);
  return figure(`${spaced(key)} (${better})`, chart({ xs, ys: ys.map((y) =>
    (Number.isFinite(y) ? y : null)), own: data.own,
  names: data.models.map((m) => String(m.topics)),
  what: `${spaced(key)} by number of topics: ${xs.map((x, i) =>
    `${x}: ${real(ys[i])}`).join(', ')}` }));
}

function modelsTable() {
  return el('div', { class: 'scroll', tabindex: '0', role: 'region',
    'aria-label': 'Models' }, el('table', { class: 'measures' },
    el('caption', { class: 'unseen' }, 'Models of other numbers of topics'),
    el('thead', null, el('tr', null, ['model', 'topics', 'sketch error',
      'sum of topic co-occurrence'].map((name, i) => el('th', { scope: 'col',
      class: i ? 'figure' : null }, name)))),
    el('tbody', null, data.models.map((m, i) => el('tr', null,
      el('td', null, i === data.own ? el('strong', null, m.name) : m.name),
      [count(m.topics), real(m.error), real(m.sum)].map((text) =>
        el('td', { class: 'figure' }, text)))))));
}

function comparisons() {
  if (data.models.length < 2) return [];
  return [el('h3', null, 'Other numbers of topics'),
    el('p', { class: 'note' }, 'Models of the same index with the '
      + 'same options; the marked point is this model.'),
    el('div', { class: 'charts' }, COMPARED.map(comparison)), modelsTable()];
}

function spectrumFigure() {
  const ys = data.eigenvalues;
  if (!ys.length) return [];
  const of = data.spectrum_of_statistics ? 'the co-occurrence' : 'the model';
  return figure(`Spectrum of ${of}: eigenvalues`, chart({ ys, logarithmic: true,
    xs: ys.map((_, i) => i + 1), what: `The ${ys.length} eigenvalues fall from `
      + `${real(ys[0])} to ${real(ys[ys.length - 1])}` }));
}

function residualFigure() {
  const ys = about.topic.map((t) => t.residual).sort((a, b) => b - a);
  return figure('Distance of each anchor from those before', chart({ ys,
    xs: ys.map((_, i) => i + 1), logarithmic: ys[ys.length - 1] > 0,
    what: `Residuals of the anchors fall from ${real(ys[0])} to `
      + real(ys[ys.length - 1]) }));
}

function makeMany() {
  put('many', el('h2', { id: 'many-head' }, 'Number of topics'),
    el('p', { class: 'lead' }, 'Where a curve falls off, more topics add '
      + 'little.'),
    el('div', { class: 'charts' }, spectrumFigure(), residualFigure()),
    comparisons());
}

// ---- how it was made

function facts(object, why) {
  return Object.entries(object).map(([key, value]) => fact(spaced(key),
    typeof value === 'number' ? (Number.isInteger(value) ? count(value)
      : real(value, 4)) : String(value), why));
}

function measuresTable() {
  const values = data.models[data.own].measures;
  const rows = data.glossary.map((g, i) => ({ g, value: values[i] }))
    .filter(({ value }) => Number.isFinite(value));
  if (!rows.length) return [];
  return [el('h3', null, 'Measures of the model'),
    el('div', { class: 'scroll', tabindex: '0', role: 'region',
      'aria-label': 'Measures' },
    el('table', { class: 'measures glossary' },
      el('thead', null, el('tr', null, ['measure', 'value', 'better',
        'definition'].map((name) => el('th', { scope: 'col' }, name)))),
      el('tbody', null, rows.map(({ g, value }) => el('tr', null,
        el('td', null, spaced(g.key)),
        el('td', { class: 'figure' }, real(value, 4)),
        el('td', { class: 'pale' }, g.better > 0 ? 'larger'
          : g.better < 0 ? 'smaller' : '–'),
        el('td', { class: 'pale' }, `${g.formula} (${g.paper})`))))))];
}

function keptFacts() {
  const k = data.kept;
  if (!k) return fact('topic proportions', 'not saved');
  return [fact('topic proportions of', `${count(k.documents)} documents`),
    fact('found by', `${k.method} (${k.options})`),
    k.gone ? fact('removed since', count(k.gone)) : [],
    k.later ? fact('added since', count(k.later)) : []];
}

function makeMade() {
  const d = about.documents, v = about.vocabulary;
  put('made', el('h2', { id: 'made-head' }, 'How the model was made'),
    el('p', { class: 'lead' }, `From ${count(d.counted)} documents of `
      + `${count(d.tokens)} words; ${count(d.skipped)} were too short.`),
    el('h3', null, 'Documents and words'),
    el('dl', { class: 'facts wide' },
      fact('digest of the documents', d.digest), facts(v),
      facts(about.sketch), keptFacts()),
    el('h3', null, 'Options'),
    el('dl', { class: 'facts wide' }, facts(about.options)),
    el('h3', null, 'Figures'),
    el('dl', { class: 'facts wide' }, facts(about.figures)),
    measuresTable());
}

// ---- in print, where there is nothing to select

function makeAll() {
  const head = ['', 'share', 'words', 'anchor'].map((name) =>
    el('th', { scope: 'col' }, name));
  put('all', el('h2', { id: 'all-head' }, 'All topics'),
    el('table', { class: 'measures' },
      el('thead', null, el('tr', null, head)),
      el('tbody', null, order.map((topic) => el('tr', null,
        el('td', null, dot(topic), String(topic + 1)),
        el('td', { class: 'figure' }, percent(share(topic))),
        el('td', { class: 'prose' }, (topicName(topic)
          ? `${apart(topicName(topic))}: ` : '')
          + listed(relevant(topic, USUAL_LAMBDA, 12)
            .map((w) => wordText(w.word)))),
        el('td', null, wordText(topics[topic].anchor)))))));
}
