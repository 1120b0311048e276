// Scenario: all examples run, with stores and hosts of their own.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { cacheControlOf, mediaTypeOf } from '../src/core/registry/media.ts';
import { type Ceph, cephMissing, openCeph } from './support/ceph.ts';
import { certificates } from './support/fault-certificates.ts';
import { commitAll, folder, git, write } from './support/folders.ts';
import { problemsIn } from './support/github-actions.ts';
import { programOf, startServer, type WebServer } from './support/web-server.ts';
import { makeTools, type Ran, runScript, scriptOf, type Tools } from './support/workflow.ts';
import { GOOD, nginx } from './hosts/nginx-frame.ts';

/** Runs the workflows of the examples against an object store, git remotes and a host of release assets. */

const examples = join(dirname(fileURLToPath(import.meta.url)), '../examples');
const CORE = 'core-registry/.github/workflows/registry.yml';
const COMMUNITY = 'community-registry/registry/.github/workflows/registry.yml';
const RELEASE = 'community-registry/app/.github/workflows/release.yml';
const MANY = 'many-apps/.github/workflows/apps.yml';

test.each([CORE, COMMUNITY, RELEASE, MANY])('%s is a valid workflow without untrusted text in its scripts', (path) => {
  const text = readFileSync(join(examples, path), 'utf8');
  expect(problemsIn('workflow', text)).toEqual([]);
  for (const [, run] of text.matchAll(/^ +(?:- )?run: (.*|\|\n(?: {10}.*\n)+)/gm)) expect(run).not.toContain('${{');
});

test.each([CORE, COMMUNITY])('%s gives a pull request no secrets and only read access', (path) => {
  const { env, permissions, jobs } = parse(readFileSync(join(examples, path), 'utf8'));
  expect({ env, permissions }).toEqual({ env: undefined, permissions: { contents: 'read' } });
  expect(jobs.check.if).toBe("github.event_name == 'pull_request'");
  expect(JSON.stringify(jobs.check)).not.toMatch(/secrets|token|permissions/);
});

/** gh stores the file for the host of assets, and refuses a second release with the same tag. */
const GH = `#!/bin/sh
case "$1 $2" in
  "release view") [ -d "$ASSET_FILES/$3" ] ;;
  "release create") mkdir "$ASSET_FILES/$3" && cp "$4" "$ASSET_FILES/$3/" ;;
  "api --silent") echo "$5" >> "$ASSET_FILES/builds" ;;
  *) exit 99 ;;
esac
`;

let tools: Tools;
let ca: string;
beforeAll(async () => {
  tools = await makeTools(GH);
  ca = join(folder({ 'ca.pem': certificates().ca }), 'ca.pem');
}, 60_000);

/** A copy of an example with another base URL and store. */
function copyOf(example: string, baseUrl: string, store: Record<string, string>): string {
  const root = folder();
  cpSync(join(examples, example), root, { recursive: true });
  const path = join(root, 'appreg.config.json');
  const config = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(path, JSON.stringify({ ...config, baseUrl, store: { ...config.store, ...store } }));
  return root;
}

