import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { gitlabPipeline } from '../../src/author/gitlab-pipeline.ts';

/** The images of CI templates have the programs that their commands start. */

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/**
 * Programs of the official images of Node.js. The default image is built from buildpack-deps, which has git; the slim
 * image is built from debian-slim and the alpine image from alpine, which do not.
 */
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  'node:24': ['node', 'npm', 'npx', 'git', 'sh'],
  'node:24-slim': ['node', 'npm', 'npx', 'sh'],
  'node:24-alpine': ['node', 'npm', 'npx', 'sh'],
};

/** The programs that a job starts; appreg starts git to compare with a ref. */
function programsFor(script: string): string[] {
  const named = ['npm', 'npx', 'node'].filter((program) => new RegExp(`(?:^|[\\s(])${program} `, 'm').test(script));
  return script.includes('--against') ? [...named, 'git'] : named;
}

test('the image of the GitLab component has what its commands need', () => {
  const [spec, job] = parseAllDocuments(readFileSync(join(root, 'templates/check.yml'), 'utf8')).map((document) =>
    document.toJS(),
  );
  const [{ script }] = Object.values(job) as [{ script: string[] }];
  const needed = programsFor(script.join('\n'));
  expect(needed).toEqual(['npx', 'git']);
  expect(PROGRAMS[spec.spec.inputs.image.default]).toEqual(expect.arrayContaining(needed));
});

test('the image that init --ci gitlab writes has what its commands need', () => {
  const text = gitlabPipeline({
    manifest: 'registry.json',
    baseUrl: 'https://apps.example.com/',
    serviceOrigins: [],
    appreg: '1.2.3',
    store: { type: 'directory' },
    attest: false,
  });
  expect(programsFor(text)).toEqual(['npm', 'node', 'git']);
  expect(PROGRAMS[parse(text).default.image]).toEqual(expect.arrayContaining(programsFor(text)));
});
