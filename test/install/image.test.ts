import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { writeImageFiles } from '../../scripts/image.mjs';
import { programsOf } from '../../scripts/platforms.mjs';
import { VERSION } from '../../src/core/values/tool-version.ts';
import { waitUntil } from '../store/scratch.ts';
import { startDatabase } from '../support/database.ts';
import { describeIf, hasProgram, openRegistry, ROOT, type CheckedRegistry } from '../support/installed.ts';
import { freePort } from '../support/free-port.ts';

/** The container images, built and run by buildah: without a daemon, without a network. */

const TIMEOUT = 240_000;
const SELF = `linux-${process.arch}`;

function reasonToSkip(): string | null {
  if (!hasProgram('buildah'))
    return 'buildah is missing. To install it: apt-get install --no-install-recommends buildah';
  if (process.getuid?.() !== 0) return 'buildah without a daemon needs root here';
  return programsOf(SELF) === null ? `node scripts/platforms.mjs ${SELF} fetches its programs` : null;
}

interface ImageConfig {
  User: string;
  Entrypoint: string[];
  Cmd: string[];
  Labels: Record<string, string>;
}

/** Fields of deploy/compose.yaml. */
interface Compose {
  services: Record<
    string,
    {
      environment?: Record<string, string>;
      secrets?: string[];
      volumes?: string[];
      healthcheck?: { test: string[] };
      depends_on?: Record<string, { condition: string }>;
    }
  >;
  volumes: Record<string, unknown>;
  secrets: Record<string, { file: string }>;
}
const compose = parse(readFileSync(join(ROOT, 'deploy/compose.yaml'), 'utf8')) as Compose;

