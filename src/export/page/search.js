// SPDX-License-Identifier: MIT
// The list of topics, and the search for words.

const RESULTS = 12;

// Orders of the list: each topic's figure, the larger first.
const SORTS = [
  ['share', 'share of the corpus', share],
  ['number', 'number', (t) => -t],
  ['together', 'groups', (t) => -data.order.indexOf(t)],
  ['npmi', 'coherence (NPMI)', (t) => topics[t].npmi],
  ['specificity', 'specificity', (t) => topics[t].specificity]];

let order = topics.map((_, t) => t);

function listItem(topic, most) {
  const wide = `width:${(100 * share(topic) / most).toFixed(1)}%`;
  return el('li', null, el('button', { type: 'button', 'data-topic': topic,
    title: label(topic, 8), onclick: () => select(topic, false) },
  el('span', { class: 'number' }, String(topic + 1)),
  el('span', { class: 'label' }, label(topic)),
  el('span', { class: 'share' }, percent(share(topic))),
  el('span', { class: 'line',
    style: `${wide};background:${colour(topic)}` })));
}

function showList() {
  const [, , figureOf] = SORTS.find(([key]) => key === at('sort').value);
  const most = Math.max(...topics.map((_, t) => share(t)));
  order = topics.map((_, t) => t)
    .sort((a, b) => figureOf(b) - figureOf(a) || a - b);
  put('list', order.map((topic) => listItem(topic, most)));
  markList();
}

function markList() {
  for (const button of at('list').querySelectorAll('button')) {
    const chosen = Number(button.dataset.topic) === state.topic;
    if (!chosen) button.removeAttribute('aria-current');
    else {
      button.setAttribute('aria-current', 'true');
      showInList(button);
    }
  }
}

// Not scrollIntoView: the page should stay where it is.
function showInList(button) {
  const list = at('list'), item = button.parentNode;
  const top = item.offsetTop - list.offsetTop;
  if (top < list.scrollTop || top + item.offsetHeight
      > list.scrollTop + list.clientHeight) {
    list.scrollTop = top - list.clientHeight / 3;
  }
}

// ---- words

function resultItem(word) {
  const list = holders(word);
  const documents = `${count(words.df[word])} `
    + (words.df[word] === 1 ? 'document' : 'documents');
  return el('li', null, wordButton(word),
    el('span', { class: 'note' }, ` in ${documents}`),
    list.length ? el('ul', { class: 'chips' }, list.map(({ topic, part }) =>
      el('li', null, chip(topic, percent(part)))))
      : el('p', { class: 'note' }, 'spread over many topics'));
}

function searchNote(text, found, all) {
  if (!text.trim()) {
    return words.text.length < about.words
      ? `${count(words.text.length)} of ${count(about.words)} words can be `
        + 'found, the most frequent first'
      : '';
  }
  if (!all) return 'no topic has such a word';
  return all > found.length ? `${found.length} of ${count(all)} words`
    : `${all} ${all === 1 ? 'word' : 'words'}`;
}

function search() {
  const text = at('search').value;
  const { found, all } = findWords(text, RESULTS);
  put('results', found.map(resultItem));
  at('found').textContent = searchNote(text, found, all);
  light(found.length ? found[0] : null);
}

function makeList() {
  put('sort', SORTS.filter(([, , figureOf]) =>
    topics.every((_, t) => Number.isFinite(figureOf(t))))
    .map(([key, name]) => el('option', { value: key }, name)));
  at('sort').addEventListener('change', showList);
  at('search').addEventListener('input', search);
  at('search').addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    at('search').value = '';
    search();
  });
  at('found').textContent = searchNote('', [], 0);
}
