import { createHash, generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createAttestation, keySigner } from '../../src/attestation/sign.ts';
import { companionPath } from '../../src/core/registry/companion.ts';
import { type AppVersion, provenanceStatement, type StatementInput } from '../../src/core/attestation/statement.ts';

/** A new key pair of a vendor, as PEM. */
export function vendorKeys(): { privateKey: string; publicKey: string } {
  return generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
}

/** The statement of a version that was built outside of CI. */
export function statementOf(app: AppVersion, artifact: Uint8Array, more: Partial<StatementInput> = {}): string {
  const sha256 = createHash('sha256').update(artifact).digest('hex');
  return provenanceStatement({ app, sha256, sbomSha256: null, run: null, toolVersion: '0.1.0', ...more });
}

/** An attestation that is signed with a private key in PEM. */
export function signedBy(privateKey: string, statement: string): Promise<Uint8Array> {
  return createAttestation(statement, keySigner({ KEY: privateKey }, 'KEY'));
}

/** Writes the attestation of an artifact beside it, signed with a new key, and the public key. */
export async function attest(artifact: string, app: AppVersion, keyFile: string): Promise<void> {
  const { privateKey, publicKey } = vendorKeys();
  const bundle = await signedBy(privateKey, statementOf(app, readFileSync(artifact)));
  writeFileSync(companionPath(artifact, 'attestation'), bundle);
  writeFileSync(keyFile, publicKey);
}
