import { expect, test } from 'vitest';
import { write } from '../support/folders.ts';
import { BASE, lintAgainst, pullRequest, registryFiles, versions } from './gate-fixture.ts';

/** A change that turns off the rule that it breaks says what the configuration of the base would have reported. */

const CHANGES: [name: string, settings: object][] = [
  ['turns the rule off', { rules: { 'version-withdrawn': 'off' } }],
  ['makes it a note', { rules: { 'version-withdrawn': 'note' } }],
  [
    'adds an exception',
    { exceptions: [{ rule: 'version-withdrawn', app: 'a', reason: 'It was never used.', until: '2199-01-01' }] },
  ],
];

const LINE =
  'The configuration of main would have reported 1 finding that the current one omits: error version-withdrawn (a 1.1.0)';

const lost = (settings: object): Record<string, unknown> => ({
  'appreg.config.json': { baseUrl: BASE, ...settings },
  'apps/a/versions.json': versions('a', '1.0.0'),
});

test.each(CHANGES)('a change that %s, and breaks the rule', async (_, settings) => {
  const root = pullRequest();
  write(root, lost(settings));
  const { code, log, report } = await lintAgainst(root, 'main');
  expect(code).toBe(0);
  expect(log).toContain(LINE);
  expect(report.notJudged).toContainEqual(
    expect.objectContaining({
      rule: 'version-withdrawn',
      app: 'a',
      version: '1.1.0',
      code: 'settings-relaxed',
      reason: 'the configuration of main would report an error, which the current one omits',
    }),
  );
  expect(report.summary.notJudged).toBe(report.notJudged.length);
});

test('a change that adds the first configuration', async () => {
  const { 'appreg.config.json': _, ...files } = registryFiles();
  const root = pullRequest(files);
  write(root, lost({ rules: { 'version-withdrawn': 'off' } }));
  expect((await lintAgainst(root, 'main')).log).toContain(LINE);
});

test.each(CHANGES)('nothing is said if the base already %s', async (_, settings) => {
  const root = pullRequest(registryFiles('', settings));
  write(root, lost(settings));
  const { log, report } = await lintAgainst(root, 'main');
  expect(log.filter((line) => line.startsWith('The configuration of'))).toEqual([]);
  expect(report.notJudged.filter(({ code }) => code === 'settings-relaxed')).toEqual([]);
});

test('nothing is said if the change breaks no rule, or makes one more severe', async () => {
  const root = pullRequest();
  write(root, { 'appreg.config.json': { baseUrl: BASE, rules: { 'version-withdrawn': 'off' } } });
  expect((await lintAgainst(root, 'main')).log).toEqual([]);
  const strict = pullRequest(registryFiles('', { rules: { 'version-withdrawn': 'warning' } }));
  write(strict, lost({}));
  const { code, log } = await lintAgainst(strict, 'main');
  expect({ code, log }).toEqual({ code: 1, log: [] });
});

test('rules of a base whose configuration is code are not compared, and it is not executed', async () => {
  const { 'appreg.config.json': _, ...files } = registryFiles();
  const root = pullRequest({ ...files, 'appreg.config.cjs': 'throw new Error("executed");' });
  write(root, lost({ rules: { 'version-withdrawn': 'off' } }));
  expect((await lintAgainst(root, 'main')).log).toEqual([
    'The configuration of main is code or is invalid, so its rules and exceptions are not compared.',
  ]);
});
