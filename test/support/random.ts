import { createCipheriv } from 'node:crypto';

/** Inputs that look random and are the same in every run. */

/** The seed of a run. To search for failures: FC_SEED=random; vitest.config.ts chooses and prints one then. */
export const SEED = Number(process.env['FC_SEED'] ?? 20_260_101);

/** Bytes that cannot be compressed. @param number of the sequence: another one has other bytes */
export function noise(length: number, number = 0): Buffer {
  const key = Buffer.alloc(16);
  key.writeUInt32BE(SEED);
  key.writeUInt32BE(number, 4);
  return createCipheriv('aes-128-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(length));
}

/** A function whose calls return numbers from 0 to 1, without 1. @param number of the sequence */
export function randomNumbers(number = 0): () => number {
  const bytes = noise(400_000, number);
  let at = 0;
  return () => {
    at = (at + 4) % bytes.length;
    return bytes.readUInt32BE(at) / 2 ** 32;
  };
}
