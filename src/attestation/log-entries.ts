import { createHash } from 'node:crypto';
import type { Bundle } from '@sigstore/bundle';
import { dsse } from '@sigstore/core';
import type { SignedEntity, TrustMaterial } from '@sigstore/verify';

// Checks of log entries that version 4 of @sigstore/verify makes, for version 3, which is the last one for Node 20.

type LogEntry = SignedEntity['tlogEntries'][number];

/** A line of a signed note, as @sigstore/verify reads it: the name, and in base64 the key hint and the signature. */
const SIGNATURE = /\u2014 (\S+) (\S+)\n/g;

/**
 * True if the signatures of a checkpoint have the name of the log whose key they claim. The verifier would use the name
 * as a regular expression; it is written by the author of the bundle, and can be one that takes years.
 */
export function hasLogNames({ inclusionProof }: LogEntry, logs: TrustMaterial['tlogs']): boolean {
  const envelope = inclusionProof?.checkpoint?.envelope ?? '';
  return [...envelope.matchAll(SIGNATURE)].every(([, name = '', text = '']) => {
    const hint = Buffer.from(text, 'base64').subarray(0, 4);
    return logs.every(({ logID, baseURL }) => !logID.subarray(0, 4).equals(hint) || baseURL.includes(name));
  });
}

/** Only the logs that the entries name: the checkpoint of an entry is signed by the log that the entry claims. */
export function logsOf(entries: readonly LogEntry[], logs: TrustMaterial['tlogs']): TrustMaterial['tlogs'] {
  return logs.filter(({ logID }) => entries.some(({ logId }) => logId.keyId.equals(logID)));
}

/**
 * The signature of a bundle, for the comparison with log entries. Entries of the kind `hashedrekord` have the digest of
 * what was signed: for a statement not that of its payload, but of its pre-authentication encoding (DSSE).
 */
export function comparable({ content }: Bundle, signature: SignedEntity['signature']): SignedEntity['signature'] {
  if (content.$case === 'messageSignature') return signature;
  const { payloadType, payload } = content.dsseEnvelope;
  const signed = createHash('sha256').update(dsse.preAuthEncoding(payloadType, payload)).digest();
  return {
    signature: signature.signature,
    compareDigest: (digest) => signature.compareDigest(digest) || signed.equals(digest),
    compareSignature: (other) => signature.compareSignature(other),
    verifySignature: (key) => signature.verifySignature(key),
  };
}
