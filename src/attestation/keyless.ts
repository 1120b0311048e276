import { bundleToJSON } from '@sigstore/bundle';
import {
  CIContextProvider,
  DSSEBundleBuilder,
  FulcioSigner,
  type IdentityProvider,
  RekorWitness,
} from '@sigstore/sign';
import { STATEMENT_MEDIA_TYPE } from '../core/attestation/statement.ts';
import { AppregError } from '../core/errors/error.ts';
import { message } from '../core/text/message.ts';
import type { AttestationSigner } from './sign.ts';

/** Where keyless signatures are made. */
export interface SigningServices {
  /** The certificate authority: the base URL of a Fulcio. */
  fulcioUrl: string;
  /** The transparency log: the base URL of a Rekor (API v1). */
  rekorUrl: string;
}

/** Sigstore's public instance. Its log is public: it contains the name of the repository. */
const PUBLIC_SERVICES: SigningServices = {
  fulcioUrl: 'https://fulcio.sigstore.dev',
  rekorUrl: 'https://rekor.sigstore.dev',
};

/** The limits of each request: milliseconds, and repetitions after a failure of the network or the service. */
const REQUESTS = { timeout: 20_000, retry: 2 };

/**
 * Signs with a key that exists only for this signature. The certificate authority confirms the identity in the OIDC token
 * of the CI system: that of GitHub Actions, or the one in SIGSTORE_ID_TOKEN, as in GitLab CI. Its audience is `sigstore`.
 * @param env of the process: the token is requested with the variables of GitHub Actions
 * @throws AppregError (exit 2) without a token
 */
export function keylessSigner(env: NodeJS.ProcessEnv, services: SigningServices = PUBLIC_SERVICES): AttestationSigner {
  const identityProvider = identityProviderOf(env);
  const { fulcioUrl, rekorUrl } = services;
  const builder = new DSSEBundleBuilder({
    signer: new FulcioSigner({ fulcioBaseURL: fulcioUrl, identityProvider, ...REQUESTS }),
    witnesses: [new RekorWitness({ rekorBaseURL: rekorUrl, entryType: 'dsse', ...REQUESTS })],
  });
  return {
    async sign(statement) {
      try {
        return bundleToJSON(await builder.create({ data: statement, type: STATEMENT_MEDIA_TYPE }));
      } catch (error) {
        throw signingFailure(error, services);
      }
    },
  };
}

/** True if the environment offers an OIDC token. */
function hasIdentityToken(env: NodeJS.ProcessEnv): boolean {
  return Boolean(
    env['SIGSTORE_ID_TOKEN'] || (env['ACTIONS_ID_TOKEN_REQUEST_URL'] && env['ACTIONS_ID_TOKEN_REQUEST_TOKEN']),
  );
}

function identityProviderOf(env: NodeJS.ProcessEnv): IdentityProvider {
  const token = env['SIGSTORE_ID_TOKEN'];
  if (token) return { getToken: () => Promise.resolve(token) };
  if (hasIdentityToken(env)) return new CIContextProvider('sigstore');
  const isGitLab = env['GITLAB_CI'] === 'true';
  throw new AppregError(
    'attestation-identity-missing',
    message`The CI system offers no OIDC token.`,
    isGitLab
      ? message`Add to the job: id_tokens: { SIGSTORE_ID_TOKEN: { aud: sigstore } }`
      : message`In GitHub Actions, give the job “permissions: id-token: write”. Without such a CI system, sign with a key (--attest-key-env).`,
  );
}

/** By the codes of @sigstore/sign, whose own text may contain the token. Any other error is returned unchanged. */
function signingFailure(error: unknown, { fulcioUrl, rekorUrl }: SigningServices): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const status = statusOf(error);
  if (code.startsWith('IDENTITY_TOKEN'))
    return new AppregError(
      'attestation-failed',
      message`The OIDC token of the CI system cannot be ${code.endsWith('PARSE_ERROR') ? 'used' : 'requested'}.`,
      message`Check the permissions of the job, and that the audience of the token is “sigstore”.`,
    );
  if (!code.startsWith('TLOG') && !code.startsWith('CA_')) return error;
  const service = code.startsWith('TLOG') ? `transparency log ${rekorUrl}` : `certificate authority ${fulcioUrl}`;
  return new AppregError(
    'attestation-failed',
    status === null
      ? message`The ${service} cannot be reached.`
      : message`The ${service} did not accept the signature (HTTP status ${status}).`,
    message`Run the command again. If this persists, check the network, and that the service is available.`,
  );
}

/** The HTTP status of the response that caused an error; null without a response. */
function statusOf(error: unknown): number | null {
  if (!(error instanceof Error)) return null;
  if ('statusCode' in error && typeof error.statusCode === 'number') return error.statusCode;
  return statusOf(error.cause);
}
