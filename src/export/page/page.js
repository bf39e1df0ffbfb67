// SPDX-License-Identifier: MIT
// What is chosen, and all parts put together. The chosen topic is in the
// address, so that a link leads to it.

const state = { topic: 0, word: null,
  step: Math.round(USUAL_LAMBDA * (data.lambdas - 1)) };

function say(text) {
  at('said').textContent = text;
}

// `go`: from afar, so the topic should come into sight.
function select(topic, go) {
  state.topic = topic;
  showTopic();
  markMap();
  markList();
  history.replaceState(null, '', `#topic-${topic + 1}`);
  say(`${called(topic)}, ${percent(share(topic))}`);
  const box = at('topic').getBoundingClientRect();
  if (go && (box.top < 0 || box.top > innerHeight * 0.8)) {
    at('topic').scrollIntoView();
    at('topic').focus({ preventScroll: true });
  }
}

function slide(step) {
  state.step = step;
  showWords();
}

// Shows on the map which topics hold a word; null: none.
function light(word) {
  state.word = word;
  markMap();
  for (const button of document.querySelectorAll('[data-word]')) {
    button.setAttribute('aria-pressed',
      String(Number(button.dataset.word) === word));
  }
}

// ---- light and dark

// A page opened from a file may not be allowed to remember.
function remembered() {
  try { return localStorage.getItem('kedge-theme'); } catch { return null; }
}
function remember(theme) {
  try { localStorage.setItem('kedge-theme', theme); } catch { /* is enough */ }
}

function dress(theme) {
  document.documentElement.dataset.theme = theme;
  at('theme').textContent = theme === 'dark' ? 'Light' : 'Dark';
  at('theme').setAttribute('aria-label',
    `${theme === 'dark' ? 'Light' : 'Dark'} colours`);
  if (heat.canvas) drawHeat();
}

function makeTheme() {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const wanted = () => remembered() || (system.matches ? 'dark' : 'light');
  dress(wanted());
  system.addEventListener('change', () => dress(wanted()));
  at('theme').addEventListener('click', () => {
    const theme = document.documentElement.dataset.theme === 'dark' ? 'light'
      : 'dark';
    remember(theme);
    dress(theme);
  });
  // Paper is white.
  addEventListener('beforeprint', () => dress('light'));
  addEventListener('afterprint', () => dress(wanted()));
}

// ---- the whole

function makeHead() {
  const named = about.model || 'Topics';
  document.title = `${named}: ${topics.length} topics`;
  put('title', named);
  const { counted, skipped } = about.documents;
  put('lead', `${count(topics.length)} topics in `
    + `${count(counted)} documents, ${count(about.words)} words`
    + (skipped ? `; ${count(skipped)} documents `
      + `(${percent(skipped / (counted + skipped))}) were too short` : ''));
  const links = [['topic', 'Topics'], ['correlations', 'Together'],
    ['time', 'Batches'], ['many', 'How many'], ['made', 'How made']];
  put('sections', links.filter(([id]) => !at(id).hidden).map(([id, name]) =>
    el('a', { href: `#${id}` }, name)));
  put('foot', `Made by kedge ${about.kedge}`);
}

function chosenInAddress() {
  const match = /^#topic-(\d+)$/.exec(location.hash);
  const topic = match ? Number(match[1]) - 1 : -1;
  return topic >= 0 && topic < topics.length ? topic : null;
}

function makePage() {
  makeTheme();
  makeTime();
  makeHead();
  makeList();
  showList();
  makeMap();
  makeCorrelations();
  makeMany();
  makeMade();
  makeAll();
  const asked = chosenInAddress();
  state.topic = asked === null ? order[0] : asked;
  showTopic();
  markMap();
  markList();
  addEventListener('hashchange', () => {
    const topic = chosenInAddress();
    if (topic !== null && topic !== state.topic) select(topic, true);
  });
}

makePage();
