import { expect, test } from 'vitest';
import { interceptedInstead, pageAnswer, pageInstead, pageKind } from '../../../src/core/http/web-page.ts';
import { hop, probe, web } from '../../support/probes.ts';

const answer = pageAnswer(web(probe(hop({ 'content-type': 'text/html' }))));
const login = pageAnswer(web(probe([hop({}, { status: 302 }), hop({}, { url: 'https://id.test/login?next=x' })])));

test.each([
  ['<title>Sign in · Acme</title><div id="root"></div>', answer, 'sign-in'],
  ['<form><input name=p type="password"></form>', answer, 'sign-in'],
  ['<title>Acme</title>', login, 'sign-in'],
  ['<title>404 Not Found</title>', answer, 'error-page'],
  ['<h1>Access denied</h1>', answer, 'error-page'],
  ['<title>My site</title><body><div id="root"></div>', answer, 'app-shell'],
  ['<script type="module" src="/a.js"></script>', answer, 'app-shell'],
  ['<noscript>You need to enable JavaScript to run this app.</noscript>', null, 'app-shell'],
  ['<title>My apps</title><p>Read the manual.</p>', answer, 'page'],
] as const)('the kind of an HTML page is recognized: %s', (html, from, kind) => {
  expect(pageKind(html, from)).toBe(kind);
});

test('pageInstead describes the response and the remedy', () => {
  const found = pageInstead('<title>My site</title><div id=app></div>', 'JSON', answer);
  expect(found.message).toMatch(
    /^apps\.example\.com responds with 200 and an HTML page \(“My site”\) instead of JSON: /,
  );
  expect(found.advice).toContain('respond with 404');
  expect(found.evidence).toEqual({ status: 200, contentType: 'text/html', title: 'My site', page: 'app-shell' });
  expect(pageInstead('<p>', 'JSON', login).evidence).toMatchObject({
    page: 'sign-in',
    redirectedTo: 'https://id.test/login?next=x',
  });
});

test.each<[string, [string, string][], RegExp, string]>([
  ['', [['x-amzn-waf-action', 'challenge']], /responds with 202 instead of JSON: AWS WAF challenges/, 'bot-protection'],
  ['error code: 1020', [], /responds with 202 instead of JSON: Cloudflare blocks the request\.$/, 'firewall'],
  [
    '<title>Maintenance</title>',
    [],
    /an HTML page \(“Maintenance”\) instead of JSON: it responds with a maint/,
    'maintenance',
  ],
])('a product that responds without a page is named, too: %s', (text, headers, message, kind) => {
  const found = interceptedInstead(text, 'JSON', { ...answer!, status: 202, headers });
  expect(found?.message).toMatch(message);
  expect(found?.evidence).toMatchObject({ page: kind });
});

test.each(['', 'Not found'])('a text that no product is known for is not explained: “%s”', (text) => {
  expect(interceptedInstead(text, 'JSON', answer)).toBeNull();
  expect(interceptedInstead(text, 'JSON', null)).toBeNull();
});

test('pageInstead describes a local file without a response', () => {
  const found = pageInstead('<title>x</title>', 'JSON', null);
  expect(found.message).toBe('This is an HTML page (“x”), not JSON.');
  expect(found.evidence).toEqual({ title: 'x', page: 'page' });
});
