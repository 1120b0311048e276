import { describe, expect, test } from 'vitest';
import { redactor } from '../../../src/core/text/redactor.ts';

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
    ['in base64 in a URL', encodeURIComponent(Buffer.from(SECRET).toString('base64'))],
    ['in small letters', SECRET.toLowerCase()],
    ['in capital letters', SECRET.toUpperCase()],
    ['in hexadecimal', Buffer.from(SECRET).toString('hex')],
    ['in hexadecimal with capital letters', Buffer.from(SECRET).toString('hex').toUpperCase()],
    ['in hexadecimal with colons', Buffer.from(SECRET).toString('hex').match(/../g)!.join(':')],
    ['with each character in percent-encoding', Buffer.from(SECRET).toString('hex').replaceAll(/../g, '%$&')],
    ['in a URL in a URL', encodeURIComponent(encodeURIComponent(SECRET))],
    [
      'in JSON with escaped letters',
      SECRET.replaceAll(/[a-z]/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`),
    ],
    ['in HTML', SECRET.replaceAll('"', '&quot;')],
    ['in HTML with numbers', SECRET.replaceAll(/\W/g, (one) => `&#${one.charCodeAt(0)};`)],
  ])('%s', (_, echoed) => {
    for (const header of [SECRET, `Bearer ${SECRET}`]) {
      const seen = redactor([header])(`you sent ${echoed}.`);
      expect(seen).toMatch(/^you sent REDACTED[-=/\\"]*\.$/);
      expect(seen, 'nothing moves').toHaveLength(`you sent ${echoed}.`.length);
    }
  });

  test.each([0, 1, 2])('in base64 with the text around it, after %i bytes', (before) => {
    const text = Buffer.from(`${'-'.repeat(before)}${SECRET}, as sent`).toString('base64');
    const seen = redactor([`Bearer ${SECRET}`])(text);
    expect(Buffer.from(seen, 'base64').toString('latin1')).not.toMatch(/3cr3t|Tok|Valu/);
    expect(seen).toHaveLength(text.length);
  });

  test('in full, if it is long', () => {
    const long = `${SECRET}${'aB3+'.repeat(2000)}`;
    const forms = [long, long.toUpperCase(), encodeURIComponent(long), Buffer.from(long).toString('hex'), btoa(long)];
    for (const form of forms) expect(redactor([`Bearer ${long}`])(`${form} `)).toMatch(/^REDACTED-[-=/\\"]* $/);
  });

  test('in the parts of Basic credentials', () => {
    const conceal = redactor([`Basic ${Buffer.from('joe:open sesame').toString('base64')}`]);
    expect(conceal('no joe:open sesame here')).toBe('no REDACTED------- here');
    expect(conceal('wrong password open%20sesame')).toBe('wrong password REDACTED-----');
    expect(conceal(`Basic ${Buffer.from('joe:open sesame').toString('base64')}`)).toMatch(/^REDACTED-+$/);
  });
});

test('what only resembles a secret is not redacted', () => {
  const conceal = redactor(['Bearer s3cr3t-Token', 'main']);
  const text = `s3cr3t-Toke MAIN ${Buffer.from('s3cr3t').toString('hex')} ${Buffer.from('Token').toString('base64')}`;
  expect(conceal(text)).toBe(text);
});

test('values of a few characters are not redacted', () => {
  expect(redactor(['1', 'no'])('1 no')).toBe('1 no');
});
