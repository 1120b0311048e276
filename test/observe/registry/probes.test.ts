import { expect, test } from 'vitest';
import { isMissing, type Missing, type Probe, type RepeatedProbe } from '../../../src/core/facts/facts.ts';
import type { BrowserGet } from '../../../src/observe/registry/browser-get.ts';
import type { ObserveContext } from '../../../src/observe/registry/context.ts';
import { HostsSeen } from '../../../src/observe/registry/hosts-seen.ts';
import { runProbes, type Subject, type ViewProbe } from '../../../src/observe/registry/probes.ts';

/** Which probes of a list are sent for a resource. */

const URL = 'https://host.test/file';

function probe(status: number): Probe {
  const hop = { url: URL, status, headers: [], address: null, tls: null };
  return { method: 'GET', origin: null, hops: [hop], failure: null, attempts: 1, retryAfterMs: 0 };
}

const GET: BrowserGet = {
  url: URL,
  kind: 'icon',
  page: 'https://service.test',
  like: 'fetch',
  accept: '*/*',
  headers: [],
  key: 'icon https://host.test',
  reference: null,
  limit: 0,
};
const SUBJECT: Subject = { server: probe(200), get: GET, browser: null, sha256: null };

function openContext(): ObserveContext {
  return { hosts: new HostsSeen() } as ObserveContext;
}

/** A probe that notes its name in `sent`, and the status that the browser got if that is known. */
function named(name: string, sent: string[], fields: Partial<ViewProbe> & Pick<ViewProbe, 'share'>): ViewProbe {
  return {
    attempts: 'once',
    request: ({ browser }) => [
      {
        url: URL,
        async send() {
          await Promise.resolve();
          sent.push(browser === null || isMissing(browser) ? name : `${name} after ${browser.hops[0]?.status}`);
          return probe(204);
        },
      },
    ],
    fact: () => ({}),
    ...fields,
  };
}

test('a probe for the first resource is sent once for each key', async () => {
  const sent: string[] = [];
  const context = openContext();
  const list = [named('each', sent, { share: 'each' }), named('first', sent, { share: 'first' })];
  await runProbes(list, SUBJECT, context);
  await runProbes(list, SUBJECT, context);
  await runProbes(list, { ...SUBJECT, get: { ...GET, key: 'icon https://other.test' } }, context);
  expect(sent.toSorted()).toEqual(['each', 'each', 'each', 'first', 'first']);
});

test('a list without such probes claims nothing, and does not count for the sample', async () => {
  const sent: string[] = [];
  const context = openContext();
  for (let i = 0; i < 30; i += 1) await runProbes([named('each', sent, { share: 'each' })], SUBJECT, context);
  await runProbes([named('first', sent, { share: 'first' })], SUBJECT, context);
  await runProbes([named('sample', sent, { share: 'sample' })], SUBJECT, context);
  expect(sent.slice(30)).toEqual(['first', 'sample']);
});

test('a probe that waits for the browser’s GET gets its response', async () => {
  const sent: string[] = [];
  const list = [named('each', sent, { share: 'each' }), named('late', sent, { share: 'first', after: 'browser' })];
  await runProbes(list, SUBJECT, openContext());
  expect(sent).toEqual(['each', 'late after 204']);
});

test('a probe is sent only for its kinds of resources, and when it is due', async () => {
  const sent: string[] = [];
  const list = [
    named('icon', sent, { share: 'each', on: ['icon'] }),
    named('manifest', sent, { share: 'each', on: ['manifest'] }),
    named('never', sent, { share: 'each', when: () => false }),
  ];
  await runProbes(list, SUBJECT, openContext());
  expect(sent).toEqual(['icon']);
});

test('a request that browsers do not send is a missing fact, and is not repeated', async () => {
  const missing: Missing = { missing: { code: 'same-origin' }, intentional: true };
  const list: ViewProbe[] = [
    {
      share: 'sample',
      attempts: 'once',
      of: 'preflight',
      refused: 'repeat',
      request: () => [missing],
      fact: ([answer]) => (answer ? { preflight: answer.probe } : {}),
    },
  ];
  const { facts, sent } = await runProbes(list, SUBJECT, openContext());
  expect(facts).toEqual({ preflight: missing });
  expect(sent).toEqual([]);
});

test('a request that a host never answers is not sent to it again', async () => {
  const sent: string[] = [];
  const context = openContext();
  const repeated: RepeatedProbe = { of: 'HEAD', url: URL, plain: [200, 200], same: [0, 0] };
  await context.hosts.unanswered('HEAD', URL, () => Promise.resolve(repeated));
  const head = named('HEAD', sent, {
    share: 'sample',
    of: 'HEAD',
    unanswered: 'head-refused',
    fact: ([answer]) => (answer ? { head: answer.probe } : {}),
  });
  const { facts } = await runProbes([head], SUBJECT, context);
  expect(sent).toEqual([]);
  expect(facts).toEqual({ head: { missing: { code: 'blocked-by', rule: 'head-refused' }, intentional: true } });
});
