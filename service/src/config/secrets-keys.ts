import {
  type KeyObject,
  createHmac,
  createSecretKey,
  randomBytes,
  createCipheriv,
  createDecipheriv,
} from 'node:crypto';

/** Seals secrets for the database by AES-256-GCM, under keys that only the operator has. */

interface SecretsKey {
  /** Identifies the key, and reveals nothing of it. */
  id: string;
  /** Neither printed nor serialized. */
  key: KeyObject;
}

/** The first key seals; all of them open what they sealed. Empty without SECRETS_KEY. */
export type SecretsKeys = readonly SecretsKey[];

/** A sealed secret as it is stored. */
export interface Sealed {
  keyId: string;
  /** The version of the format, the nonce, the encrypted text and its authentication tag. */
  sealed: Buffer;
}

const KEY_BYTES = 32;
const FORMAT = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ALGORITHM = 'aes-256-gcm';

/** The key in the text of a setting: 32 bytes in base64 or base64url. @returns null for any other text */
export function secretsKeyIn(text: string): SecretsKey | null {
  const trimmed = text.trim();
  if (!/^[\w+/-]+={0,2}$/.test(trimmed)) return null;
  const bytes = Buffer.from(trimmed, 'base64');
  if (bytes.length !== KEY_BYTES) return null;
  const id = createHmac('sha256', bytes).update('appreg secrets key').digest('hex').slice(0, 16);
  return { id, key: createSecretKey(bytes) };
}

/**
 * @param context what the secret belongs to: it can only be opened for the same context
 * @throws if there is no key
 */
export function seal(keys: SecretsKeys, secret: string, context: string): Sealed {
  const [first] = keys;
  if (first === undefined) throw new Error('No key is set to encrypt secrets with.');
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, first.key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(context));
  const encrypted = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return { keyId: first.id, sealed: Buffer.concat([Buffer.of(FORMAT), nonce, encrypted, cipher.getAuthTag()]) };
}

/** `unknown-key`: none of the keys sealed it. `damaged`: it was changed, or belongs to another context. */
type Opened = { secret: string } | { fault: 'unknown-key' | 'damaged' };

export function open(keys: SecretsKeys, { keyId, sealed }: Sealed, context: string): Opened {
  const known = keys.find(({ id }) => id === keyId);
  if (known === undefined) return { fault: 'unknown-key' };
  if (sealed[0] !== FORMAT || sealed.length < 1 + NONCE_BYTES + TAG_BYTES) return { fault: 'damaged' };
  const end = sealed.length - TAG_BYTES;
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
  const decipher = createDecipheriv(ALGORITHM, known.key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(sealed.subarray(end));
  try {
    const text = Buffer.concat([decipher.update(sealed.subarray(1 + NONCE_BYTES, end)), decipher.final()]);
    return { secret: text.toString('utf8') };
  } catch {
    return { fault: 'damaged' };
  }
}
