// SPDX-License-Identifier: MIT
// One topic, as the panel beside the map shows it.

// Measures of a topic by itself: key, what it is called, and what it is.
const TOPIC_MEASURES = [
  ['mst_incoherence', 'MST-Incoherence', 'length of the shortest tree that '
    + 'joins its words; smaller is better'],
  ['npmi', 'NPMI', 'how often its first ten words occur together, −1 to 1; '
    + 'larger is better'],
  ['umass', 'UMass', 'coherence of its first twenty words; larger is '
    + 'better'],
  ['c_v', 'C_V', 'coherence of its first ten words, 0 to 1; larger is '
    + 'better'],
  ['specificity', 'specificity', 'divergence of its words from the corpus, in '
    + 'nats'],
  ['effective', 'effective words', 'number of equally likely words with '
    + 'the same entropy'],
  ['dominancy', 'dominancy', 'share of its co-occurrence that is '
    + 'with itself']];

function kicker(topic) {
  const step = (by, name, sign) => el('button', { type: 'button',
    'aria-label': name, onclick: () =>
      select(order[(order.indexOf(topic) + by + order.length) % order.length],
        false) }, sign);
  return el('p', { class: 'kicker' },
    el('span', null, dot(topic), `Topic ${topic + 1} of ${topics.length}, `
      + `${percent(share(topic))} of the corpus`),
    el('span', null, step(-1, 'Previous topic', '‹'),
      step(1, 'Next topic', '›')));
}

function slider() {
  const input = el('input', { type: 'range', id: 'lambda', min: '0',
    max: String(data.lambdas - 1), step: '1',
    value: String(state.step), oninput: () => slide(Number(input.value)) });
  return el('div', { class: 'slider' },
    el('label', { class: 'ends', for: 'lambda' },
      el('span', null, 'exclusive words'),
      el('output', { id: 'shown', for: 'lambda' }),
      el('span', null, 'frequent words')), input);
}

function wordRow(topic, entry, most) {
  const wide = (p) => `width:${Math.min(100, 100 * p / most).toFixed(1)}%`;
  const corpus = words.p[entry.word];
  return el('tr', null,
    el('td', null, wordButton(entry.word)),
    el('td', { title: `in the corpus ${percent(corpus)}` },
      el('span', { class: 'bars' },
        el('i', { style: wide(entry.p) }), el('i', { style: wide(corpus) }))),
    el('td', { class: 'figure' }, percent(entry.p)),
    el('td', { class: 'figure' }, percent(Math.min(1, entry.own))));
}

function wordTable() {
  return el('table', { class: 'words' },
    el('caption', { class: 'unseen' }, 'First words of the topic'),
    el('thead', null, el('tr', null,
      el('th', { scope: 'col' }, 'word'),
      el('th', { scope: 'col' },
        el('span', { class: 'key' }), 'here',
        el('span', { class: 'key corpus' }), 'corpus'),
      el('th', { scope: 'col', class: 'figure',
        title: 'share of the topic’s tokens' }, 'p(word | topic)'),
      el('th', { scope: 'col', class: 'figure',
        title: 'share of the word’s tokens' }, 'p(topic | word)'))),
    el('tbody', { id: 'words' }));
}

// Rows anew for the topic and the slider.
function showWords() {
  const lambda = state.step / (data.lambdas - 1);
  const list = relevant(state.topic, lambda, data.first);
  const most = Math.max(...list.map((entry) => entry.p));
  put('words', list.map((entry) => wordRow(state.topic, entry, most)));
  at('shown').textContent = `λ = ${lambda.toFixed(2)}`;
  at('lambda').setAttribute('aria-valuetext', `lambda ${lambda.toFixed(2)}`);
}

function anchorPart(topic) {
  const t = topics[topic], told = about.topic[topic];
  const characteristic = t.characteristic.filter((w) => w !== t.anchor);
  return [
    el('h3', null, 'Anchor, and words by p(word|anchor)'),
    el('p', { class: 'prose' }, el('strong', null, wordText(t.anchor)),
      characteristic.length ? ` — ${listed(characteristic.map(wordText))}`
        : ''),
    el('p', { class: 'note' }, `The anchor is in ${count(told.anchor_df)} `
      + 'documents and belongs to this topic only; the other words occur '
      + 'with it most often.')];
}

function chips(list, note) {
  return el('ul', { class: 'chips' }, list.map((topic) =>
    el('li', null, chip(topic, note(topic)))));
}

const SLIGHT = 0.02;    // of a correlation: nothing is meant by it

function neighbours(topic) {
  const together = others(topic, coefficient);
  const of = (o) => coefficient(topic, o);
  const most = together.filter((o) => of(o) > SLIGHT).slice(0, 5);
  const least = together.filter((o) => of(o) < -SLIGHT).slice(-3).reverse();
  const near = others(topic, (a, b) => -distance(a, b)).slice(0, 4);
  const part = (title, list, note) => (list.length
    ? [el('h3', null, title), chips(list, note)] : []);
  const by = (o) => signed(of(o));
  return [part('In the same documents', most, by),
    part('Seldom in the same documents', least, by),
    part('Topics with similar words', near,
      (o) => real(distance(topic, o), 2))];
}

// Documents without an id are called by source and place; the name of a file
// tells more than where it was. Ids of their own stay whole.
const shortId = (id) => visible(/^\/.*:\d+$/.test(id)
  ? id.slice(id.lastIndexOf('/') + 1) : id);

function documentItem(d) {
  return el('li', null, el('strong', { title: d.id }, shortId(d.id)),
    d.label ? ` [${apart(visible(d.label))}]` : '',
    el('span', { class: 'note' },
      ` ${percent(d.share)} of ${count(d.tokens)} words`),
    d.text ? el('div', { class: 'prose' }, `${visible(d.text)} …`) : []);
}

function documentsPart(topic) {
  const list = topics[topic].documents;
  if (!list.length) return [];
  return [el('h3', null, 'Typical documents'),
    el('ol', { class: 'documents' }, list.map(documentItem))];
}

function timePart(topic) {
  if (data.batches.length < 2) return [];
  return [el('h3', null, 'By batch'), batchChart(topic)];
}

function measuresPart(topic) {
  const told = about.topic[topic];
  return [el('h3', null, 'Measures'),
    el('dl', { class: 'facts' },
      TOPIC_MEASURES.map(([key, name, why]) => (key in topics[topic]
        ? fact(name, real(topics[topic][key]), why) : [])),
      fact('residual of the anchor', real(told.residual),
        'its distance from the anchors chosen before'),
      fact('Dirichlet α', real(told.alpha)))];
}

function showTopic() {
  const topic = state.topic;
  put('topic', kicker(topic),
    el('h2', { id: 'topic-head' }, label(topic, 3)),
    slider(), wordTable(), anchorPart(topic), neighbours(topic),
    documentsPart(topic), timePart(topic), measuresPart(topic));
  showWords();
}
