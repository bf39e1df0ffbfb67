# SPDX-License-Identifier: MIT
"""A headless Chromium, driven by WebDriver's HTTP alone, so that nothing but
Debian's chromium and chromium-driver is needed."""
import base64
import json
import os
import re
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request

OPTIONS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic',
           '--no-first-run', '--disable-background-networking',
           '--disable-component-update', '--disable-sync',
           '--disable-dev-shm-usage', '--hide-scrollbars']
ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'
KEYS = {'Tab': '\ue004', 'Enter': '\ue007', 'Space': ' ', 'Escape': '\ue00c',
        'ArrowLeft': '\ue012', 'ArrowUp': '\ue013', 'ArrowRight': '\ue014',
        'ArrowDown': '\ue015', 'Home': '\ue011', 'End': '\ue010'}


def missing():
    """What there must be and is not; empty when all is there."""
    return [name for name in ('chromium', 'chromedriver')
            if shutil.which(name) is None]


class Browser:
    """Use as a context; everything is gone afterwards."""

    def __init__(self, width=1440, height=1000):
        self.size = width, height
        self.session = None

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix='kedge-chromium-')
        self.driver = subprocess.Popen(
            [shutil.which('chromedriver'), '--port=0'],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            self.begin()
        except BaseException:
            self.__exit__()
            raise
        return self

    def begin(self):
        for line in self.driver.stdout:
            port = re.search(r'started successfully on port (\d+)', line)
            if port:
                break
        self.address = f'http://127.0.0.1:{port.group(1)}/session'
        options = {'binary': shutil.which('chromium'),
                   'args': OPTIONS + [
                       f'--user-data-dir={self.folder}',
                       '--window-size=%d,%d' % self.size]}
        self.session = self.call('', {'capabilities': {'alwaysMatch': {
            'goog:chromeOptions': options,
            'goog:loggingPrefs': {'browser': 'ALL'}}}})['sessionId']

    def __exit__(self, *_):
        try:
            if self.session is not None:
                self.call('', None, 'DELETE')
        finally:
            self.driver.terminate()
            self.driver.wait(timeout=20)
            self.driver.stdout.close()
            shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, path, body=None, method='POST'):
        where = f'/{self.session}' if self.session else ''
        data = json.dumps(body or {}).encode() if method == 'POST' else None
        request = urllib.request.Request(
            f'{self.address}{where}{path}', data=data, method=method,
            headers={'Content-Type': 'application/json'})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)['value']
        except urllib.error.HTTPError as error:
            raise AssertionError(json.load(error)['value']) from None

    def open(self, path, hash_=''):
        self.call('/url', {'url': 'about:blank'})
        self.call('/url', {'url': f'file://{os.path.abspath(path)}{hash_}'})

    def run(self, script, *arguments):
        """The value of an expression, or of a body with a return in it."""
        body = script if 'return ' in script else f'return {script}'
        return self.call('/execute/sync', {'script': body,
                                           'args': list(arguments)})

    def later(self, script, *arguments):
        """What the script hands to its last argument."""
        return self.call('/execute/async', {'script': script,
                                            'args': list(arguments)})

    def find(self, selector):
        return self.call('/element', {'using': 'css selector',
                                      'value': selector})[ELEMENT]

    def click(self, selector):
        self.call(f'/element/{self.find(selector)}/click')

    def write(self, selector, text):
        element = self.find(selector)
        self.call(f'/element/{element}/clear')
        self.call(f'/element/{element}/value', {'text': text})

    def press(self, *names):
        """Keys, one after another, to what has the focus."""
        actions = [{'type': kind, 'value': KEYS.get(name, name)}
                   for name in names for kind in ('keyDown', 'keyUp')]
        self.call('/actions', {'actions': [
            {'type': 'key', 'id': 'keyboard', 'actions': actions}]})

    def log(self):
        """What was said on the console since it was asked last."""
        return self.call('/se/log', {'type': 'browser'})

    def devtools(self, command, **parameters):
        return self.call('/goog/cdp/execute', {'cmd': command,
                                               'params': parameters})

    def resize(self, width, height, mobile=False):
        self.devtools('Emulation.setDeviceMetricsOverride', width=width,
                      height=height, deviceScaleFactor=2 if mobile else 1,
                      mobile=mobile)

    def media(self, kind='', **features):
        self.devtools('Emulation.setEmulatedMedia', media=kind, features=[
            {'name': name.replace('_', '-'), 'value': value}
            for name, value in features.items()])

    def pdf(self):
        return base64.b64decode(self.call('/print', {'background': True}))

    def picture(self, path, whole=False):
        """A screenshot, of all the page or of what the window shows."""
        shot = self.devtools('Page.captureScreenshot', format='png',
                             captureBeyondViewport=whole)
        with open(path, 'wb') as file:
            file.write(base64.b64decode(shot['data']))
