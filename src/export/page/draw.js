// SPDX-License-Identifier: MIT
// Elements and charts. Text of the corpus becomes text nodes and attributes of
// elements made here, never markup.

const SVG = 'http://www.w3.org/2000/svg';

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) {
      node.setAttribute(name, value === true ? '' : value);
    }
  }
  node.append(...children.flat(Infinity));
  return node;
}
const el = (tag, attributes, ...children) =>
  fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);
const at = (id) => document.getElementById(id);
const put = (id, ...children) =>
  at(id).replaceChildren(...children.flat(Infinity));

// A button that selects a topic.
function chip(topic, note) {
  return el('button', { type: 'button', class: 'chip',
    title: label(topic, 8), onclick: () => select(topic, true) },
  dot(topic), el('span', { class: 'number' }, String(topic + 1)), ' ',
  label(topic, 2), note ? ` ${note}` : '');
}

const dot = (topic) => el('span', { class: 'dot', 'aria-hidden': 'true',
  style: `background:${colour(topic)}` });

// A word that shows on the map which topics hold it.
function wordButton(word) {
  return el('button', { type: 'button', class: 'word', 'data-word': word,
    title: wordText(word), 'aria-pressed': String(state.word === word),
    onclick: () => light(state.word === word ? null : word) },
  wordText(word));
}

// A term and what it is; nothing where there is nothing to say.
function fact(term, value, why) {
  if (value === undefined || value === null || value === '–') return [];
  return el('div', { title: why }, el('dt', null, term),
    el('dd', null, String(value)));
}

// ---- charts

const CHART = { width: 300, height: 150, left: 46, right: 8, top: 10,
  bottom: 22 };

function scaleOf(values, logarithmic) {
  const known = values.filter((y) => y !== null && (!logarithmic || y > 0));
  let low = Math.min(...known), high = Math.max(...known);
  if (low === high) { low -= Math.abs(low) / 10 || 1; high += 1e-9; }
  const map = logarithmic ? Math.log : (y) => y;
  const [a, b] = [map(low), map(high)];
  return { low, high, of: (y) => (map(y) - a) / (b - a) };
}

function axes(xs, y, shape, text) {
  const { width, height, left, right, bottom, top } = shape;
  const line = (x1, y1, x2, y2) =>
    svg('line', { class: 'axis', x1, y1, x2, y2 });
  return [
    line(left, height - bottom, width - right, height - bottom),
    line(left, top, left, height - bottom),
    svg('text', { x: left - 5, y: top + 4, 'text-anchor': 'end' },
      text(y.high)),
    svg('text', { x: left - 5, y: height - bottom, 'text-anchor': 'end' },
      text(y.low)),
    svg('text', { x: left, y: height - 5 }, xs[0]),
    svg('text', { x: width - right, y: height - 5, 'text-anchor': 'end' },
      xs[xs.length - 1])];
}

// Points joined by a line. `what` says in words what it shows; `own` is the
// place of the point that stands out. With `base`, values are above 0 and the
// area below is filled.
function chart({ xs, ys, what, logarithmic, own, base, names, text = real }) {
  const shape = CHART;
  const y = scaleOf(base ? ys.concat(0) : ys, logarithmic);
  const x = scaleOf(xs, false);
  const px = (i) => shape.left
    + (xs.length > 1 ? x.of(xs[i]) : 0.5)
    * (shape.width - shape.left - shape.right);
  const py = (v) => shape.height - shape.bottom
    - y.of(v) * (shape.height - shape.top - shape.bottom);
  const seen = ys.map((v, i) => i)
    .filter((i) => ys[i] !== null && (!logarithmic || ys[i] > 0));
  const points = seen.map((i) => `${px(i).toFixed(1)},${py(ys[i]).toFixed(1)}`);
  const floor = shape.height - shape.bottom;
  const marks = seen.length > 60 ? [] : seen.map((i) =>
    svg('circle', { cx: px(i), cy: py(ys[i]), r: i === own ? 5 : 2.6,
      class: i === own ? 'own' : null },
    svg('title', null, `${names ? names[i] : xs[i]}: ${text(ys[i])}`)));
  return svg('svg', { class: 'chart', role: 'img', 'aria-label': what,
    viewBox: `0 0 ${shape.width} ${shape.height}` },
  axes(names ? [names[0], names[names.length - 1]] : xs, y, shape, text),
  base ? svg('polygon', { class: 'area', points: `${px(seen[0])},${floor} `
    + `${points.join(' ')} ${px(seen[seen.length - 1])},${floor}` }) : [],
  svg('polyline', { class: 'line', points: points.join(' ') }), marks);
}

function figure(caption, drawing) {
  return el('figure', null, el('figcaption', null, caption), drawing);
}