const missing = cephMissing() ?? (programOf('nginx') === null ? 'apt-get install nginx' : null);
describe.skipIf(missing !== null && !process.env['CI'])(
  `the core registry${missing ? ` (skipped: ${missing})` : ''}`,
  () => {
    let ceph: Ceph;
    let host: WebServer;
    let root: string;
    const workflow = join(examples, CORE);
    const run = (job: string, env: NodeJS.ProcessEnv = {}): Promise<Ran> =>
      runScript(tools, scriptOf(workflow, job), root, {
        ...(job === 'check' ? {} : ceph.env),
        REGISTRY_URL: `${host.origin}/registry.json`,
        NODE_EXTRA_CA_CERTS: ca,
        ...env,
      });

    beforeAll(async () => {
      ceph = await openCeph();
      const server = `location / { proxy_pass ${ceph.endpoint}/${ceph.bucket}/;`;
      host = await startServer('nginx', nginx({ name: '', server: GOOD.replace(/location \/ {/, server) }), () => {});
      root = copyOf('core-registry', `${host.origin}/`, {
        endpoint: ceph.endpoint,
        bucket: ceph.bucket,
        region: 'us-east-1',
      });
      const made = await runScript(
        tools,
        `appreg init --base-url ${host.origin}/ --store s3 --bucket ${ceph.bucket} --region us-east-1 --endpoint ${ceph.endpoint}`,
        folder(),
        ceph.env,
      );
      expect(made).toMatchObject({ status: 0 });
    }, 60_000);
    afterAll(async () => {
      await host?.close();
      ceph?.close();
    });

    test('checks, lists, publishes and verifies its apps', async () => {
      expect(await run('check')).toMatchObject({ status: 0, output: expect.stringContaining('2 apps') as string });
      expect(await run('list')).toMatchObject({
        status: 0,
        output: expect.stringContaining('added clock, lamp') as string,
      });
      expect(await run('list')).toMatchObject({
        status: 0,
        output: expect.stringContaining('nothing to do') as string,
      });
      for (const TAG of ['clock/v1.0.0', 'lamp/v0.1.0'])
        expect(await run('publish', { TAG })).toMatchObject({ status: 0 });
      const verified = await run('verify');
      expect(verified.output).toContain('0 errors, 0 warnings');
      expect(verified.status).toBe(0);
    }, 60_000);

    test('does not change a published version for a moved tag', async () => {
      expect(await run('publish', { TAG: 'clock/v1.0.0' })).toMatchObject({
        status: 0,
        output: expect.stringContaining('already published') as string,
      });
      write(root, { 'src/clock/main.ts': 'export const app = 2;\n' });
      expect(await run('publish', { TAG: 'clock/v1.0.0' })).toMatchObject({
        status: 1,
        output: expect.stringContaining('never changes') as string,
      });
    }, 60_000);

    test('stores a changed icon of the same size', async () => {
      const icon = readFileSync(join(root, 'apps/lamp/icon.svg'), 'utf8').replace('#fff', '#eee');
      write(root, { 'apps/lamp/icon.svg': icon });
      expect((await run('list')).status).toBe(0);
      expect(await (await fetch(`${ceph.endpoint}/${ceph.bucket}/apps/lamp/icon.svg`)).text()).toBe(icon);
    }, 60_000);

    test('refuses a pull request that deletes a folder, with the name of the app', async () => {
      renameSync(join(root, 'apps/clock'), join(root, 'clock'));
      for (const job of ['check', 'list'])
        expect(await run(job)).toMatchObject({
          status: 1,
          output: expect.stringContaining('apps/clock/app.json does not exist') as string,
        });
      renameSync(join(root, 'clock'), join(root, 'apps/clock'));
    }, 60_000);

    test('reports a broken app with its file, and loses no app', async () => {
      write(root, { 'apps/lamp/app.json': '{ "name": "Lamp", }' });
      for (const job of ['check', 'list'])
        expect(await run(job)).toMatchObject({
          status: 1,
          output: expect.stringContaining('apps/lamp/app.json:1:') as string,
        });
      const { apps } = (await (await fetch(`${ceph.endpoint}/${ceph.bucket}/registry.json`)).json()) as {
        apps: object;
      };
      expect(Object.keys(apps)).toEqual(['clock', 'lamp']);
    }, 60_000);
  },
);

describe('the community registry', () => {
  const remotes = { registry: '', lamp: '' };
  let assets: string;
  let host: Server;
  let origin: string;
  let registry: string;
  let app: string;

  /** Serves /<repository>/… from its branch gh-pages, and /assets/… as files. */
  beforeAll(async () => {
    for (const name of ['registry', 'lamp'] as const) {
      remotes[name] = folder();
      git(remotes[name], 'init', '--quiet', '--bare');
    }
    assets = folder();
    host = createServer(certificates().get('good'), (request, answer) => {
      const [, first, ...rest] = new URL(request.url!, 'https://x').pathname.split('/');
      const path = rest.join('/');
      const bytes = first === 'assets' ? fileAt(join(assets, path)) : blobAt(remotes[first as 'lamp'], path);
      answer.writeHead(bytes === null ? 404 : request.method === 'OPTIONS' ? 204 : 200, {
        'Content-Type': mediaTypeOf(path),
        'Cache-Control': bytes === null ? 'no-store' : cacheControlOf(path),
        'Access-Control-Allow-Origin': '*',
        'Access-Control-Allow-Headers': '*',
      });
      answer.end(request.method === 'GET' ? bytes : undefined);
    });
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
    origin = `https://127.0.0.1:${(host.address() as AddressInfo).port}`;
    app = copyOf('community-registry/app', `${origin}/lamp/`, {});
    registry = copyOf('community-registry/registry', `${origin}/registry/`, {});
    const description = join(registry, 'apps/lamp/app.json');
    const fields = JSON.parse(readFileSync(description, 'utf8'));
    const appMetadataUrl = fields.appMetadataUrl.replace('https://acme.github.io', origin);
    write(registry, { 'apps/lamp/app.json': { ...fields, appMetadataUrl } });
    for (const [root, name] of [
      [app, 'lamp'],
      [registry, 'registry'],
    ] as const) {
      git(root, 'init', '--quiet');
      git(root, 'remote', 'add', 'origin', remotes[name]);
      commitAll(root);
      // As the guide begins; an existing configuration is preserved.
      const made = await runScript(
        tools,
        `appreg init --base-url ${origin}/${name}/ --host github-pages --remote ${remotes[name]}`,
        folder(),
        {},
      );
      expect(made).toMatchObject({ status: 0 });
    }
    const icon = "--name Lamp --description 'Switches lamps.' --color '#e8590c' --icon icon.svg";
    expect(await runScript(tools, `appreg add-app lamp ${icon}`, app, {})).toMatchObject({ status: 0 });
  }, 60_000);
  afterAll(() => {
    host?.closeAllConnections();
    host?.close();
  });

  const env = (): NodeJS.ProcessEnv => ({
    NODE_EXTRA_CA_CERTS: ca,
    GITHUB_REPOSITORY: 'acme/lamp',
    ASSET_FILES: assets,
  });
  const release = (TAG: string): Promise<Ran> =>
    runScript(tools, scriptOf(join(examples, RELEASE), 'release'), app, {
      ...env(),
      TAG,
      APP: 'lamp',
      ASSETS: `${origin}/assets`,
    });
  const run = (job: string): Promise<Ran> =>
    runScript(tools, scriptOf(join(examples, COMMUNITY), job), registry, {
      ...env(),
      REGISTRY_URL: `${origin}/registry/registry.json`,
    });

  test('lists the release of an app, and verify reports no errors', async () => {
    expect(await release('v1.0.0')).toMatchObject({ status: 0 });
    expect(await run('check')).toMatchObject({ status: 0 });
    expect(await run('list')).toMatchObject({ status: 0 });
    const verified = await run('verify');
    expect(verified.output).toContain('1 app, 1 version');
    expect(verified.output).toContain('0 errors');
    expect(verified.status).toBe(0);
    expect(readFileSync(join(assets, 'builds'), 'utf8').trim().split('\n')).toHaveLength(2);
  }, 60_000);

  test('accepts a repeated release, and refuses a moved tag', async () => {
    expect(await release('v1.0.0')).toMatchObject({
      status: 0,
      output: expect.stringContaining('already published') as string,
    });
    write(assets, { 'v1.0.0/bundle.tar.gz': readFileSync(bundleOf('export const app = 3;')) });
    expect(await release('v1.0.0')).toMatchObject({
      status: 1,
      output: expect.stringContaining('never changes') as string,
    });
    expect((await run('verify')).status).toBe(1);
  }, 60_000);

  test('removes no version for a release without its asset', async () => {
    mkdirSync(join(assets, 'v1.1.0'));
    expect((await release('v1.1.0')).status).not.toBe(0);
    const { versions } = JSON.parse(blobAt(remotes.lamp, 'apps/lamp/versions.json')!.toString());
    expect(versions.map(({ version }: { version: string }) => version)).toEqual(['1.0.0']);
  }, 60_000);

  test('refuses a contribution with a photograph as its icon, with its file name', async () => {
    rmSync(join(registry, 'apps/lamp/icon.svg'));
    write(registry, { 'apps/lamp/logo.jpg': 'JPEG' });
    expect(await run('check')).toMatchObject({
      status: 1,
      output: expect.stringContaining(
        'apps/lamp/app.json: the app has no icon: the name “logo.jpg” is not valid',
      ) as string,
    });
    expect(existsSync(join(registry, 'apps/lamp'))).toBe(true);
  }, 60_000);
});

function fileAt(path: string): Buffer | null {
  return existsSync(path) ? readFileSync(path) : null;
}

function blobAt(remote: string, path: string): Buffer | null {
  const { status, stdout } = spawnSync('git', ['-C', remote, 'show', `gh-pages:${path}`]);
  return status === 0 ? stdout : null;
}

/** An artifact of other sources. */
function bundleOf(text: string): string {
  const root = folder({ 'main.ts': `${text}\n` });
  const done = spawnSync(join(tools.bin, 'appreg'), ['bundle', 'main.ts', 'b.tar.gz'], {
    cwd: root,
    encoding: 'utf8',
  });
  expect(done.stderr).not.toContain('appreg:');
  return join(
    root,
    readdirSync(root).find((name) => name.endsWith('.gz'))!,
  );
}
