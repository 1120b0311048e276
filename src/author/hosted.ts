/** Hosting parameters of a registry. */
export interface Hosted {
  /** With a trailing slash. */
  baseUrl: string;
  manifest: string;
  /** Empty: any origin is allowed. */
  serviceOrigins: readonly string[];
  store: { type: string } & Record<string, string>;
}
