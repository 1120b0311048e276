import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import type { CaseRun, Driver, VerbResult } from './driver.ts';

/**
 * Drives an adapter over HTTP: `POST /subscribe`, `POST /refresh`, `GET /apps` and `DELETE /case`, each with the query
 * parameter `case`. The bodies are JSON. A status from 200 to 299 is a success, and one from 400 to 499 says that the
 * implementation could not do it. Any other is a fault of the adapter.
 */

/** The most that is read of a response, in bytes. */
const LARGEST_OUTPUT = 16_000_000;

/**
 * @param url of the adapter, http
 * @param timeout milliseconds per verb
 */
export function openAdapterDriver(url: string, timeout: number): Driver {
  const send = async (
    one: CaseRun,
    method: string,
    path: string,
    members: Record<string, string> = {},
  ): Promise<VerbResult> => {
    const target = new URL(path, url.endsWith('/') ? url : `${url}/`);
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
        if (read > LARGEST_OUTPUT) sent.destroy(new Error('The response of the adapter is too large.'));
        chunks.push(chunk);
      });
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode: status = 0 } = response;
        clearTimeout(timer);
        const text = Buffer.concat(chunks).toString('utf8');
        if (status >= 200 && status < 300) resolve({ end: 'success', output: text });
        else if (status >= 400 && status < 500) resolve({ end: 'failure', details: text });
        else reject(new Error(`The adapter responded with ${status}: ${text.slice(0, 500)}`));
      });
    });
    const timer = setTimeout(() => {
      resolve({ end: 'timeout', details: '' });
      sent.destroy();
    }, timeout);
    sent.on('error', (error) => {
      clearTimeout(timer);
      reject(new Error(`The adapter does not respond: ${error.message}`, { cause: error }));
    });
    sent.end(body);
  });
}
