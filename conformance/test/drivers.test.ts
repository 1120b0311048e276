import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Observation } from '../src/result.ts';
import { type Implementation, runSubscriberCases, type OnDetails } from '../src/subscriber/run.ts';
import { caseOf } from './subscriber-fixture.ts';

/** How the kit drives programs and adapters, and whose fault it is if that fails. */

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'appreg-drivers-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function observed(
  implementation: Implementation,
  timeout = 20_000,
  onDetails: OnDetails = () => {},
): Promise<Observation | undefined> {
  const [observation] = await runSubscriberCases([caseOf('manifest-empty')], {
    set: 1,
    implementation,
    cwd: folder,
    env: process.env,
    without: [],
    timeout,
    concurrency: 1,
    authority: null,
    now: new Date(),
    onDetails,
  });
  return observation;
}

/** A program in JavaScript. */
function program(name: string, source: string): Implementation {
  const file = join(folder, `${name}.cjs`);
  writeFileSync(file, source);
  return { command: [process.execPath, file] };
}

describe('a program', () => {
  const PRINT = "if (process.argv[2] === 'apps') console.log('{\"apps\":[]}');";

  test('receives the verb, the state, the time and the certificate', async () => {
    const source = `const fs = require('node:fs');
      const { CONFORMANCE_STATE: state, CONFORMANCE_CA: ca, CONFORMANCE_NOW: now } = process.env;
      if (fs.readdirSync(state).length !== (process.argv[2] === 'apps' ? 1 : 0)) process.exit(1);
      if (!fs.readFileSync(ca, 'utf8').includes('CERTIFICATE') || Number.isNaN(Date.parse(now))) process.exit(1);
      fs.writeFileSync(state + '/seen', process.argv.slice(2).join(' '));
      ${PRINT}`;
    expect(await observed(program('state', source))).toMatchObject({ verdict: 'pass' });
  });

  test('that cannot do it says why on stderr', async () => {
    const seen: string[][] = [];
    await observed(program('reason', "console.error('No such host.'); process.exit(3);"), 20_000, (...details) =>
      seen.push(details),
    );
    expect(seen).toEqual([
      ['manifest-empty', 'subscribe', 'No such host.\n'],
      ['manifest-empty', 'apps', 'No such host.\n'],
    ]);
  });

  test('that prints no JSON fails', async () => {
    expect(await observed(program('text', "console.log('none');"))).toMatchObject({
      verdict: 'fail',
      message: 'After subscribe: The output of the verb “apps” is not JSON.',
    });
  });

  test('that does not end in time fails', async () => {
    const source = `if (process.argv[2] === 'apps') console.log('{"apps":[]}'); else setInterval(() => {}, 1000);`;
    expect(await observed(program('hangs', source), 2000)).toMatchObject({
      verdict: 'fail',
      message: 'After subscribe: The verb “subscribe” did not end in time.',
    });
  });

  test.skipIf(process.platform === 'win32')('that a signal ends fails', async () => {
    const source = `${PRINT} if (process.argv[2] === 'subscribe') process.kill(process.pid, 'SIGSEGV');`;
    expect(await observed(program('crashes', source))).toMatchObject({
      verdict: 'fail',
      message: 'After subscribe: The verb “subscribe” was ended by a signal.',
    });
  });

  test('that prints too much fails', async () => {
    const source = `if (process.argv[2] === 'apps') console.log('{"apps":[]}'); else process.stdout.write(' '.repeat(17e6));`;
    expect(await observed(program('prints', source))).toMatchObject({
      verdict: 'fail',
      message: 'After subscribe: The verb “subscribe” printed more than 16 MB.',
    });
  });

  test('that cannot be started is a fault of the environment', async () => {
    expect(await observed({ command: [join(folder, 'none')] })).toMatchObject({ verdict: 'harness-error' });
  });
});

async function withAdapter(
  status: number,
  body: string,
  place = '',
  requested: string[] = [],
): Promise<Observation | undefined> {
  const server: Server = createServer((request, response) => {
    requested.push(`${request.method} ${request.url}`);
    request.resume().on('end', () => response.writeHead(status).end(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const result = await observed({ adapter: `http://127.0.0.1:${port}${place}` });
  server.close();
  return result;
}

describe('an adapter', () => {
  test('that responds with the apps passes', async () => {
    expect(await withAdapter(200, '{"apps":[]}')).toMatchObject({
      verdict: 'pass',
      observed: 'subscribe succeeded, no app is offered',
    });
  });

  test.each([
    ['', '', '?'],
    ['/', '', '?'],
    ['/kit', '/kit', '?'],
    ['/kit/?key=a%2Fb', '/kit', '?key=a%2Fb&'],
  ])('can be at the path and query “%s”', async (place, path, query) => {
    const requested: string[] = [];
    await withAdapter(200, '{"apps":[]}', place, requested);
    expect(requested).toEqual([
      `POST ${path}/subscribe${query}case=manifest-empty`,
      `GET ${path}/apps${query}case=manifest-empty`,
      `DELETE ${path}/case${query}case=manifest-empty`,
    ]);
  });

  test('that responds with too much, or with no reason, is described in one sentence', async () => {
    expect(await withAdapter(200, ' '.repeat(16_000_001))).toMatchObject({
      verdict: 'harness-error',
      message: 'The request to the adapter failed: its response is larger than 16 MB',
    });
    expect(await withAdapter(302, '')).toMatchObject({ message: 'The adapter responded with 302' });
  });

  test('that responds with 422 says that the subscriber could not do it', async () => {
    expect(await withAdapter(422, '{}')).toMatchObject({
      verdict: 'fail',
      message: 'After subscribe: The verb “apps” failed.',
    });
  });

  test('that responds with 500, or not at all, is at fault itself', async () => {
    expect(await withAdapter(500, 'broken')).toMatchObject({
      verdict: 'harness-error',
      message: 'The adapter responded with 500: broken',
    });
    expect(await observed({ adapter: 'http://127.0.0.1:1' })).toMatchObject({ verdict: 'harness-error' });
  });
});
