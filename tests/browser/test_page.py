#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_page.py PROGRAM: the page of kedge report in a real browser."""
import html.parser
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [HERE, os.path.join(HERE, '..', 'cli')]
from browser import Browser, missing  # noqa: E402
from corpus import BATCHES, HOSTILE, TOPICS, make  # noqa: E402
from shell import Case, main  # noqa: E402

FIRST = '[...document.querySelectorAll("#words .word")].map(w => w.title)'
CHOSEN = ('[...document.querySelectorAll(".spot.chosen")]'
          '.map(s => s.getAttribute("aria-label"))')
TITLE = 'document.getElementById("topic-head").textContent'
FAINT = 'document.querySelectorAll(".spot.faint").length'
THEME = 'document.documentElement.dataset.theme'
GROUND = 'getComputedStyle(document.body).backgroundColor'
RADIUS = 'Number(document.querySelector(".spot circle").getAttribute("r"))'
FOCUS = '''const a = document.activeElement;
return a.id || a.getAttribute('aria-label') || a.textContent'''
WATCH_FOCUS = '''window.seen = [];
addEventListener('focusin', e => seen.push(e.target.id
  || e.target.getAttribute('aria-label') || e.target.textContent));
document.activeElement.blur();
return 0'''
AXE_VERSION = '4.10.2'
VOID = {'meta', 'input', 'br', 'img', 'link', 'hr'}


class Nesting(html.parser.HTMLParser):
    """Elements that are closed in the order in which they were opened."""

    def __init__(self):
        super().__init__()
        self.stack, self.wrong, self.seen = [], [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        names = [name for name, _ in attrs]
        if len(set(names)) < len(names):
            self.wrong.append(f'{tag}: an attribute twice')
        if tag not in VOID:
            self.stack.append(tag)

    def handle_endtag(self, tag):
        if not self.stack or self.stack.pop() != tag:
            self.wrong.append(f'</{tag}> at {self.getpos()}')


class Page(Case):
    """One store and one browser for all cases; the page is opened for each."""

    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.shared.cleanup)
        maker = Case()
        maker.folder = cls.shared.name
        make(maker)
        cls.browser = Browser()
        cls.browser.__enter__()
        cls.addClassCleanup(cls.browser.__exit__)

    def setUp(self):
        self.folder = self.shared.name
        self.browser.resize(1440, 1000)
        self.browser.media(prefers_color_scheme='light')
        self.browser.open(self.path('report.html'))

    def tearDown(self):
        self.assertEqual([], self.browser.log())

    def value(self, script):
        return self.browser.run(script)

    def told(self, *arguments):
        return self.works_json('topics', 'store', '--model', 'k6', '--format',
                               'json', '-n', '30', *arguments)

    def step(self, place):
        self.browser.run('const l = document.getElementById("lambda");'
                         'l.value = arguments[0];'
                         'l.dispatchEvent(new Event("input")); return 0',
                         place)


