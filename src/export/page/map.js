// SPDX-License-Identifier: MIT
// The map: places come from kedge; here they are drawn, looked at closer and
// gone through with the keyboard.

const MAP_WIDTH = 1000, MAP_EDGE = 26, CLOSEST = 12;
const FEW = 6; // topics, with large circles: large names, and a flat map
const mapHeight = Math.max(topics.length < FEW ? 320 : 520,
  data.height * (MAP_WIDTH - 2 * MAP_EDGE) + 2 * MAP_EDGE);
const view = { zoom: 1, x: 0, y: 0 };
const spots = [];
let lines = [];

const unit = MAP_WIDTH - 2 * MAP_EDGE;
const sunk = (mapHeight - data.height * unit) / 2; // a flat map is centred
function placeOf(topic) {
  const t = topics[topic];
  return { x: (MAP_EDGE + t.x * unit) * view.zoom + view.x,
    y: (sunk + t.y * unit) * view.zoom + view.y,
    r: Math.max(t.r * unit * view.zoom, 5) };
}

// As many of the strongest pairs as there are topics.
function strongest() {
  const pairs = [];
  topics.forEach((_, i) => {
    for (let j = 0; j < i; j++) {
      if (coefficient(i, j) > 0.05) pairs.push([i, j, coefficient(i, j)]);
    }
  });
  pairs.sort((a, b) => b[2] - a[2]);
  return pairs.slice(0, topics.length);
}

function drawSpot(topic) {
  const circle = svg('circle', { style: `--own:${colour(topic)}` });
  const number = svg('text', { class: 'number' }, String(topic + 1));
  const name = svg('text', null);
  const group = svg('g', { class: 'spot', role: 'button', tabindex: '-1',
    'aria-label': `${called(topic)}, ${percent(share(topic))}`,
    onclick: () => select(topic, false),
    onkeydown: (event) => walk(event, topic) },
  svg('title', null, `${topic + 1}: ${label(topic, 8)}`),
  circle, number, name);
  return { group, circle, number, name };
}

// A name has the room of its circle and a little of what is around it; where
// there is none, the number stands alone.
function nameSize(text, r) {
  const size = Math.min(topics.length < FEW ? 36 : 24, Math.max(13, r / 2.2));
  return r > 26 && text.length * size * 0.5 < 2.5 * r ? size : 0;
}

function placeSpot(topic) {
  const { x, y, r } = placeOf(topic), spot = spots[topic];
  const first = label(topic, 1);
  const short = first.length > 18 ? `${first.slice(0, 17)}…` : first;
  const size = nameSize(short, r);
  const digits = Math.min(topics.length < FEW ? 28 : 19, Math.max(11, r * 0.8));
  spot.circle.setAttribute('r', r);
  spot.group.setAttribute('transform', `translate(${x} ${y})`);
  spot.number.setAttribute('font-size', digits);
  spot.number.setAttribute('y', digits * 0.35 - size * 0.6);
  spot.name.textContent = size ? short : '';
  spot.name.setAttribute('font-size', size);
  spot.name.setAttribute('y', size * 0.9);
}

function placeLine({ node, pair }) {
  const a = placeOf(pair[0]), b = placeOf(pair[1]);
  node.setAttribute('x1', a.x);
  node.setAttribute('y1', a.y);
  node.setAttribute('x2', b.x);
  node.setAttribute('y2', b.y);
}

function placeMap() {
  topics.forEach((_, topic) => placeSpot(topic));
  lines.forEach(placeLine);
}

// Keeps the point (x, y) of the picture where it is.
function zoomBy(factor, x = MAP_WIDTH / 2, y = mapHeight / 2) {
  const zoom = Math.min(CLOSEST, Math.max(1, view.zoom * factor));
  view.x = x - (x - view.x) * zoom / view.zoom;
  view.y = y - (y - view.y) * zoom / view.zoom;
  view.zoom = zoom;
  holdInside();
  placeMap();
  say(`Zoom ${zoom.toFixed(1)}`);
}

function holdInside() {
  view.x = Math.min(0, Math.max(MAP_WIDTH * (1 - view.zoom), view.x));
  view.y = Math.min(0, Math.max(mapHeight * (1 - view.zoom), view.y));
}

