// SPDX-License-Identifier: MIT
'use strict';
// What the page is told, and what follows from it. Topics and words are numbers
// from 0 here; people count topics from 1. Nothing here touches the document,
// but for reading the element that the data stands in.

const data = JSON.parse(document.getElementById('data').textContent);
const about = data.about;
const topics = data.topics;
const words = data.words;

const USUAL_LAMBDA = 0.6;

// A word that cannot be seen would be a button without a name, and marks that
// turn the direction of writing would turn what stands beside it.
const TURNS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const visible = (text) =>
  (/\S/.test(text) ? text.replace(TURNS, '\ufffd') : '·');
const wordText = (word) => visible(words.text[word]);

// Texts in a row, each by itself where it goes from right to left.
const LEFTWARD = /[\u0590-\u08ff\ufb1d-\ufefc]|[\ud802\ud803\ud83a\ud83b]/;
const apart = (text) =>
  (LEFTWARD.test(text) ? `\u2068${text}\u2069` : text);
const listed = (texts) => texts.map(apart).join(', ');

// Matrices come as what is below their diagonal.
function below(half, i, j) {
  return i > j ? half[i * (i - 1) / 2 + j] : half[j * (j - 1) / 2 + i];
}
const coefficient = (i, j) => below(data.coefficient, i, j);
const distance = (i, j) => (i === j ? 0 : below(data.distance, i, j));
const joint = (i, j) => below(data.joint, i, j);

const share = (topic) => about.topic[topic].prevalence;
const topicName = (topic) =>
  about.topic[topic].label && visible(about.topic[topic].label);

// Of a word's occurrences, those that are the topic's: Bayes' rule.
function held(topic, word, p) {
  return words.p[word] > 0 ? p * share(topic) / words.p[word] : 0;
}

// The first words by lambda ln p(word|topic) + (1 - lambda) ln p(topic|word).
// The page has all that are among the first by some step of the slider.
function relevant(topic, lambda, count) {
  const t = topics[topic];
  const scored = t.words.map((word, i) => {
    const p = t.p[i];
    const own = held(topic, word, p);
    return { word, p, own,
      score: lambda * Math.log(p) + (1 - lambda) * Math.log(own) };
  });
  scored.sort((a, b) => b.score - a.score || a.word - b.word);
  return scored.slice(0, count);
}

const labelCache = [];
// A topic's name, or its first words.
function label(topic, count = 3) {
  if (topicName(topic)) return apart(topicName(topic));
  if (!labelCache[topic]) {
    labelCache[topic] = relevant(topic, USUAL_LAMBDA, 8)
      .map((w) => wordText(w.word));
  }
  return listed(labelCache[topic].slice(0, count));
}

const called = (topic) => `Topic ${topic + 1}: ${label(topic)}`;
const colour = (topic) => `var(--g${topics[topic].group % 8})`;

// The topics that hold a word, the one with most of it first.
function holders(word) {
  return words.topics[word].map((code) => ({
    topic: Math.floor(code / 1000), part: (code % 1000) / 1000 }));
}

// All topics but one, those that `score` has most of first.
function others(topic, score) {
  return topics.map((_, other) => other)
    .filter((other) => other !== topic)
    .sort((a, b) => score(topic, b) - score(topic, a) || a - b);
}

// Words that begin with the text, then those that hold it; in each the more
// frequent first, as the page has them.
function findWords(text, most) {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return { found: [], all: 0 };
  const exact = [], begins = [], holds = [];
  words.text.forEach((word, i) => {
    const at = word.toLowerCase().indexOf(wanted);
    if (at < 0) return;
    (word.toLowerCase() === wanted ? exact : at === 0 ? begins : holds)
      .push(i);
  });
  const byCount = (a, b) => words.df[b] - words.df[a] || a - b;
  const found = exact.concat(begins.sort(byCount), holds.sort(byCount));
  return { found: found.slice(0, most), all: found.length };
}

// ---- numbers for people

const grouped = new Intl.NumberFormat('en');
const count = (n) => grouped.format(n);
function percent(x) {
  const p = 100 * x;
  if (p === 0) return '0 %';
  if (Math.abs(p) < 0.01) return '< 0.01 %';
  return `${p.toFixed(Math.abs(p) < 1 ? 2 : Math.abs(p) < 10 ? 1 : 0)} %`;
}
function real(x, digits = 3) {
  if (x === null || x === undefined) return '–';
  if (x !== 0 && (Math.abs(x) < 1e-3 || Math.abs(x) >= 1e5)) {
    return x.toExponential(digits - 1).replace('-', '−');
  }
  return String(Number(x.toPrecision(digits))).replace('-', '−');
}
const signed = (x) => (x > 0 ? '+' : x < 0 ? '−' : '')
  + Math.abs(x).toFixed(2);
