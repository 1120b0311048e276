import { expect } from 'vitest';
import { vendorKeys } from '../../../test/support/attest.ts';
import { authenticated, type ContractCase, invalidFields, registryPath } from './contract-case.ts';

/** What an organization requires of attestations. */

const path = registryPath('/attestations');
const { privateKey, publicKey } = vendorKeys();
const IDENTITY = {
  mode: 'report',
  issuer: 'https://token.actions.githubusercontent.com',
  identity: null,
  repository: 'https://github.com/acme/apps',
  publicKey: null,
};
const OFF = { mode: 'off', issuer: null, identity: null, repository: null, publicKey: null };

/** A body that is refused because of these fields. */
function refused(name: string, body: object, ...fields: string[]): ContractCase {
  return {
    name: `attestations: ${name}`,
    method: 'PUT',
    path,
    send: authenticated({ body }),
    status: 400,
    check: invalidFields(...fields),
  };
}

function accepted(name: string, body: object, stored: object): ContractCase {
  return {
    name: `attestations: ${name}`,
    method: 'PUT',
    path,
    send: authenticated({ body }),
    status: 200,
    check: ({ json }) => expect(json).toEqual(stored),
  };
}

export const attestationCases: ContractCase[] = [
  {
    name: 'attestations are off',
    method: 'GET',
    path,
    send: authenticated(),
    status: 200,
    check: ({ json }) => expect(json).toEqual(OFF),
  },
  refused('an unknown mode', { mode: 'sometimes' }, 'mode'),
  refused('no mode', {}, 'mode'),
  refused('no signer', { mode: 'require' }, 'issuer', 'repository'),
  refused('an issuer alone', { mode: 'report', issuer: IDENTITY.issuer }, 'repository'),
  refused('an issuer without TLS', { ...IDENTITY, issuer: 'http://issuer.example' }, 'issuer'),
  refused('a repository that is no URL', { ...IDENTITY, repository: 'acme/apps' }, 'repository'),
  refused('NUL in an issuer', { ...IDENTITY, issuer: 'https://issuer.example/\0' }, 'issuer'),
  refused('half of a surrogate pair', { ...IDENTITY, repository: 'https://github.com/\ud800' }, 'repository'),
  refused('a line break in an issuer', { ...IDENTITY, issuer: 'https://issuer\n.example/' }, 'issuer'),
  refused('a number as identity', { ...IDENTITY, identity: 1 }, 'identity'),
  refused('an identity with other characters', { ...IDENTITY, identity: 'a\u202eb' }, 'identity'),
  refused('a key and an identity', { ...IDENTITY, publicKey }, 'publicKey'),
  refused('a text that is no key', { mode: 'report', publicKey: 'key' }, 'publicKey'),
  refused('a private key', { mode: 'report', publicKey: privateKey }, 'publicKey'),
  accepted('an identity', IDENTITY, IDENTITY),
  accepted('a key', { mode: 'require', publicKey: `\n${publicKey} ` }, { ...OFF, mode: 'require', publicKey }),
  {
    name: 'the stored policy is returned',
    method: 'GET',
    path,
    send: authenticated(),
    status: 200,
    check: ({ json }) => expect(json).toEqual({ ...OFF, mode: 'require', publicKey }),
  },
  {
    name: 'versions that were offered stay offered',
    method: 'GET',
    path: registryPath('/apps/mail/versions'),
    send: authenticated(),
    status: 200,
    check: ({ json }) =>
      expect(json.versions[0]).toMatchObject({
        offered: true,
        attestation: { state: 'pending', reason: null, build: null, held: null, offeredBefore: true },
      }),
  },
  accepted('off again', { ...IDENTITY, mode: 'off' }, OFF),
];
