import { describe, expect, test } from 'vitest';
import type { HttpOptions } from '../../../src/observe/http/client.ts';
import { answer, redirect } from '../../support/fault-host.ts';
import { openHosts, probe } from './client-fixture.ts';

/** Redirects, and which of them get credentials. */

const { host, other } = await openHosts();

const secrets = (): HttpOptions => ({
  secrets: { origin: host.origin, headers: [['Authorization', 'Bearer s3cr3t-token']] },
});

describe('a redirect', () => {
  const end = answer({ body: 'there' });
  test.each<[string, string]>([
    ['absolute', 'ORIGIN/end'],
    ['relative', 'end'],
    ['from the root', '/end'],
    ['up', '../end'],
    ['without a scheme', '//HOST/end'],
    ['with a fragment', '/end#part'],
  ])('is followed: %s', async (_, location) => {
    host.on('/end', end);
    const { seen, body, last } = await probe(
      host.on('/from', redirect(location.replace('ORIGIN', host.origin).replace('HOST', host.origin.slice(7)))),
    );
    expect(seen.failure).toBeNull();
    expect(body).toBe('there');
    expect(last.url).toBe(`${host.origin}/end`);
  });

  test('is followed at most five times', async () => {
    host.on('/end', end);
    for (let i = 1; i <= 6; i += 1) host.on(`/r${i}`, redirect(i === 1 ? '/end' : `/r${i - 1}`));
    expect((await probe(`${host.origin}/r5`)).seen).toMatchObject({ failure: null });
    const { seen } = await probe(`${host.origin}/r6`);
    expect(seen).toMatchObject({ failure: { phase: 'redirect', code: 'REDIRECT_LIMIT' } });
    expect(seen.hops).toHaveLength(6);
  });

  test.each<{ name: string; location: string | null; code: string }>([
    { name: 'in a loop', location: '/circle', code: 'REDIRECT_LOOP' },
    { name: 'in a loop, by an empty Location', location: '', code: 'REDIRECT_LOOP' },
    { name: 'without Location', location: null, code: 'REDIRECT_NO_LOCATION' },
    { name: 'to another scheme', location: 'ftp://example.com/', code: 'REDIRECT_BAD_LOCATION' },
    { name: 'to a malformed URL', location: 'http://[', code: 'REDIRECT_BAD_LOCATION' },
    { name: 'to credentials', location: 'http://user:secret@127.0.0.1/', code: 'REDIRECT_CREDENTIALS' },
  ])('is rejected: $name', async ({ location, code }) => {
    const { seen } = await probe(host.on('/circle', redirect(location)));
    expect(seen.failure).toMatchObject({ phase: 'redirect', code });
    expect(JSON.stringify(seen.failure)).not.toContain('secret');
  });

  test('has its body ignored', async () => {
    let sent = 0;
    host.on('/end', end);
    const { seen } = await probe(
      host.on('/big', (_, socket) => {
        socket.write(`HTTP/1.1 302 Found\r\nLocation: /end\r\nContent-Length: 1000000000\r\n\r\n`);
        const chunk = Buffer.alloc(65_536);
        function more(): void {
          while (!socket.destroyed && sent < 1e9 && socket.write(chunk)) sent += chunk.length;
          if (!socket.destroyed) socket.once('drain', more);
        }
        more();
      }),
    );
    expect(seen.failure).toBeNull();
    expect(sent).toBeLessThan(20e6);
  });

  test('to another host is requested with Origin: null', async () => {
    other.on('/end', end);
    await probe(host.on('/away', redirect(`${other.origin}/end`)), { origin: 'https://svc.test' });
    expect(host.requestsFor('/away')[0]!.headers['origin']).toBe('https://svc.test');
    expect(other.requestsFor('/end')[0]!.headers['origin']).toBe('null');
  });

  test('of a preflight is not followed', async () => {
    const { seen } = await probe(host.on('/pre', redirect('/end', 307)), {
      method: 'OPTIONS',
      origin: 'https://svc.test',
    });
    expect(seen.hops.map((h) => h.status)).toEqual([307]);
  });
});

describe('secrets', () => {
  test('are sent to their own origin only, and not after a redirect through another', async () => {
    host.on('/end', answer());
    other.on('/back', redirect(`${host.origin}/end`));
    await probe(host.on('/first', redirect(`${other.origin}/back`)), {}, secrets());
    expect(host.requestsFor('/first')[0]!.headers['authorization']).toBe('Bearer s3cr3t-token');
    expect(other.requests[0]!.headers).not.toHaveProperty('authorization');
    expect(host.requestsFor('/end')[0]!.headers).not.toHaveProperty('authorization');
  });

  test('are for their own origin alone, as the facts about another one say that asks for some', async () => {
    const unauthorized = answer({ status: 401 });
    const { last } = await probe(other.on('/closed', unauthorized), {}, secrets());
    expect(last.credentialsFor).toBe(host.origin);
    const own = await probe(host.on('/closed', unauthorized), {}, secrets());
    expect(own.last).toMatchObject({ withCredentials: true });
    expect(own.last).not.toHaveProperty('credentialsFor');
    const none = await probe(`${other.origin}/closed`);
    expect(none.last).not.toHaveProperty('credentialsFor');
    const found = await probe(other.on('/open', answer()), {}, secrets());
    expect(found.last).not.toHaveProperty('credentialsFor');
  });

  test('are not in the facts, even if the host echoes them', async () => {
    const { seen } = await probe(
      host.on(
        '/echo',
        answer({ status: 401, headers: { 'X-Got': 'Bearer s3cr3t-token' }, body: 'bad token s3cr3t-token' }),
      ),
      {},
      secrets(),
    );
    expect(JSON.stringify(seen)).not.toContain('s3cr3t');
  });

  test('of a signed URL are not in the excerpt of an error response', async () => {
    const signature = '1f8b/5ecre7+0123456789=';
    other.on('/signed', answer({ status: 403, body: `<Provided>${signature}</Provided>` }));
    const url = host.on('/sign', redirect(`${other.origin}/signed?X-Amz-Signature=${encodeURIComponent(signature)}`));
    const { seen } = await probe(url);
    expect(seen.hops.at(-1)!.excerpt).toMatch(/^<Provided>REDACTED-+[^5]*<.Provided>$/);
  });

  test('are not in a preflight', async () => {
    await probe(host.on('/options', answer({ status: 204 })), { method: 'OPTIONS' }, secrets());
    expect(host.requestsFor('/options')[0]!.headers).not.toHaveProperty('authorization');
  });
});
