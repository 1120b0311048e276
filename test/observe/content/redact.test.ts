import { describe, expect, test } from 'vitest';
import { redactor } from '../../../src/observe/content/redact.ts';

const SECRET = 's3cr3t+Tok/en "=Value';

describe('a secret in a response is redacted in place', () => {
  test.each([
    ['as it is', SECRET],
    ['in a URL', encodeURIComponent(SECRET)],
    ['in a URL with small letters', encodeURIComponent(SECRET).replaceAll(/%../g, (code) => code.toLowerCase())],
    ['in a form', encodeURIComponent(SECRET).replaceAll('%20', '+')],
    ['in JSON', JSON.stringify(SECRET).slice(1, -1)],
    ['in JSON with escaped slashes', JSON.stringify(SECRET).slice(1, -1).replaceAll('/', '\\/')],
    ['in base64', Buffer.from(SECRET).toString('base64')],
    ['in base64 for URLs', Buffer.from(SECRET).toString('base64url')],
  ])('%s', (_, echoed) => {
    for (const header of [SECRET, `Bearer ${SECRET}`]) {
      const seen = redactor([header])(`you sent ${echoed}.`);
      expect(seen).toMatch(/^you sent REDACTED[-=/\\"]*\.$/);
      expect(seen, 'nothing moves').toHaveLength(`you sent ${echoed}.`.length);
    }
  });

  test('in the parts of Basic credentials', () => {
    const conceal = redactor([`Basic ${Buffer.from('joe:open sesame').toString('base64')}`]);
    expect(conceal('no joe:open sesame here')).toBe('no REDACTED------- here');
    expect(conceal('wrong password open%20sesame')).toBe('wrong password REDACTED-----');
    expect(conceal(`Basic ${Buffer.from('joe:open sesame').toString('base64')}`)).toMatch(/^REDACTED-+$/);
  });
});

test('values of a few characters are not redacted', () => {
  expect(redactor(['1', 'no'])('1 no')).toBe('1 no');
});
