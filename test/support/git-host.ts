import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/** A git remote over http: git's own backend, behind a server that may fail at any moment. */

export type GitMishap = 'reset-before' | 'reset-during' | 'reset-after' | '503-before' | '500-after';

export interface GitHost {
  /** Of the repository. */
  url: string;
  /** The bare repository. */
  folder: string;
  /** Mishaps of the next pushes, first to last. */
  next: GitMishap[];
  /** The Authorization header that every request needs; null for none. */
  authorization: string | null;
  /** The requested services of git, or its lists of branches. */
  requests: string[];
  /** Answers pushes with this status. */
  readOnly: number | null;
  close(): Promise<void>;
}

/** Runs git, which must succeed; gives its output. */
export function git(cwd: string, ...args: string[]): string {
  const run = spawnSync('git', args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 28 });
  if (run.status !== 0) throw new Error(run.stderr);
  return run.stdout;
}

/** Settings of a repository that is served. */
const SERVED = `[http]
	receivepack = true
[uploadpack]
	allowFilter = true
	allowAnySHA1InWant = true
`;

/** An empty bare repository. */
export function bareIn(folder: string): string {
  mkdirSync(folder, { recursive: true });
  git(folder, 'init', '--quiet', '--bare');
  appendFileSync(join(folder, 'config'), SERVED);
  return folder;
}

/** @param parent the folder in which the repository `r.git` is created */
export async function openGitHost(parent: string): Promise<GitHost> {
  const folder = bareIn(join(parent, 'r.git'));
  const host: GitHost = {
    url: '',
    folder,
    next: [],
    requests: [],
    authorization: null,
    readOnly: null,
    close: async () => {},
  };
  const server = createServer((request, response) => {
    const url = new URL(request.url!, 'http://x');
    host.requests.push(url.pathname.split('/').at(-1)! + url.search);
    const push = url.pathname.endsWith('/git-receive-pack');
    if (host.authorization !== null && request.headers.authorization !== host.authorization)
      return void response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
    if (host.readOnly !== null && url.href.includes('git-receive-pack'))
      return void response.writeHead(host.readOnly).end();
    const mishap = push ? host.next.shift() : undefined;
    if (mishap === 'reset-before') return void request.socket.destroy();
    if (mishap === '503-before') return void response.writeHead(503).end();
    backend(parent, url, request, response, mishap);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  host.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/r.git`;
  host.close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return host;
}

function backend(root: string, url: URL, request: IncomingMessage, response: ServerResponse, mishap?: GitMishap): void {
  const { headers } = request;
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      REQUEST_METHOD: request.method,
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: headers['content-type'] ?? '',
      ...(headers['content-length'] && { CONTENT_LENGTH: headers['content-length'] }),
      ...(headers['content-encoding'] && { HTTP_CONTENT_ENCODING: headers['content-encoding'] }),
      ...(headers['git-protocol'] && { GIT_PROTOCOL: headers['git-protocol'] as string }),
      REMOTE_USER: 'publisher',
      REMOTE_ADDR: '127.0.0.1',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  });
  // It waits for ever, and busily, for the rest of a body that does not come; it is a child of what was started here.
  const kill = (): void => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGKILL');
  };
  request.once('close', () => {
    if (!request.complete) kill();
  });
  child.stdin.on('error', () => {});
  if (mishap === 'reset-during') {
    // Half of what is sent arrives.
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('end', () => {
      const whole = Buffer.concat(chunks);
      child.stdin.write(whole.subarray(0, whole.length >> 1), kill);
      request.socket.destroy();
    });
    return;
  }
  request.pipe(child.stdin);
  const out: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => void out.push(chunk));
  child.on('close', () => {
    if (mishap === 'reset-after') return void request.socket.destroy();
    if (mishap === '500-after') return void response.writeHead(500).end();
    const whole = Buffer.concat(out);
    const end = whole.indexOf('\r\n\r\n');
    let status = 200;
    for (const line of whole.toString('latin1', 0, end).split('\r\n')) {
      const [, name, value] = /^([^:]+): *(.*)$/.exec(line)!;
      if (name === 'Status') status = Number.parseInt(value!, 10);
      else response.setHeader(name!, value!);
    }
    response.writeHead(status).end(whole.subarray(end + 4));
  });
}
