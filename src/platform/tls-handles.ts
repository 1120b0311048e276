import type { TLSSocket } from 'node:tls';

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