class Shown(Page):
    def test_all_topics_are_listed_by_share(self):
        listed = self.value('[...document.querySelectorAll("#list button")]'
                            '.map(b => parseFloat(b.querySelector(".share")'
                            '.textContent))')
        self.assertEqual(TOPICS, len(listed))
        self.assertEqual(sorted(listed, reverse=True), listed)
        self.assertEqual(TOPICS, self.value(
            'document.querySelectorAll("#map .spot").length'))

    def test_nothing_is_asked_of_a_network(self):
        self.assertEqual(0, self.value(
            'performance.getEntriesByType("resource").length'))
        text = self.read('report.html').decode()
        for word in ('https:', 'src="', '@import', 'url('):
            self.assertNotIn(word, text)

    def test_elements_are_nested(self):
        page = Nesting()
        page.feed(self.read('report.html').decode())
        page.close()
        self.assertEqual(([], []), (page.wrong, page.stack))
        for tag in ('img', 'b', 'i'):
            self.assertNotIn(tag, page.seen)

    def test_hostile_words_are_text(self):
        self.assertEqual('undefined', self.value('typeof window.hit'))
        self.assertEqual(0, self.value(
            'document.querySelectorAll("img, iframe, b, svg [onload]")'
            '.length'))
        known = set(self.value('data.words.text'))
        for word in HOSTILE:
            self.assertTrue(any(k == word or word in k for k in known), word)
        shown = set()
        for topic in range(TOPICS):
            self.browser.run('select(arguments[0]); return 0', topic)
            shown.update(self.value(FIRST))
        self.assertIn(HOSTILE[0], shown)
        self.assertEqual('undefined', self.value('typeof window.hit'))

    def test_nothing_turns_what_stands_beside_it(self):
        for topic in range(TOPICS):
            self.browser.run('select(arguments[0]); return 0', topic)
            self.assertFalse(self.value(
                'document.body.textContent.replace(/<script[^]*/, "")'
                '.replace(document.getElementById("data").textContent, "")'
                '.includes("\\u202e")'), topic)
        self.assertEqual('a, \u2068\u05d0\u2069, b',
                         self.value('listed(["a", "\\u05d0", "b"])'))
        self.assertEqual('x:1', self.value('shortId("/elsewhere/x:1")'))
        self.assertEqual('2023/1', self.value('shortId("2023/1")'))

    def test_hostile_names_are_text(self):
        self.browser.run('select(1); return 0')
        self.assertEqual('<i>named</i>', self.value(TITLE))
        self.assertIn('<img src=x onerror=window.hit=8>', self.value(
            'document.querySelector(".documents").textContent'))
        self.assertIn(BATCHES[2], self.value(
            'document.querySelector("#time .chart text:last-of-type")'
            '.textContent'))

    def test_batches_show_what_grew(self):
        shares = self.value('data.batches.map(b => b.shares)')
        self.assertEqual(len(BATCHES), len(shares))
        for batch in shares:
            self.assertAlmostEqual(1, sum(batch), delta=0.01)
        grown = [last - first for first, last in zip(shares[0], shares[-1])]
        self.assertGreater(max(grown), 0.15)
        self.assertIn(f'{grown.index(max(grown)) + 1} ', self.value(
            'document.querySelector("#time figcaption").textContent'))

    def test_models_are_compared(self):
        names = self.value('data.models.map(m => m.name)')
        self.assertEqual(['k4', 'k6'], names)
        self.assertGreaterEqual(self.value(
            'document.querySelectorAll("#many .charts .chart").length'), 8)


class Used(Page):
    def test_a_word_is_searched_for(self):
        self.browser.write('#search', 'C7')
        self.assertEqual('c7', self.value(
            'document.querySelector("#results .word").title'))
        self.assertGreater(self.value(FAINT), 0)
        number = self.value('document.querySelector("#results .chip .number")'
                            '.textContent')
        self.browser.click('#results .chip')
        self.assertIn(f'Topic {number}:', self.value(CHOSEN)[0])
        self.browser.write('#search', HOSTILE[0][:12])
        self.assertEqual(HOSTILE[0], self.value(
            'document.querySelector("#results .word").title'))
        self.browser.write('#search', 'zebra')
        self.assertIn('no topic', self.value(
            'document.getElementById("found").textContent'))
        self.browser.press('Escape')
        self.assertEqual(0, self.value(FAINT))

    def test_the_slider_orders_words_as_kedge_does(self):
        for place in (0, 7, 12, 20):
            told = self.told('--rank', 'relevance',
                             '--lambda', str(place / 20))['topics']
            self.step(place)
            for topic in range(TOPICS):
                self.browser.run('select(arguments[0]); return 0', topic)
                words = [w['word'].replace('\u202e', '\ufffd')
                         for w in told[topic]['words']]
                self.assertEqual(words[:10], self.value(FIRST)[:10],
                                 (topic, place))

    def test_the_slider_goes_by_keyboard(self):
        before = self.value(FIRST)
        self.browser.run('document.getElementById("lambda").focus(); return 0')
        self.browser.press('Home')
        self.assertEqual('λ = 0.00', self.value(
            'document.getElementById("shown").textContent'))
        self.assertNotEqual(before, self.value(FIRST))
        self.browser.press('ArrowRight')
        self.assertEqual('λ = 0.05', self.value(
            'document.getElementById("shown").textContent'))

    def test_the_list_selects(self):
        self.browser.click('#list li:nth-child(3) button')
        wanted = self.value('document.querySelector("#list li:nth-child(3) '
                            '.label").textContent')
        self.assertEqual(wanted, self.value(TITLE))
        self.assertRegex(self.value('location.hash'), r'^#topic-\d$')
        self.browser.open(self.path('report.html'), '#topic-5')
        self.assertIn('Topic 5:', self.value(CHOSEN)[0])

    def test_the_map_goes_by_keyboard(self):
        self.browser.run('document.querySelector(".spot[tabindex=\'0\']")'
                         '.focus(); return 0')
        reached = {self.value(FOCUS)}
        for way in ('ArrowRight', 'ArrowDown', 'ArrowLeft', 'ArrowUp') * 2:
            self.browser.press(way)
            reached.add(self.value(FOCUS))
        self.assertGreater(len(reached), 2)
        self.browser.press('Enter')
        self.assertEqual([self.value(FOCUS)], self.value(CHOSEN))

    def test_the_map_is_looked_at_closer(self):
        small = self.value(RADIUS)
        self.browser.click('#closer')
        self.assertAlmostEqual(1.5 * small, self.value(RADIUS), delta=0.01)
        self.browser.click('#farther')
        self.browser.click('#closer')
        self.browser.click('#closer')
        self.browser.click('#whole')
        self.assertAlmostEqual(small, self.value(RADIUS), delta=0.01)
        self.browser.click('#links')
        self.assertEqual(0, self.value(
            '[...document.querySelectorAll("#map line")]'
            '.filter(l => l.style.display !== "none").length'))

    def test_themes(self):
        self.assertEqual('light', self.value(THEME))
        light = self.value(GROUND)
        self.browser.click('#theme')
        self.assertEqual('dark', self.value(THEME))
        self.assertNotEqual(light, self.value(GROUND))
        self.browser.open(self.path('report.html'))
        self.assertEqual('dark', self.value(THEME))
        self.browser.click('#theme')
        self.assertEqual(light, self.value(GROUND))

    def test_pairs_go_by_keyboard(self):
        self.browser.run('document.querySelector(".heat").focus(); return 0')
        self.browser.press('ArrowRight')
        self.assertRegex(self.value(
            'document.getElementById("pair").textContent'),
            r'Topic \d: .* – Topic \d: .*[+−]0\.\d\d')