describeIf(reasonToSkip(), 'the container images', () => {
  let registry: CheckedRegistry;
  let storage: string[] = [];

  function buildah(...args: string[]): { status: number | null; stdout: string; stderr: string } {
    return spawnSync('buildah', [...storage, ...args], { encoding: 'utf8' });
  }

  function inspected(name: string): { config: ImageConfig; layers: string[] } {
    const { OCIv1 } = JSON.parse(buildah('inspect', '--type', 'image', name).stdout) as {
      OCIv1: { config: ImageConfig; rootfs: { diff_ids: string[] } };
    };
    return { config: OCIv1.config, layers: OCIv1.rootfs.diff_ids };
  }

  const containers = new Map<string, string>();

  /** The container of an image: each one is a copy of all its files. */
  function containerOf(image: string): string {
    const container = containers.get(image) ?? buildah('from', image).stdout.trim();
    containers.set(image, container);
    return container;
  }

  /** The words that run the entry point of an image. */
  function words(image: string, args: readonly string[], options: readonly string[] = []): string[] {
    const container = containerOf(image);
    const entry = inspected(image).config.Entrypoint;
    return [...storage, 'run', '--isolation', 'chroot', ...options, container, '--', ...entry, ...args];
  }

  function run(args: readonly string[], ...options: string[]): { status: number | null; stdout: string } {
    const { status, stdout } = spawnSync('buildah', words('appreg', args, options), { encoding: 'utf8' });
    return { status, stdout };
  }

  beforeAll(async () => {
    registry = await openRegistry();
    const place = join(registry.place, 'image');
    storage = ['--storage-driver', 'vfs', '--root', join(place, 'root'), '--runroot', join(place, 'run')];
    writeImageFiles(join(place, 'context'), SELF, programsOf(SELF)!);
    for (const target of ['appreg', 'service']) {
      const flags = ['--isolation', 'chroot', '--layers', '--build-arg', `VERSION=${VERSION}`];
      const { status, stderr } = buildah('build', ...flags, '--target', target, '-t', target, join(place, 'context'));
      if (status !== 0) throw new Error(stderr);
    }
  }, TIMEOUT);
  afterAll(async () => {
    buildah('rm', '--all');
    await registry.close();
  });

  test('share their layers, name an unprivileged user, and have labels', () => {
    const [appreg, service] = [inspected('appreg'), inspected('service')];
    expect(service.layers.slice(0, -1)).toEqual(appreg.layers);
    for (const { config } of [appreg, service]) {
      expect(config.User).toBe('65532:65532');
      expect(config.Labels).toMatchObject({
        'org.opencontainers.image.licenses': 'MIT',
        'org.opencontainers.image.version': VERSION,
        'org.opencontainers.image.source': expect.stringMatching(/^https:/),
      });
    }
  });

  test('run --version, lint of a mounted folder, and verify', () => {
    expect(run(['--version'])).toEqual({ status: 0, stdout: `${VERSION}\n` });
    const mount = ['--volume', `${registry.folder}:/registry:ro`];
    expect(run(['lint', '/registry'], ...mount)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('No problems'),
    });
    expect(run(['verify', registry.url])).toMatchObject({ status: 0, stdout: expect.stringContaining('0 errors') });
  });

  test('contain no shell, and run as a user who may write only to temporary files', () => {
    const container = containerOf('appreg');
    expect(buildah('run', '--isolation', 'chroot', container, '--', '/bin/sh', '-c', 'true').status).not.toBe(0);
    const script = `const { accessSync, constants } = require('node:fs');
      const mayWrite = (path) => { try { accessSync(path, constants.W_OK); return true; } catch { return false; } };
      console.log(process.getuid(), ['/', '/opt/appreg', '/etc', '/registry', '/tmp'].filter(mayWrite).join());`;
    const { stdout } = buildah('run', '--isolation', 'chroot', container, '--', '/opt/appreg/bin/node', '-e', script);
    expect(stdout.trim()).toBe('65532 /tmp');
  });

  test(
    'start the service, whose health is checked without a shell, and which ends at SIGTERM',
    async () => {
      const { url: database } = await startDatabase();
      const port = await freePort();
      const env = [`DATABASE_URL=${database}`, `PORT=${port}`, 'HOST=127.0.0.1'].flatMap((one) => ['--env', one]);
      const child = spawn('buildah', words('service', inspected('service').config.Cmd, env), { detached: true });
      let printed = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
      const ended = new Promise((resolve) => child.once('exit', resolve));
      const ready = async (): Promise<boolean> =>
        fetch(`http://127.0.0.1:${port}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        );
      try {
        for (const until = Date.now() + 90_000; !(await ready());)
          if (Date.now() > until || child.exitCode !== null) throw new Error(`Not ready: ${printed}`);
          else await new Promise((resolve) => setTimeout(resolve, 200));
        const [kind, ...check] = compose.services['service']?.healthcheck?.test ?? [];
        expect(kind).toBe('CMD');
        const container = buildah('from', 'service').stdout.trim();
        const checked = (at: number) =>
          buildah(
            'run',
            '--isolation',
            'chroot',
            container,
            '--',
            ...check.map((word) => word.replace('8080', String(at))),
          );
        expect(checked(port).status).toBe(0);
        expect(checked(9).status).not.toBe(0);
      } finally {
        process.kill(-child.pid!, 'SIGTERM');
        await ended;
      }
      await waitUntil(() => child.exitCode !== null || child.signalCode !== null, 20_000);
      expect(await ready()).toBe(false);
    },
    TIMEOUT,
  );
});

test('the compose file declares every volume and secret that it uses, and passes no secret in the environment', () => {
  const secrets = Object.values(compose.services).flatMap((service) => service.secrets ?? []);
  expect(Object.keys(compose.secrets)).toEqual(expect.arrayContaining(secrets));
  const volumes = Object.values(compose.services).flatMap(({ volumes: used = [] }) =>
    used.map((one) => one.split(':')[0]),
  );
  expect(Object.keys(compose.volumes)).toEqual(expect.arrayContaining(volumes));
  for (const [name, value] of Object.values(compose.services).flatMap(({ environment = {} }) =>
    Object.entries(environment),
  ))
    if (/PASSWORD|TOKEN|KEY|DATABASE_URL/.test(name)) {
      expect(name).toMatch(/_FILE$/);
      expect(secrets).toContain(/^\/run\/secrets\/(\w+)$/.exec(value)?.[1]);
    }
  for (const service of Object.values(compose.services)) {
    expect(service.healthcheck?.test.length).toBeGreaterThan(1);
    for (const [needed, { condition }] of Object.entries(service.depends_on ?? {})) {
      expect(Object.keys(compose.services)).toContain(needed);
      expect(condition).toBe('service_healthy');
    }
  }
});
