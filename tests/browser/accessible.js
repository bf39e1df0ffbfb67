// SPDX-License-Identifier: MIT
// What a reader of screens, or of pale print, would stumble over: a list of
// sentences, empty when there is nothing.
const wrong = [];
const tell = (node, what) => wrong.push(
  `${what}: ${node.outerHTML.slice(0, 120)}`);
const shown = (node) => node.getClientRects().length > 0;

function nameOf(node) {
  const by = node.getAttribute('aria-labelledby');
  if (by) return by.split(' ').map((id) =>
    document.getElementById(id).textContent).join(' ');
  return node.getAttribute('aria-label')
    || (node.labels && [...node.labels].map((l) => l.textContent).join(' '))
    || node.textContent || node.title || '';
}

// Everything that can be reached or stands for something has a name.
for (const node of document.querySelectorAll('a, button, input, select, canvas,'
  + ' [role], [tabindex], section, nav')) {
  if (shown(node) && !node.closest('[role=status]')
    && node.getAttribute('role') !== 'search' && !nameOf(node).trim()) {
    tell(node, 'without a name');
  }
}

const ids = [...document.querySelectorAll('[id]')].map((node) => node.id);
ids.filter((id, i) => ids.indexOf(id) < i)
  .forEach((id) => wrong.push(`twice: ${id}`));
for (const name of ['aria-labelledby', 'aria-describedby', 'for']) {
  for (const node of document.querySelectorAll(`[${name}]`)) {
    node.getAttribute(name).split(' ').forEach((id) =>
      document.getElementById(id) || tell(node, `${name} of nothing`));
  }
}

let level = 0;
for (const node of document.querySelectorAll('h1, h2, h3, h4')) {
  if (!shown(node)) continue;
  const now = Number(node.tagName[1]);
  if (now > level + 1) tell(node, 'a heading too deep');
  level = now;
}
for (const one of ['main', 'h1', 'header', 'nav']) {
  if (document.querySelectorAll(one).length !== 1) wrong.push(`not one ${one}`);
}
if (!document.documentElement.lang) wrong.push('no language');

// ---- contrast of texts with what is behind them, by WCAG's formula

const parse = (colour) => colour.match(/[\d.]+/g).map(Number);
function light([r, g, b]) {
  const part = (c) => (c / 255 <= 0.03928 ? c / 255 / 12.92
    : ((c / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
}
function behind(node) {
  for (let at = node; at; at = at.parentElement) {
    const colour = parse(getComputedStyle(at).backgroundColor);
    if (colour.length < 4 || colour[3] > 0.99) return colour;
  }
  return [255, 255, 255];
}
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const node = walker.currentNode.parentElement;
  if (!walker.currentNode.data.trim() || !shown(node)
    || node.closest('svg, script, .unseen, .skip')) continue;
  const style = getComputedStyle(node);
  const [a, b] = [light(parse(style.color)), light(behind(node))];
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (ratio < 4.5) tell(node, `contrast ${ratio.toFixed(1)}`);
}
return wrong;
