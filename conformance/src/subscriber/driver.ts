import { mkdir, rm, readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { type CommandResult, runCommand } from '../command.ts';

/** Drivers of an implementation. */

/** The most that is read of the response of an adapter, in bytes. */
const LARGEST_OUTPUT = 16_000_000;

/** A case, as the implementation sees it. */
export interface CaseRun {
  /** Names its state: each case has a state of its own, which is empty at first. */
  id: string;
  /** The time of the case, ISO 8601 in UTC. */
  now: string;
  /** The file with the certificate (PEM) to trust. */
  caFile: string;
}

export type VerbResult =
  | { end: 'success'; output: string }
  /** The implementation says that it could not do it. `details`: what it wrote about that, for people; '' for nothing. */
  | { end: 'failure'; details: string }
  /** It neither succeeded nor failed in the time, printed too much, or was ended by a signal. */
  | { end: 'timeout' | 'output' | 'crash'; details: string };

export interface Driver {
  /** @throws Error for a fault of the kit or its environment */
  subscribe(run: CaseRun, url: string, name: string): Promise<VerbResult>;
  refresh(run: CaseRun): Promise<VerbResult>;
  /** The output is JSON. */
  apps(run: CaseRun): Promise<VerbResult>;
  /** Deletes the state of a case. */
  end(run: CaseRun): Promise<void>;
}

// Drives a program with three verbs: `subscribe <url> <name>`, `refresh` and `apps`.

interface CommandDriverOptions {
  /** The program and its first arguments. */
  words: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** The folder for the states of cases. */
  stateFolder: string;
  /** Milliseconds per verb. */
  timeout: number;
}

/** The exit codes with which shells report that they could not start a program. */
const NOT_STARTED = new Set([126, 127]);

export function openCommandDriver({ words, cwd, env, stateFolder, timeout }: CommandDriverOptions): Driver {
  const folderOf = ({ id }: CaseRun): string => join(stateFolder, id);
  const run = async (one: CaseRun, ...args: string[]): Promise<VerbResult> => {
    const state = folderOf(one);
    await mkdir(state, { recursive: true });
    const result = await runCommand([...words, ...args], {
      cwd,
      timeout,
      env: {
        ...env,
        CONFORMANCE_STATE: state,
        CONFORMANCE_CA: one.caFile,
        CONFORMANCE_NOW: one.now,
        NODE_EXTRA_CA_CERTS: one.caFile,
        SSL_CERT_FILE: one.caFile,
      },
    });
    return resultOf(result, args[0] ?? '');
  };
  return {
    subscribe: (one, url, name) => run(one, 'subscribe', url, name),
    refresh: (one) => run(one, 'refresh'),
    apps: (one) => run(one, 'apps'),
    end: (one) => rm(folderOf(one), { recursive: true, force: true }),
  };
}

function resultOf({ code, stdout, stderr, stopped }: CommandResult, verb: string): VerbResult {
  if (stopped !== null) return { end: stopped, details: stderr };
  if (code === null) return { end: 'crash', details: stderr };
  if (NOT_STARTED.has(code)) throw new Error(`The command ended with exit code ${code} for ${verb}: ${stderr}`);
  return code === 0 ? { end: 'success', output: stdout } : { end: 'failure', details: stderr };
}

// Drives an adapter over HTTP: `POST /subscribe`, `POST /refresh`, `GET /apps` and `DELETE /case`, each with the query
// parameter `case`. The bodies are JSON. A status from 200 to 299 is a success, and one from 400 to 499 says that the
// implementation could not do it. Any other is a fault of the adapter.

/**
 * @param url of the adapter, http; its query is sent with each request
 * @param timeout milliseconds per verb
 */
export function openAdapterDriver(url: string, timeout: number): Driver {
  const send = async (
    one: CaseRun,
    method: string,
    path: string,
    members: Record<string, string> = {},
  ): Promise<VerbResult> => {
    const target = new URL(url);
    target.pathname = `${target.pathname.replace(/\/$/, '')}/${path}`;
    target.searchParams.set('case', one.id);
    const ca = method === 'POST' ? { ca: await readFile(one.caFile, 'utf8'), now: one.now } : {};
    const body = method === 'POST' ? JSON.stringify({ case: one.id, ...members, ...ca }) : '';
    return exchange(target, { method, body, timeout });
  };
  return {
    subscribe: (one, registry, name) => send(one, 'POST', 'subscribe', { url: registry, name }),
    refresh: (one) => send(one, 'POST', 'refresh'),
    apps: (one) => send(one, 'GET', 'apps'),
    end: async (one) => void (await send(one, 'DELETE', 'case')),
  };
}

function exchange(
  url: URL,
  { method, body, timeout }: { method: string; body: string; timeout: number },
): Promise<VerbResult> {
  return new Promise((resolve, reject) => {
    const headers = method === 'POST' ? { 'content-type': 'application/json' } : {};
    const sent = request(url, { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      let read = 0;
      response.on('data', (chunk: Buffer) => {
        read += chunk.length;
        if (read > LARGEST_OUTPUT) sent.destroy(new Error('its response is larger than 16 MB'));
        chunks.push(chunk);
      });
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode: status = 0 } = response;
        clearTimeout(timer);
        const text = Buffer.concat(chunks).toString('utf8');
        if (status >= 200 && status < 300) resolve({ end: 'success', output: text });
        else if (status >= 400 && status < 500) resolve({ end: 'failure', details: text });
        else reject(new Error([`The adapter responded with ${status}`, text.slice(0, 500)].filter(Boolean).join(': ')));
      });
    });
    const timer = setTimeout(() => {
      resolve({ end: 'timeout', details: '' });
      sent.destroy();
    }, timeout);
    sent.on('error', (error) => {
      clearTimeout(timer);
      reject(new Error(`The request to the adapter failed: ${error.message}`, { cause: error }));
    });
    sent.end(body);
  });
}
