import { expect } from 'vitest';
import { authenticated, type ContractCase, registryPath } from './contract-case.ts';

/** The verified bytes of versions. */

const artifactPath = (key: string, version: string) => registryPath(`/apps/${key}/versions/${version}/artifact`);

export const artifactCases: ContractCase[] = [
  {
    name: 'the verified bytes of a version are sent',
    method: 'GET',
    path: artifactPath('mail', '1.0.0'),
    send: authenticated(),
    status: 200,
    check: ({ text, headers }) => {
      expect(text).toBe('mail 1.0.0');
      expect(headers.get('content-length')).toBe('10');
    },
  },
  {
    name: 'the headers of verified bytes are sent alone',
    method: 'HEAD',
    path: artifactPath('mail', '1.0.0'),
    send: authenticated(),
    status: 200,
    check: ({ text }) => expect(text).toBe(''),
  },
  {
    name: 'a range of verified bytes is sent',
    method: 'GET',
    path: artifactPath('mail', '1.0.0'),
    send: authenticated({ headers: { range: 'bytes=-5' } }),
    status: 206,
    check: ({ text, headers }) => expect([text, headers.get('content-range')]).toEqual(['1.0.0', 'bytes 5-9/10']),
  },
  {
    name: 'a range beyond the end of an artifact is refused',
    method: 'GET',
    path: artifactPath('mail', '1.0.0'),
    send: authenticated({ headers: { range: 'bytes=10-' } }),
    status: 416,
  },
  {
    name: 'bytes with another entity tag are not sent',
    method: 'GET',
    path: artifactPath('mail', '1.0.0'),
    send: authenticated({ headers: { 'if-match': '"other"' } }),
    status: 412,
  },
  {
    name: 'known bytes are not sent again',
    method: 'GET',
    path: artifactPath('mail', '1.0.0'),
    send: authenticated({ headers: { 'if-none-match': '*' } }),
    status: 304,
  },
  {
    name: 'bytes that were dropped are fetched again',
    method: 'GET',
    path: artifactPath('mail', '1.1.0'),
    send: authenticated(),
    status: 503,
    check: ({ headers }) => expect(headers.get('retry-after')).toBe('10'),
  },
  {
    name: 'the bytes of a version that is not verified yet are not sent',
    method: 'GET',
    path: artifactPath('waiting', '1.0.0'),
    send: authenticated(),
    status: 409,
  },
  {
    name: 'the bytes of a refused version are not sent, with the finding',
    method: 'GET',
    path: artifactPath('refused', '1.0.0'),
    send: authenticated(),
    status: 410,
    check: ({ json }) =>
      expect(json.findings).toMatchObject([
        { rule: 'unreachable', message: 'It answers with 404.', app: 'refused', version: '1.0.0' },
      ]),
  },
  {
    name: 'the bytes of an unknown version are not found',
    method: 'GET',
    path: artifactPath('mail', '9.9.9'),
    send: authenticated(),
    status: 404,
  },
];
