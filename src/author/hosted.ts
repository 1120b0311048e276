/** A registry as its host sees it. */
export interface Hosted {
  /** With its trailing slash. */
  baseUrl: string;
  manifest: string;
  /** None: any origin may ask. */
  serviceOrigins: readonly string[];
  store: { type: string } & Record<string, string>;
}
