import { describe, expect, test } from 'vitest';
import { offeredText, shownApps, appProblems, latestProblems, requestProblems } from '../src/subscriber/judge.ts';
import { placeOf } from '../src/subscriber/hosts.ts';

/** What the kit says about a subscriber: its own messages. */

const expand = (text: string): string => text.replace('{sum}', '1234');
const offered = (version: string, checksum = 'sha256:1234') => ({ version, checksum, state: 'offered' });
const APPS = [
  { key: 'lamp', latest: '1.0.0', versions: [offered('1.0.0'), { ...offered('2.0.0'), state: 'refused' }] },
];

describe('the output of the verb apps', () => {
  test.each([
    ['', 'The output of the verb “apps” is not JSON.'],
    ['[]', 'The output of the verb “apps” has no list “apps”.'],
    ['{"apps":[{"key":"lamp"}]}', expect.stringContaining('“apps” has an invalid entry 1')],
    ['{"apps":[{"key":"lamp","versions":[{"version":"1.0.0"}]}]}', expect.stringContaining('invalid entry 1')],
    ['{"apps":[{"key":"a","versions":[]},{"key":"a","versions":[]}]}', '“apps” lists the app “a” twice.'],
  ])('%j is refused', (output, fault) => {
    expect(shownApps(output)).toEqual({ fault });
  });

  test('an app without “latest” is accepted', () => {
    expect(shownApps('{"apps":[{"key":"lamp","versions":[]}]}')).toEqual({ apps: [{ key: 'lamp', versions: [] }] });
  });

  test('is described in one line, in the same order for any order of the output', () => {
    expect(offeredText([])).toBe('no app is offered');
    expect(offeredText([{ key: 'b', latest: null, versions: [offered('2.0.0'), offered('1.0.0')] }, ...APPS])).toBe(
      'offered: b 1.0.0, 2.0.0; lamp 1.0.0',
    );
  });
});

describe('offered versions', () => {
  test.each([
    [{ lamp: { '1.0.0': true } }, []],
    [{ lamp: { '1.0.0': 'any' } }, []],
    [{ lamp: { '1.0.0': 'sha256:{sum}' } }, []],
    [{ lamp: { '1.0.0': 'sha256:99' } }, ['lamp 1.0.0 is offered with another checksum than sha256:99.']],
    [{ lamp: null }, ['lamp 1.0.0 is offered.']],
    [{}, ['lamp 1.0.0 is offered.']],
    [{ lamp: { '1.0.0': true, '2.0.0': true } }, ['lamp 2.0.0 is not offered.']],
    [{ lamp: { '1.0.0': true }, constructor: { '1.0.0': true } }, ['constructor 1.0.0 is not offered.']],
  ])('%j', (expected, problems) => {
    expect(appProblems(APPS, expected, expand)).toEqual(problems);
  });

  test('the highest one', () => {
    expect(latestProblems(APPS, { lamp: '1.0.0' })).toEqual([]);
    expect(latestProblems(APPS, { lamp: '2.0.0' })).toEqual([
      'The highest version of lamp is 2.0.0, and 1.0.0 is shown.',
    ]);
    expect(latestProblems([], { lamp: '2.0.0' })).toEqual(['The highest version of lamp is 2.0.0, and none is shown.']);
  });
});

describe('requests', () => {
  const request = { method: 'GET', path: '/lamp.json', headers: { 'if-none-match': '"one"' }, connection: 1 };
  const requests = new Map([['registry', [request, request]]]);
  const problems = (one: Parameters<typeof requestProblems>[1][number]): string[] =>
    requestProblems(requests, [one], { expand, placeOf });

  test.each([
    [{ path: '/lamp.json', min: 1 }, []],
    [{ path: '/lamp*', min: 2 }, []],
    [{ path: '/lamp.json', headers: { 'if-none-match': '"one"' }, min: 2 }, []],
    [{ path: '/lamp.json', headers: { 'if-none-match': false }, max: 0 }, []],
    [{ path: 'cdn:/lamp.json', max: 0 }, []],
    [{ path: '/lamp.json', method: 'HEAD', min: 1 }, ['The request HEAD /lamp.json is missing.']],
    [{ path: '/lamp.json', max: 0 }, ['The request GET /lamp.json is not expected.']],
    [{ path: '/lamp.json', max: 1 }, ['The request GET /lamp.json was sent more than 1 times.']],
    [{ path: '/lamp.json', headers: { range: true }, min: 1 }, ['The request GET /lamp.json with range is missing.']],
  ])('%j', (expected, wrong) => {
    expect(problems(expected)).toEqual(wrong);
  });
});
