import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheControlOf, mediaTypeOf } from '../../src/core/registry/media.ts';
import { bareIn, type GitHost, openGitHost } from './git-host.ts';
import type { Ceph } from './ceph.ts';
import { type ObjectStore, type ObjectStoreOptions, openObjectStore } from './object-store.ts';

/** Stores for a registry, each with a host in front of it, for programs that publish concurrently. */

type Bytes = Buffer | null;

export interface Arena {
  /** The workspace, empty at first. */
  root: string;
  /** The flags that `init` needs for this place. */
  flags: string[];
  env: Record<string, string>;
  /** The address of the host in front. */
  base: string;
  /** The steps where a publisher can be killed (src/store/failpoint.ts). */
  steps: readonly string[];
  /** The stored bytes, past every cache. */
  get(path: string): Promise<Bytes>;
  /** The bytes that the host in front serves instead of what is stored; null: what is stored. */
  front: ((path: string, stored: () => Promise<Bytes>) => Promise<Bytes>) | null;
  /** Paths that were requested from the host in front. */
  requested: string[];
  close(): Promise<void>;
}

export const KINDS = ['folder', 'git', 'git over http', 'bucket in memory', 'bucket of Ceph'] as const;
export type Kind = (typeof KINDS)[number];

const FOLDER_STEPS = [
  'lock-prepared',
  'locked',
  'temp-created',
  'half-written',
  'before-sync',
  'before-link',
  'after-link',
  'before-rename',
  'after-rename',
  'before-unlock',
];
const REMOTE_STEPS = ['before-send', 'after-send'];

export interface Servers {
  ceph: Ceph | null;
}

let prefixes = 0;

/** A new and empty place. @param more for the object store in memory; the servers are handed out for their mishaps */
export async function openArena(kind: Kind, servers: Servers, more: ObjectStoreOptions = {}): Promise<Arena & Servant> {
  const scratch = mkdtempSync(join(tmpdir(), 'appreg-arena-'));
  const root = join(scratch, 'workspace');
  mkdirSync(root);
  const made = await placeOf(kind, scratch, root, servers, more);
  const arena = { root, base: '', requested: [] as string[], front: null as Arena['front'], ...made };
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url!, 'http://x').pathname.slice(1));
    arena.requested.push(path);
    const stored = (): Promise<Bytes> => made.get(path);
    void (arena.front === null ? stored() : arena.front(path, stored)).then((bytes) => {
      response.writeHead(bytes === null ? 404 : 200, {
        'access-control-allow-origin': '*',
        'content-type': mediaTypeOf(path),
        'cache-control': cacheControlOf(path),
      });
      response.end(bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  arena.base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    ...arena,
    // The host in front reads them from here.
    get front() {
      return arena.front;
    },
    set front(front) {
      arena.front = front;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await made.close();
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}

/** The server or repository behind a store, if it has one. */
interface Servant {
  host?: GitHost;
  objects?: ObjectStore;
  /** The bare repository. */
  repository?: string;
}

type Made = Pick<Arena, 'flags' | 'env' | 'steps' | 'get' | 'close'> & Servant;

async function placeOf(
  kind: Kind,
  scratch: string,
  root: string,
  { ceph }: Servers,
  more: ObjectStoreOptions,
): Promise<Made> {
  if (kind === 'folder')
    return {
      flags: [],
      env: {},
      steps: FOLDER_STEPS,
      get: async (path) => readFile(join(root, path)).catch(() => null),
      close: async () => {},
    };
  if (kind === 'git' || kind === 'git over http') {
    const host = kind === 'git' ? null : await openGitHost(scratch);
    const folder = host?.folder ?? bareIn(join(scratch, 'r.git'));
    return {
      flags: ['--store', 'git', '--remote', host?.url ?? folder, '--branch', 'pages'],
      env: {},
      steps: REMOTE_STEPS,
      get: (path) => fileInBranch(folder, path),
      close: async () => host?.close(),
      repository: folder,
      ...(host && { host }),
    };
  }
  if (kind === 'bucket in memory') {
    const objects = await openObjectStore(more);
    return {
      ...bucket(objects.endpoint, 'registry', ''),
      get: async (path) => objects.objects.get(`registry/${path}`)?.bytes ?? null,
      close: objects.close,
      objects,
    };
  }
  const prefix = `a place+${++prefixes}/`;
  return {
    ...bucket(ceph!.endpoint, ceph!.bucket, prefix),
    env: { ...NO_OTHER_CREDENTIALS, ...ceph!.env },
    async get(path) {
      const key = `${prefix}${path}`.split('/').map(encodeURIComponent).join('/');
      const answer = await fetch(`${ceph!.endpoint}/${ceph!.bucket}/${key}`);
      return answer.ok ? Buffer.from(await answer.arrayBuffer()) : null;
    },
    close: async () => {},
  };
}

const NO_OTHER_CREDENTIALS = { AWS_EC2_METADATA_DISABLED: 'true', AWS_CONFIG_FILE: '/dev/null' };

function bucket(endpoint: string, name: string, prefix: string): Pick<Made, 'flags' | 'env' | 'steps'> {
  const flags = ['--store', 's3', '--bucket', name, '--endpoint', endpoint, '--region', 'us-east-1'];
  return {
    flags: prefix === '' ? flags : [...flags, '--prefix', prefix],
    env: { ...NO_OTHER_CREDENTIALS, AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 'a-canary' },
    steps: REMOTE_STEPS,
  };
}

/** A file in the branch, read without blocking other requests while git runs. */
async function fileInBranch(folder: string, path: string): Promise<Bytes> {
  return new Promise((resolve) => {
    execFile('git', ['show', `pages:${path}`], { cwd: folder, encoding: 'buffer', maxBuffer: 2 ** 28 }, (error, out) =>
      resolve(error ? null : out),
    );
  });
}