function wholeMap() {
  Object.assign(view, { zoom: 1, x: 0, y: 0 });
  placeMap();
  say('The whole map');
}

// ---- by keyboard

const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1],
  ArrowDown: [0, 1] };

// The nearest that way; what lies aside counts as twice as far.
function nextThatWay(topic, [wx, wy]) {
  const from = placeOf(topic);
  let best = null, least = Infinity;
  topics.forEach((_, other) => {
    const to = placeOf(other);
    const ahead = (to.x - from.x) * wx + (to.y - from.y) * wy;
    const aside = Math.abs((to.x - from.x) * wy + (to.y - from.y) * wx);
    if (other !== topic && ahead > 1 && ahead + 2 * aside < least) {
      least = ahead + 2 * aside;
      best = other;
    }
  });
  return best;
}

function walk(event, topic) {
  if (event.key === 'Enter' || event.key === ' ') select(topic, false);
  else if (event.key === '+' || event.key === '=') zoomBy(1.5);
  else if (event.key === '-') zoomBy(1 / 1.5);
  else if (event.key === '0') wholeMap();
  else if (WAYS[event.key]) {
    const next = nextThatWay(topic, WAYS[event.key]);
    if (next !== null) reach(next, true);
  } else return;
  event.preventDefault();
}

// One circle at a time is in the order of the Tab key.
function reach(topic, focus) {
  spots.forEach((spot, i) => spot.group.setAttribute('tabindex',
    i === topic ? '0' : '-1'));
  if (focus) spots[topic].group.focus();
}

// ---- by pointer

function pointOn(event) {
  const box = at('map').getBoundingClientRect();
  return [(event.clientX - box.left) * MAP_WIDTH / box.width,
    (event.clientY - box.top) * mapHeight / box.height];
}

function dragMap() {
  const map = at('map');
  let from = null;
  map.addEventListener('pointerdown', (event) => {
    if (view.zoom > 1) from = { at: pointOn(event), x: view.x, y: view.y };
  });
  window.addEventListener('pointermove', (event) => {
    if (!from) return;
    const [x, y] = pointOn(event);
    view.x = from.x + x - from.at[0];
    view.y = from.y + y - from.at[1];
    map.classList.add('held');
    holdInside();
    placeMap();
  });
  window.addEventListener('pointerup', () => {
    from = null;
    map.classList.remove('held');
  });
  // The wheel alone goes down the page.
  map.addEventListener('wheel', (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    zoomBy(Math.exp(-event.deltaY / 200), ...pointOn(event));
  }, { passive: false });
}

// ---- what is chosen

function markLines() {
  lines.forEach(({ node, pair }) => {
    node.classList.toggle('mine', pair.includes(state.topic));
    node.style.display = at('links').checked ? '' : 'none';
  });
}

// With a word, circles are faint but for the topics that hold it.
function markMap() {
  const parts = new Map(state.word === null ? []
    : holders(state.word).map((h) => [h.topic, h.part]));
  spots.forEach(({ group, circle }, topic) => {
    const chosen = topic === state.topic;
    group.classList.toggle('chosen', chosen);
    group.setAttribute('aria-pressed', String(chosen));
    group.classList.toggle('faint', state.word !== null && !parts.has(topic));
    if (parts.has(topic)) {
      circle.style.setProperty('--tint', `${10 + 80 * parts.get(topic)}%`);
    } else circle.style.removeProperty('--tint');
  });
  markLines();
  reach(state.topic, false);
}

function makeMap() {
  lines = strongest().map((pair) => ({ pair, node: svg('line',
    { 'stroke-width': (1 + 9 * pair[2]).toFixed(1) }) }));
  topics.forEach((_, topic) => spots.push(drawSpot(topic)));
  at('map').setAttribute('viewBox', `0 0 ${MAP_WIDTH} ${mapHeight}`);
  put('map', svg('g', { 'aria-hidden': 'true' },
    lines.map((line) => line.node)), spots.map((spot) => spot.group));
  at('closer').addEventListener('click', () => zoomBy(1.5));
  at('farther').addEventListener('click', () => zoomBy(1 / 1.5));
  at('whole').addEventListener('click', wholeMap);
  at('links').addEventListener('change', markLines);
  dragMap();
  placeMap();
}
