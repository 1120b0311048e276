import type { SecureContext, TLSSocket } from 'node:tls';

/**
 * Adds an authority to a context that already trusts those that Node ships: passing all of them to
 * `createSecureContext` takes twice as long.
 * @returns false if this version of Node has no such method; then nothing was added
 */
export function addAuthorities({ context }: SecureContext, pems: readonly string[]): boolean {
  const native: unknown = context;
  if (!hasAddCACert(native)) return false;
  for (const pem of pems) native.addCACert(pem);
  return true;
}

function hasAddCACert(value: unknown): value is { addCACert(pem: string): void } {
  return typeof value === 'object' && value !== null && 'addCACert' in value && typeof value.addCACert === 'function';
}

/** OpenSSL's reason why a certificate is not trusted, also if Node has no code for it; null if it is trusted. */
export function verifyMessage(socket: TLSSocket): string | null {
  const { _handle: handle } = '_handle' in socket ? socket : { _handle: null };
  if (!hasVerifyError(handle)) return null;
  const error = handle.verifyError();
  return error instanceof Error ? error.message : null;
}

function hasVerifyError(value: unknown): value is { verifyError(): unknown } {
  return (
    typeof value === 'object' && value !== null && 'verifyError' in value && typeof value.verifyError === 'function'
  );
}