class Fits(Page):
    def test_a_phone_need_not_scroll_sideways(self):
        self.browser.resize(390, 844, True)
        self.browser.open(self.path('report.html'))
        self.assertLessEqual(self.value(
            'document.documentElement.scrollWidth'), 390)

    def test_it_prints(self):
        pdf = self.browser.pdf()
        self.assertTrue(pdf.startswith(b'%PDF'))
        self.assertLess(pdf.count(b'/Type /Page\n'), 12)

    def test_the_keyboard_reaches_all_and_leaves(self):
        self.browser.run(WATCH_FOCUS)
        stops = self.value('document.querySelectorAll("button, a, input, '
                           'select, [tabindex=\'0\']").length') + 2
        self.browser.press(*['Tab'] * stops)
        seen = self.value('window.seen')
        for wanted in ('search', 'sort', 'theme', 'closer', 'lambda'):
            self.assertIn(wanted, seen)
        self.assertIn('Correlations', ' '.join(seen))
        self.assertLess(len(set(seen)), stops)
        self.assertGreater(seen.count(seen[0]), 1, 'it does not come out')

    def test_it_can_be_read_aloud_and_in_any_light(self):
        with open(os.path.join(HERE, 'accessible.js'),
                  encoding='utf-8') as file:
            script = file.read()
        for width in (1440, 390):
            for theme in ('light', 'dark'):
                self.browser.resize(width, 900)
                self.browser.run('dress(arguments[0]); return 0', theme)
                self.assertEqual([], self.browser.run(script), theme)

    def axe(self):
        """axe-core's text, where npm can get it."""
        try:
            subprocess.run(['npm', 'install', '--prefix', self.folder,
                            '--no-save', '--ignore-scripts',
                            f'axe-core@{AXE_VERSION}'], check=True,
                           timeout=90, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
        except (OSError, subprocess.SubprocessError):
            self.skipTest('npm cannot get axe-core here')
        return self.read('node_modules/axe-core/axe.min.js').decode()

    def test_axe_finds_nothing(self):
        self.browser.devtools('Page.setBypassCSP', enabled=True)
        self.browser.devtools('Runtime.evaluate', expression=self.axe())
        for theme in ('light', 'dark'):
            self.browser.run('dress(arguments[0]); return 0', theme)
            found = self.browser.later(
                'const done = arguments[0];'
                'axe.run().then(r => done(r.violations.map(v => [v.id, '
                'v.impact, v.nodes.slice(0, 3).map(n => n.html)])))')
            self.assertEqual([], found, json.dumps(found, indent=1))


if __name__ == '__main__':
    if missing():
        print(f'no {" and no ".join(missing())}: the page is not tested')
        sys.exit(77)
    main()
