import { scrypt } from 'node:crypto';

/** Bytes of a fingerprint. */
const BYTES = 8;
/** 8 MB and some 20 ms for each guess of a value. */
const COST = { N: 2 ** 13, r: 8, p: 1 };

/**
 * Identifies a secret by its kind and value: the same in each run. It is slow to compute on purpose, since a fingerprint
 * is public, and short passwords could be guessed otherwise.
 */
export function fingerprintOf(kind: string, value: string): Promise<string> {
  return new Promise((resolve, reject) => {
    scrypt(value, `appreg artifact-secret ${kind}`, BYTES, COST, (error, key) =>
      error ? reject(error) : resolve(key.toString('hex')),
    );
  });
}
