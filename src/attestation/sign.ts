import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { bundleToJSON, toDSSEBundle } from '@sigstore/bundle';
import { dsse } from '@sigstore/core';
import { STATEMENT_MEDIA_TYPE } from '../core/attestation/statement.ts';
import { AppregError } from '../core/errors/error.ts';
import { ownValue } from '../core/values/record.ts';
import { message, type SafeText } from '../core/text/message.ts';
import { fingerprintOf, isP256, type VendorKey } from './trust.ts';

/** Signs a statement. */
export interface AttestationSigner {
  /** @returns the JSON of a Sigstore bundle v0.3 with a DSSE envelope over the statement */
  sign(statement: Buffer): Promise<object>;
}

/**
 * Makes an attestation.
 * @param statement in-toto statement, as JSON
 * @returns the bytes of `<artifact>.sigstore.json`
 * @throws AppregError (exit 2) if it cannot be signed
 */
export async function createAttestation(statement: string, signer: AttestationSigner): Promise<Uint8Array> {
  const bundle = await signer.sign(Buffer.from(statement, 'utf8'));
  return Buffer.from(`${JSON.stringify(bundle)}\n`, 'utf8');
}

/**
 * Signs with the private key in an environment variable: PEM, ECDSA P-256. The bundle names the public key by its
 * digest; it contains no time and no entry of a log.
 * @param name of the variable
 * @throws AppregError (exit 2) without such a key
 */
export function keySigner(env: NodeJS.ProcessEnv, name: string): AttestationSigner {
  const key = privateKeyIn(env, name);
  const hint = fingerprintOf(createPublicKey(key)).toString('base64');
  return {
    sign(statement) {
      const signature = sign('sha256', dsse.preAuthEncoding(STATEMENT_MEDIA_TYPE, statement), key);
      const bundle = toDSSEBundle({
        artifact: statement,
        artifactType: STATEMENT_MEDIA_TYPE,
        signature,
        keyHint: hint,
      });
      return Promise.resolve(bundleToJSON(bundle));
    },
  };
}

/**
 * The public key of the private key in an environment variable.
 * @param name of the variable
 * @throws AppregError (exit 2) without such a key
 */
export function signingKeyIn(env: NodeJS.ProcessEnv, name: string): VendorKey {
  const publicKey = createPublicKey(privateKeyIn(env, name));
  return { publicKey, sha256: fingerprintOf(publicKey).toString('hex') };
}

function privateKeyIn(env: NodeJS.ProcessEnv, name: string): KeyObject {
  const text = ownValue(env, name);
  if (text === undefined || text.trim() === '') throw invalidKey(message`The environment variable ${name} is not set.`);
  let key: KeyObject;
  try {
    // Some CI systems store a text on one line.
    key = createPrivateKey(text.replaceAll(String.raw`\n`, '\n'));
  } catch {
    // The error might quote the key.
    throw invalidKey(message`The environment variable ${name} contains no unencrypted private key in PEM.`);
  }
  if (!isP256(key)) throw invalidKey(message`The key in ${name} is not an ECDSA key on the curve P-256.`);
  return key;
}

function invalidKey(text: SafeText): AppregError {
  return new AppregError(
    'attestation-key-invalid',
    text,
    message`Store a key in a secret of the CI system: openssl ecparam -name prime256v1 -genkey -noout -out key.pem`,
  );
}
