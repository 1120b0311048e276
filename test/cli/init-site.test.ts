import { describe, expect, test } from 'vitest';
import { PRESETS } from '../../src/author/host-files.ts';
import type { Hosted } from '../../src/author/host-guides.ts';
import { siteCommand } from '../../src/cli/define/site.ts';
import { flagOf } from '../../src/cli/define/command.ts';
import { HOSTS, isOneOf } from '../../src/cli/define/choices.ts';

/** The guide of each host says how the catalogue is published beside the registry. */

const BASE = { baseUrl: 'https://apps.example.com/r/', manifest: 'registry.json', serviceOrigins: [] };

function guideOf(host: string, store: Hosted['store']): string {
  if (!isOneOf(HOSTS, host)) throw new Error(host);
  const root = host === 'netlify' || host === 'cloudflare-pages' ? { baseUrl: 'https://apps.example.com/' } : {};
  return PRESETS[host].files({ ...BASE, ...root, store }).find(({ path }) => path === 'host/README.md')!.text;
}

describe.each(HOSTS)('the guide for %s', (host) => {
  test.each<Hosted['store']>([
    { type: 'directory' },
    { type: 'git', branch: 'registry' },
    { type: 's3', bucket: 'my bucket', prefix: 'a/b', endpoint: 'https://id.example.com' },
  ])('with the store %j has commands that exist, below the address of the registry', (store) => {
    const command = /^appreg site (\S+) (\S+) (\S+)$/m.exec(guideOf(host, store));
    const base = host === 'netlify' || host === 'cloudflare-pages' ? '' : 'r/';
    expect(command?.slice(2)).toEqual([flagOf(siteCommand.options.baseUrl), `https://apps.example.com/${base}site/`]);
  });
});

test.each([
  ['s3', "s3://my bucket/a/b/site' --delete"],
  [
    'r2',
    "s3://my bucket/a/b/site' --delete --cache-control 'public, max-age=300' --endpoint-url https://id.example.com",
  ],
  ['gcs', "gs://my bucket/a/b/site' --recursive"],
])('%s: the upload goes below the prefix of the store', (host, expected) => {
  const store = { type: 's3', bucket: 'my bucket', prefix: 'a/b', endpoint: 'https://id.example.com' };
  expect(guideOf(host, store)).toContain(expected);
});

test('a branch that the host reads is checked out; a folder is uploaded as it is', () => {
  const git = guideOf('netlify', { type: 'git', branch: 'registry' });
  expect(git).toContain('git worktree add pages registry\n');
  expect(git).toContain('appreg site pages/site ');
  expect(guideOf('netlify', { type: 'directory' })).not.toContain('git ');
});
