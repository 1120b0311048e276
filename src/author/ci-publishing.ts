/** What the CI configurations of GitHub and GitLab have in common. */

/** How versions are published from CI. */
export interface Publishing {
  /** As configured. */
  store: { type: string } & Record<string, string>;
  /** The version of appreg to run. */
  appreg: string;
  /** Whether each version gets an attestation that is signed with the OIDC token of the job. */
  attest: boolean;
}

/** A workspace whose changes and live registry CI checks. */
export interface Checked extends Publishing {
  baseUrl: string;
  manifest: string;
  serviceOrigins: readonly string[];
}

/** User-controlled values reach the shell only through variables, never as part of a command. */
export function variables({ baseUrl, manifest, serviceOrigins }: Checked): { lines: string[]; origins: string } {
  const lines = [
    `REGISTRY_URL: ${JSON.stringify(baseUrl + encodeURIComponent(manifest))}`,
    ...serviceOrigins.map((origin, i) => `SERVICE_ORIGIN_${i + 1}: ${JSON.stringify(origin)}`),
  ];
  return { lines, origins: serviceOrigins.map((_, i) => ` --origin "$SERVICE_ORIGIN_${i + 1}"`).join('') };
}

/** Why jobs for changes of others accept only configurations without code. */
export const DATA_ONLY = 'A configuration that is code is refused: the change could contain it.';

/** Whether CI can write to the store: a folder has to be uploaded by other means. */
export function publishes({ store }: Pick<Publishing, 'store'>): boolean {
  return store.type !== 'directory';
}

/** Amazon S3 supports assuming a role with the job's OIDC token; other stores require keys. */
export function lendsRoles({ store }: Publishing): boolean {
  return store.type === 's3' && store['endpoint'] === undefined;
}

/** A key contains no slash, and tag names reach the shell only through variables. */
export const APP_OF_TAG = 'APP=${TAG%/v*} VERSION=${TAG##*/v}';

/** The command of the job that publishes a version. */
export function publishCommand({ attest }: Publishing): string {
  return `publish-version --entry "src/$APP/main.ts" --yes${attest ? ' --attest' : ''}`;
}
