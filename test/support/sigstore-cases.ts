import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The cases of the public test suite for clients of Sigstore, as command lines of `appreg attestation`. */

const CASES = join(import.meta.dirname, '../fixtures/sigstore-conformance');

/** An earlier trusted root of the public instance. */
export const OLDER_ROOT = join(CASES, 'older_root.json');

/** The names of the cases; a bundle has to be refused if its name ends in `_fail`. */
export const SIGSTORE_CASES = readdirSync(join(CASES, 'bundle-verify'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** The signer of all cases that name no other one. */
const BEACON = {
  issuer: 'https://token.actions.githubusercontent.com',
  identity:
    'https://github.com/sigstore-conformance/extremely-dangerous-public-oidc-beacon/.github/workflows/extremely-dangerous-oidc-beacon.yml@refs/heads/main',
};

interface SigstoreCase {
  artifact: string;
  options: { bundle: string; trustedRoot?: string; key?: string; issuer?: string; identity?: string };
}

export function sigstoreCase(name: string): SigstoreCase {
  const path = (file: string): string => join(CASES, 'bundle-verify', name, file);
  const has = (file: string): boolean => existsSync(path(file));
  const text = (file: string): string => readFileSync(path(file), 'utf8').trim();
  const identity = {
    issuer: has('issuer') ? text('issuer') : BEACON.issuer,
    identity: has('identity') ? text('identity') : BEACON.identity,
  };
  return {
    artifact: has('artifact') ? path('artifact') : join(CASES, 'a.txt'),
    options: {
      bundle: path('bundle.sigstore.json'),
      ...(has('trusted_root.json') && { trustedRoot: path('trusted_root.json') }),
      ...(has('key.pub') ? { key: path('key.pub') } : identity),
    },
  };
}
