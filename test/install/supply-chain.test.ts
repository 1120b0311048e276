import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { problemsIn } from '../support/github-actions.ts';
import { ROOT } from '../support/installed.ts';

/** What the project's own pipeline may use and do. */

interface Step {
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
}
interface Job {
  permissions?: Record<string, string>;
  uses?: string;
  steps?: Step[];
  container?: string;
}
interface Workflow {
  permissions?: unknown;
  jobs: Record<string, Job>;
}

/** What is wrong with a workflow of this project. */
function faultsOf(text: string): string[] {
  const { permissions, jobs } = parse(text) as Workflow;
  const faults = JSON.stringify(permissions) === '{}' ? [] : ['the workflow has permissions of its own'];
  if (/:latest\b/.test(text)) faults.push(':latest');
  for (const [, line] of text.matchAll(/^\s*(?:- )?uses: (.+)$/gm))
    if (!line!.startsWith('./') && !/^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line!))
      faults.push(`not pinned: ${line}`);
  for (const [name, job] of Object.entries(jobs)) {
    if (job.permissions === undefined) faults.push(`${name} has no list of permissions`);
    const isWriting = Object.values(job.permissions ?? {}).includes('write');
    const runs = (job.steps ?? []).map(({ run = '' }) => run).join('\n');
    const isBuilding = /\bnpm (?:ci|install|run|x|exec)\b|\bnpx\b|\bnode scripts\/|\bbuildah build\b/.test(runs);
    if (isWriting && isBuilding) faults.push(`${name} may write, and runs code of packages`);
    if (isWriting && (job.steps ?? []).some(({ uses = '' }) => uses.startsWith('actions/checkout@')))
      faults.push(`${name} may write, and has a checkout`);
    for (const { uses = '', with: given } of job.steps ?? [])
      if (uses.startsWith('actions/checkout@') && given?.['persist-credentials'] !== false)
        faults.push(`${name} keeps the token of the checkout`);
  }
  return faults;
}

const folder = join(ROOT, '.github/workflows');
const workflows = readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));
const release = workflows.find(({ name }) => name === 'release.yml')!.text;

test.each(workflows)('$name is valid, pinned, and writes only where nothing is built', ({ text }) => {
  expect(problemsIn('workflow', text)).toEqual([]);
  expect(faultsOf(text)).toEqual([]);
});

test('action.yml uses no other action that is not pinned', () => {
  const text = readFileSync(join(ROOT, 'action.yml'), 'utf8');
  for (const [, uses] of text.matchAll(/^\s*(?:- )?uses: (.+)$/gm)) expect(uses).toMatch(/@[0-9a-f]{40} # v/);
});

describe('is refused:', () => {
  test.each([
    [
      'a tag in place of a commit',
      (text: string) => text.replace(/checkout@\S+ # v[\d.]+/, 'checkout@v4'),
      /not pinned/,
    ],
    ['a branch', (text: string) => text.replace(/setup-node@\S+ # v[\d.]+/, 'setup-node@main'), /not pinned/],
    ['a short commit', (text: string) => text.replace(/(checkout@\w{12})\w+/, '$1'), /not pinned/],
    ['a commit without its version', (text: string) => text.replace(/ # v4\.3\.1/, ''), /not pinned/],
    [
      'a permission for all jobs',
      (text: string) => text.replace('permissions: {}', 'permissions: write-all'),
      /of its own/,
    ],
    [
      'the same as a list',
      (text: string) => text.replace('permissions: {}', 'permissions:\n  contents: write'),
      /of its own/,
    ],
    [
      'a packages script beside a token',
      (text: string) => text.replace('npm publish', 'npm ci; npm publish'),
      /npm may write/,
    ],
    [
      'a tag that moves',
      (text: string) => text.replace('--tag "$name:', '--tag "$name:latest" --tag "$name:'),
      /:latest/,
    ],
    [
      'a token that is kept',
      (text: string) => text.replace('persist-credentials: false', 'fetch-depth: 1'),
      /keeps the token/,
    ],
  ])('%s', (_, change, fault) => {
    const changed = change(release);
    expect(changed).not.toBe(release);
    expect(faultsOf(changed).join('\n')).toMatch(fault);
  });
});

test('what is published is compared with the digest of what was built, and signed', () => {
  const { jobs } = parse(release) as Workflow;
  const text = (name: string): string => JSON.stringify(jobs[name]);
  for (const job of ['npm', 'attest', 'release']) expect(text(job)).toContain('sha256sum --check --strict');
  for (const job of ['attest', 'image-index']) expect(text(job)).toContain('actions/attest-build-provenance@');
});

describe('images', () => {
  const files = ['deploy/compose.yaml', 'deploy/Containerfile', 'templates/check.yml'];

  test.each(files)('%s names no image by a tag that moves with each release', (file) => {
    expect(readFileSync(join(ROOT, file), 'utf8')).not.toMatch(/:latest\b/);
  });

  test('compose.yaml has the version of this project', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    const { services } = parse(readFileSync(join(ROOT, 'deploy/compose.yaml'), 'utf8')) as {
      services: Record<string, { image: string }>;
    };
    expect(services['service']!.image).toBe(`ghcr.io/appreg/appreg-service:${version}`);
  });
});
