import { expect, test } from 'vitest';
import { aboutPath, aboutUrl, isAboutPath } from '../../../src/core/registry/companion.ts';

test.each([
  ['https://a.example/apps/c/versions.json', 'https://a.example/apps/c/versions.about.json'],
  ['https://a.example/c', 'https://a.example/c.about.json'],
  ['https://a.example/c.json?token=x', 'https://a.example/c.about.json?token=x'],
  ['https://a.example/c.JSON#part', 'https://a.example/c.about.json'],
  ['https://a.example/c.json?file=x.json', 'https://a.example/c.about.json?file=x.json'],
])('%s', (url, expected) => {
  expect(aboutUrl(url)).toBe(expected);
});

test.each(['versions.json', 'https://a.example/c.json?X-Amz-Signature=abc'])('%s has none', (url) => {
  expect(aboutUrl(url)).toBeNull();
});

test('paths', () => {
  expect(aboutPath('apps/c/versions.json')).toBe('apps/c/versions.about.json');
  expect(isAboutPath('apps/c/versions.about.json')).toBe(true);
  expect(isAboutPath('apps/c/versions.json')).toBe(false);
});
