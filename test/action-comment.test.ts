// Scenario: the action runs dozens of times, each time with a stand-in for the API of GitHub.
import { spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
// @ts-expect-error a script without types
import { githubHost, gitlabHost, updateComment } from '../action/comment.mjs';
import { buildAction } from './support/built-action.ts';
import { type CommentHost, openCommentHost } from './support/comment-host.ts';
import { folder } from './support/folders.ts';
import { type Ran, runAction } from './support/github-actions.ts';
import { checkout, ONE, type Pull, pullRequest, registry, TWO } from './support/pull-request.ts';

/** The comment of the GitHub Action on a pull request, at a stand-in for the API. */

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** The packages of the project are found in the folder above, as the build brings a `node_modules` of its own. */
const home = join(folder(), 'action');
beforeAll(() => buildAction(home), 60_000);

const hosts: CommentHost[] = [];
afterEach(() => {
  for (const host of hosts.splice(0)) host.close();
});

async function openHost(): Promise<CommentHost> {
  const host = await openCommentHost();
  hosts.push(host);
  return host;
}

const added = pullRequest(registry({ '1.0.0': ONE }), registry({ '1.0.0': ONE, '1.1.0': TWO }));

function run({ url }: CommentHost, { origin, merge, pull }: Pull, inputs: Record<string, string> = {}): Ran {
  return runAction(
    {
      action: home,
      workspace: checkout(origin, merge),
      temporary: folder(),
      event: { name: 'pull_request', payload: { pull_request: pull } },
      env: { GITHUB_API_URL: url, GITHUB_REPOSITORY: 'acme/apps' },
    },
    { command: 'diff', token: 'a-canary', ...inputs },
  );
}

describe('diff on a pull request', () => {
  test('writes a comment, and updates it in the next run', async () => {
    const host = await openHost();
    const first = run(host, added);
    expect(first.code, first.log).toBe(0);
    expect(first.outputs).toMatchObject({ outcome: 'clean', comment: expect.stringMatching(/^https:/) as string });
    expect(first.summary).toContain('1.1.0');
    const { comments, tokens } = await host.state();
    expect(comments.map(({ body }) => body)).toEqual([expect.stringContaining('| `1.1.0` |')]);
    expect(new Set(tokens)).toEqual(new Set(['Bearer a-canary']));

    expect(run(host, added).code).toBe(0);
    expect((await host.state()).requests.filter((line) => !line.startsWith('GET'))).toEqual([
      'POST /repos/acme/apps/issues/1/comments',
    ]);

    const more = pullRequest(registry({ '1.0.0': ONE }), registry({ '1.0.0': ONE, '2.0.0': TWO }));
    expect(run(host, more).code).toBe(0);
    const { comments: after } = await host.state();
    expect(after).toHaveLength(1);
    expect(after[0]!.body).toContain('| `2.0.0` |');
    expect(after[0]!.body).not.toContain('| `1.1.0` |');
  });

  test('writes no comment without a change, but updates an existing one', async () => {
    const host = await openHost();
    const same = pullRequest(registry({ '1.0.0': ONE }), { ...registry({ '1.0.0': ONE }), 'README.md': 'Hello' });
    expect(run(host, same).outputs['comment']).toBe('');
    expect((await host.state()).comments).toEqual([]);
    run(host, added);
    run(host, same);
    const { comments } = await host.state();
    expect(comments.map(({ body }) => body)).toEqual([expect.stringContaining('Nothing to report.')]);
  });

  test('writes a comment about what only about files change', async () => {
    const host = await openHost();
    const about = { schema: 1, versions: { '1.0.0': { deprecated: { reason: 'broken', message: 'It stops.' } } } };
    const before = registry({ '1.0.0': ONE });
    const retired = pullRequest(before, { ...before, 'apps/clock/versions.about.json': about });
    const { code, log } = run(host, retired);
    expect(code, log).toBe(0);
    expect((await host.state()).comments.map(({ body }) => body)).toEqual([expect.stringContaining('retired')]);
  });

  test('passes if the token must not write comments, with a warning that names the permission', async () => {
    const host = await openHost();
    await host.set({ status: 403 });
    const { code, commands, outputs } = run(host, added);
    expect(code).toBe(0);
    expect(commands).toEqual([
      expect.stringMatching(
        /^warning title=appreg::.*403 Resource not accessible by integration\. .*pull-requests: write/,
      ),
    ]);
    expect(outputs).toMatchObject({ outcome: 'clean', comment: '' });
  });

  test('does not call a limit of requests a lack of permissions', async () => {
    const host = await openHost();
    await host.set({ status: 429 });
    const { code, commands } = run(host, added);
    expect(code).toBe(0);
    expect(commands).toEqual([expect.stringMatching(/^warning title=appreg::.*429 /)]);
    expect(commands[0]).not.toContain('permissions');
  });

  test('sends no request if the input comment is false, or without a pull request', async () => {
    const host = await openHost();
    expect(run(host, added, { comment: 'false' }).code).toBe(0);
    const { origin, merge, pull } = added;
    const push = runAction(
      {
        action: home,
        workspace: checkout(origin, merge),
        temporary: folder(),
        event: { name: 'push', payload: {} },
        env: { GITHUB_API_URL: host.url, GITHUB_REPOSITORY: 'acme/apps' },
      },
      { command: 'diff', token: 'a-canary', against: '.' },
    );
    expect(push.code, push.log).toBe(0);
    expect(pull.number).toBe(1);
    expect((await host.state()).requests).toEqual([]);
  });

  test('needs a state to compare with', async () => {
    const host = await openHost();
    const { code, commands } = run(host, added, { against: 'none' });
    expect(code).toBe(2);
    expect(commands).toEqual([expect.stringMatching(/^error title=appreg::The input against is missing/)]);
  });

  test('does not pass the token to appreg', async () => {
    const host = await openHost();
    const files = {
      ...registry({ '1.0.0': ONE }),
      'appreg.config.json': { baseUrl: 'https://${INPUT_TOKEN}.evil.example/' },
    };
    const { code, log } = run(host, pullRequest(files, files));
    expect(code).toBe(2);
    expect(log).toContain('requires the environment variable INPUT_TOKEN (in /baseUrl), which is not set');
  });

  test('escapes what a registry contains', async () => {
    const host = await openHost();
    const name = '<!-- appreg-end --> <img src=x> @everyone ![x](https://evil.example/x)';
    const change = pullRequest(registry({ '1.0.0': ONE }), registry({ '1.0.0': ONE }, name));
    expect(run(host, change).code).toBe(0);
    const [comment] = (await host.state()).comments;
    expect(comment!.body.match(/<!--/g)).toHaveLength(3);
    for (const span of ['`<img src=x>`', '`@everyone`', '`![x](https:']) expect(comment!.body).toContain(span);
  });
});

/** A registry with an app whose sources are in the repository, published as `1.0.0`. */
function sources(code: string, version: string): Record<string, unknown> {
  return {
    ...registry({ '1.0.0': ONE }),
    'appreg.config.json': {
      baseUrl: 'https://apps.example.com/',
      release: [{ folder: 'src/*', entry: 'main.ts', version: 'VERSION' }],
    },
    'src/clock/main.ts': code,
    'src/clock/VERSION': `${version}\n`,
  };
}

describe('release on a pull request', () => {
  beforeAll(() => symlinkSync(join(root, 'node_modules'), join(dirname(home), 'node_modules')));
  const release = { command: 'release' };

  test('fails an app that changed without a new version, in the same comment as diff', async () => {
    const host = await openHost();
    const change = pullRequest(sources('export const app = 1;', '1.0.0'), sources('export const app = 3;', '1.0.0'));
    const { code, commands, outputs, log } = run(host, change, release);
    expect(code, log).toBe(1);
    expect(commands).toEqual([
      expect.stringMatching(/^error title=changed clock::The app changed, but still declares/),
    ]);
    expect(outputs).toMatchObject({ outcome: 'findings', errors: '1', apps: '["clock"]' });
    expect(JSON.parse(readFileSync(outputs['report']!, 'utf8'))).toMatchObject({ command: 'release' });
    run(host, added);
    const { comments } = await host.state();
    expect(comments).toHaveLength(1);
    expect(comments[0]!.body).toMatch(/1 app: 1 changed[^]*\| \*\*changed\*\* \| `clock`/);
    expect(comments[0]!.body).toContain('1 version added');

    const raised = pullRequest(sources('export const app = 1;', '1.0.0'), sources('export const app = 3;', '1.1.0'));
    expect(run(host, raised, { ...release, format: 'markdown' })).toMatchObject({
      code: 0,
      outputs: { outcome: 'clean', errors: '0', report: expect.stringMatching(/\.md$/) as string },
    });
    expect((await host.state()).comments[0]!.body).toContain('1 app: 1 new');
  });

  test('ends with 2 and a message for a configuration without apps', async () => {
    const host = await openHost();
    const { code, commands, outputs } = run(host, added, release);
    expect(code).toBe(2);
    expect(commands).toEqual([expect.stringMatching(/^error title=appreg::/)]);
    expect(outputs).toMatchObject({ outcome: 'incomplete', comment: '' });
    expect((await host.state()).requests).toEqual([]);
  });
});

describe.each([
  ['GitHub', (url: string) => githubHost({ api: url, repository: 'acme/apps', number: 1, token: 't' })],
  [
    'GitLab',
    (url: string) =>
      gitlabHost({ api: url, project: 'acme/apps', number: 1, token: 't', url: 'https://host.example/1' }),
  ],
])('the comment on %s', (name, connect) => {
  test('has a section for each check, which is replaced', async () => {
    const host = await openHost();
    await updateComment(connect(host.url), 'release:.', '### 2 apps');
    await updateComment(connect(host.url), 'diff:.', '### 1 app changes');
    await updateComment(connect(host.url), 'release:.', '### 3 apps');
    const { comments } = await host.state();
    expect(comments).toHaveLength(1);
    expect(comments[0]!.body.match(/^### .*/gm)).toEqual(['### 3 apps', '### 1 app changes']);
  });

  test('is found behind a hundred others; that of a stranger with the same mark is not changed', async () => {
    const host = await openHost();
    const stranger = { body: '<!-- appreg -->\nspoofed', user: { type: 'User' }, author: { id: 9 } };
    await host.set({ comments: [stranger, ...Array.from({ length: 130 }, (_, i) => ({ body: `comment ${i}` }))] });
    await updateComment(connect(host.url), 'diff', 'one');
    await updateComment(connect(host.url), 'diff', 'two');
    const { comments } = await host.state();
    expect(comments).toHaveLength(132);
    expect(comments[0]!.body).toContain('spoofed');
    expect(comments.at(-1)!.body).toContain('two');
  });

  test('is one, also if several jobs write the first one at the same time', async () => {
    const host = await openHost();
    await Promise.all(['a', 'b', 'c'].map((job) => updateComment(connect(host.url), job, `section ${job}`)));
    const { comments } = await host.state();
    expect(comments).toHaveLength(1);
    for (const job of ['a', 'b', 'c']) expect(comments[0]!.body).toContain(`section ${job}`);
  });

  test('is cut at a line if it is too long', async () => {
    const host = await openHost();
    await updateComment(connect(host.url), 'diff', 'a line of the report\n'.repeat(10_000));
    const [comment] = (await host.state()).comments;
    expect(comment!.body.length).toBeLessThan(30_000);
    expect(comment!.body).toContain('a line of the report\n\nThe rest is in the log');
  });

  test('is written after a failed request for the comments; an error of the host is reported', async () => {
    const host = await openHost();
    await host.set({ failures: 1 });
    await updateComment(connect(host.url), 'diff', 'one');
    expect((await host.state()).comments).toHaveLength(1);
    await host.set({ status: 404 });
    await expect(updateComment(connect(host.url), 'diff', 'two')).rejects.toThrow(/^404 Resource not accessible/);
    await expect(updateComment(connect('http://127.0.0.1:64999'), 'diff', 'x')).rejects.toThrow(/ECONNREFUSED/);
  });
});

describe('the note of the GitLab pipeline', () => {
  const program = join(root, 'action/gitlab-note.mjs');
  const files = folder({
    'diff.md': '### 1 app changed\n\n| | App |\n| --- | --- |\n| ~ | `clock` |\n',
    'release.md': '### 6 apps: 6 unchanged\n',
  });

  function note(env: Record<string, string>): string {
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      [program, 'diff=diff.md', 'release=release.md', 'x=none.md'],
      {
        cwd: files,
        env,
        encoding: 'utf8',
      },
    );
    expect(status, stderr).toBe(0);
    return stdout;
  }

  test('has a section for each file that has something to report', async () => {
    const host = await openHost();
    const env = {
      CI_API_V4_URL: host.url,
      CI_MERGE_REQUEST_PROJECT_ID: '5',
      CI_MERGE_REQUEST_IID: '1',
      CI_MERGE_REQUEST_PROJECT_URL: 'https://gitlab.example/acme/apps',
    };
    expect(note({})).toContain('not a pipeline of a merge request');
    expect(note(env)).toContain('GITLAB_TOKEN is not set');
    expect(note({ ...env, GITLAB_TOKEN: 'a-canary' })).toMatch(
      /^The note: https:\/\/gitlab\.example\/acme\/apps\/-\/merge_requests\/1#note_\d+$/m,
    );
    note({ ...env, GITLAB_TOKEN: 'a-canary' });
    const { comments, requests, tokens } = await host.state();
    expect(comments).toHaveLength(1);
    expect(comments[0]!.body).toContain('| ~ | `clock` |');
    expect(requests).toContain('POST /projects/5/merge_requests/1/notes');
    expect(new Set(tokens)).toEqual(new Set(['a-canary']));
    await host.set({ status: 401 });
    const refused = note({ ...env, GITLAB_TOKEN: 'a-canary' });
    expect(refused).toMatch(/^The note was not written: 401/);
    expect(refused).not.toContain('a-canary');
  });
});
